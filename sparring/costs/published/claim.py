"""What papers say of an algorithm's costs.

``claims``, a list of :class:`Claim`, stands in the module of the page's name beside this one; a page in a file of its
own holds it itself.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from sparring.costs.formulas import symbols
from sparring.costs.formulas.hypotheses import DIVIDES, HYPOTHESES, parts
from sparring.errors import InputError
from sparring.proofs.reading.annotations import companion
from sparring.spec.core.model import Page

QUANTITIES = ("words", "messages", "added", "path", "critical")
"""The quantities of claims: V_max, messages of one rank, the most words that one rank adds, V_path and V_crit."""


class Claim(NamedTuple):
    """A published formula: a Python function of ``n``, ``p`` and ``k`` that uses ``+ - * /`` and logarithms only."""

    name: str
    quantity: str
    formula: Callable[[Any, Any, Any], Any]
    given: str
    """The hypotheses under which it is published, some of ``HYPOTHESES``, or that a number divides ``p``."""
    source: str
    xfail: str = ""
    """Why the formula is known to be wrong somewhere; the check then fails if it is not."""
    bound: bool = False
    """Whether it is stated as an upper bound, which may be too high."""
    actual: Callable[[Any, Any, Any], Any] | None = None
    """Where ``xfail`` is said, the right formula: one that is wrong in another way is not what was expected.

    A composition needs none: its claims are wrong where a run sends more, and what runs send at most is only a bound.
    """


def log2(p: Any, rounded: str = "") -> Any:
    """Return the binary logarithm of ``p``, ``rounded`` "down" or "up", or exact for a claim given "p = 2^m"."""
    return {"": symbols.Log2, "down": symbols.FloorLog2, "up": symbols.CeilLog2}[rounded](p)


def holder(page: Page) -> ModuleType:
    """Return the module that holds what is published of the page."""
    room, _, name = page.module.__name__.rpartition(".")
    beside = f"{__package__}.{name}"
    ours = room == "sparring.spec" and importlib.util.find_spec(beside)
    return importlib.import_module(beside) if ours else companion(page)


def written(claim: object) -> bool:
    """Return whether it is a claim whose fields are of their types."""
    if not isinstance(claim, Claim):
        return False
    texts: tuple[object, ...] = (claim.name, claim.quantity, claim.given, claim.source, claim.xfail)
    return all(isinstance(text, str) for text in texts)


def published(page: Page) -> Sequence[Claim]:
    """Return the claims that are published of the page; raise InputError for one that cannot be judged."""
    claims: Sequence[Claim] = getattr(holder(page), "claims", ())
    if not (isinstance(claims, (list, tuple)) and all(map(written, claims))):
        raise InputError(f"page {page.name}: claims is {claims!r}; right is a list of Claim, with texts and a function")
    for claim in claims:
        known = all(part in HYPOTHESES or DIVIDES.fullmatch(part) for part in parts(claim.given))
        if not known or claim.quantity not in QUANTITIES:
            raise InputError(
                f"page {page.name}: claim {claim.name!r} is of {claim.quantity!r} given {claim.given!r}; "
                f"there are {', '.join(QUANTITIES)}, and given may be {', '.join(map(repr, HYPOTHESES))}"
            )
    return claims
