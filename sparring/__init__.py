"""sparring: formal verification and executable reference specification of allreduce algorithms.

Nothing heavy is imported before it is used: ``import sparring`` loads neither sympy, z3 nor numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOME = {
    **dict.fromkeys(
        (
            "advise",
            "calibrate",
            "contention",
            "cost",
            "crossover",
            "explore",
            "page",
            "pages",
            "prove",
            "recheck",
            "run",
            "verify",
        ),
        "sparring.api",
    ),
    **dict.fromkeys(
        ("InputError", "MissingExtra", "RankFailed", "Refuted", "SparringError", "Undecided", "UnknownPage"),
        "sparring.errors",
    ),
    "Cost": "sparring.costs.costs",
    "Growth": "sparring.support_growth",
    "Machine": "sparring.costs.links.machines",
    "Report": "sparring.report",
    "Sparse": "sparring.sparse",
    "check": "sparring.checks.checking",
    "check_schedule": "sparring.schedules.checking",
    "conformance": "sparring.checks.pytesting",
    "export": "sparring.schedules.checking",
    "latex": "sparring.present.costs.papers",
    "selection": "sparring.verification.every_input",
    "union_growth": "sparring.support_growth",
    "torch": "",
    "world": "",
}

__all__ = sorted(HOME)


def __getattr__(name: str) -> Any:
    if name not in HOME:
        raise AttributeError(f"module 'sparring' has no attribute {name!r}")
    home = HOME[name]
    return getattr(import_module(home), name) if home else import_module(f"sparring.{name}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
