"""Targets that were recorded, traces and dumps: which arguments of ``check`` say something of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sparring.checks import dumped, traced
from sparring.errors import InputError

OF_DUMPS = ("ranks", "only", "xfail")
OF_TRACES = ("page", "level", "topology", "only", "xfail", "params")
PASSED = "{} does not go with {}, of which it says nothing"


def kept(target: Any) -> tuple[Collection[str], str] | None:
    """Return the arguments that count for a target that was recorded, and what it is; None for any other target."""
    if dumped.is_job(target):
        return OF_DUMPS, "dumps"
    return (OF_TRACES, "a trace") if traced.is_trace(target) else None


def needless(target: Any, given: Iterable[str]) -> list[str]:
    """Return those of these arguments that say nothing of the target."""
    found = kept(target)
    return [name for name in given if name not in found[0]] if found else []


def fit(target: Any, given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raise InputError for an argument that says nothing of what was recorded, unless it has its ``usual`` value."""
    said = [name for name, value in given.items() if not (value is usual[name] or value == usual[name])]
    if odd := needless(target, said):
        found = kept(target)
        raise InputError(PASSED.format(odd[0], found[1] if found else ""))
