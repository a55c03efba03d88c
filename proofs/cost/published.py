"""What papers say of an algorithm's costs.

A page, or its module in ``proofs``, may hold ``claims``, a list of :class:`Claim`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.proofs.cost.hypotheses import HYPOTHESES, parts
from sparring.proofs.reading.annotations import companion
from sparring.spec.core.model import Page

QUANTITIES = ("words", "messages", "added", "path", "critical")
"""What a claim may speak of: V_max, messages of one rank, the most words that one rank adds, V_path and V_crit."""


class Claim(NamedTuple):
    """A published formula: a Python function of ``n``, ``p`` and ``k`` that uses ``+ - * /`` and logarithms only."""

    name: str
    quantity: str
    formula: Callable[[Any, Any, Any], Any]
    given: str
    """Under which hypothesis it is published, one or several of ``HYPOTHESES``."""
    source: str
    xfail: str = ""
    """Why it is known to be too low somewhere; that it is not is then the failure."""


def log2(p: Any, rounded: str = "") -> Any:
    """The binary logarithm of ``p``, ``rounded`` "down" or "up", or exact for a claim given "p = 2^m"."""
    from sparring.proofs.cost import symbols  # noqa: PLC0415  # who proves a page needs no sympy

    return {"": symbols.Log2, "down": symbols.FloorLog2, "up": symbols.CeilLog2}[rounded](p)


def published(page: Page) -> Sequence[Claim]:
    """The claims that stand by the page; raises InputError for one that cannot be judged."""
    claims: Sequence[Claim] = getattr(companion(page), "claims", ())
    for claim in claims:
        if not {*parts(claim.given)} <= {*HYPOTHESES} or claim.quantity not in QUANTITIES:
            raise InputError(
                f"page {page.name}: claim {claim.name!r} is of {claim.quantity!r} given {claim.given!r}; "
                f"there are {', '.join(QUANTITIES)}, and given may be {', '.join(map(repr, HYPOTHESES))}"
            )
    return claims
