"""What papers say of an algorithm's costs.

A page, or its module in ``proofs``, may hold ``claims``, a list of :class:`Claim`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.proofs.core.supplement import companion
from sparring.spec.core.digits import log_of, power_of
from sparring.spec.core.model import Page

GIVEN: Mapping[str, Callable[[int, int, int, int], bool]] = {
    "": lambda n, p, k, radix: True,
    "p | n": lambda n, p, k, radix: n % p == 0,
    "p | k": lambda n, p, k, radix: k % p == 0,
    "p = 2^m": lambda n, p, k, radix: p.bit_count() == 1,
    "p not 2^m": lambda n, p, k, radix: p.bit_count() > 1,
    "2^floor(log2 p) | n": lambda n, p, k, radix: n % (1 << p.bit_length() - 1) == 0,
    "k p <= n": lambda n, p, k, radix: k * p <= n,
    "p = radix^m": lambda n, p, k, radix: power_of(radix, log_of(p, radix)) == p,
}
"""Hypotheses that a claim may have, also several with commas between them, and whether they hold."""
MULTIPLE, POWER_OF = re.compile(r"(\d+)( p)? \| n"), re.compile(r"p = (\d+)\^m")
"""Others that a cost may have, with a number in them: ``8 | n``, ``128 p | n``, ``p = 3^m``."""

QUANTITIES = ("words", "messages", "added", "path", "critical")
"""What a claim may speak of: V_max, messages of one rank, the most words that one rank adds, V_path and V_crit."""


class Claim(NamedTuple):
    """A published formula: a Python function of ``n``, ``p`` and ``k`` that uses ``+ - * /`` and logarithms only."""

    name: str
    quantity: str
    formula: Callable[[Any, Any, Any], Any]
    given: str
    """Under which hypothesis it is published, one or several of ``GIVEN``."""
    source: str
    xfail: str = ""
    """Why it is known to be too low somewhere; that it is not is then the failure."""


def parts(given: str) -> list[str]:
    """The hypotheses that ``given`` joins.

    >>> parts("p = 2^m, p | n"), parts("")
    (['p = 2^m', 'p | n'], [''])
    """
    return [part.strip() for part in given.split(",")]


def holds(given: str, n: int, p: int, k: int, radix: int = 2) -> bool:
    """Whether these hypotheses hold there."""
    return all(GIVEN[part](n, p, k, radix) if part in GIVEN else numbered(part, n, p) for part in parts(given))


def numbered(part: str, n: int, p: int) -> bool:
    """Whether a hypothesis with a number in it holds; raises KeyError for one that is not known.

    >>> numbered("8 p | n", 48, 3), numbered("8 | n", 12, 3), numbered("p = 3^m", 0, 9)
    (True, False, True)
    """
    if found := MULTIPLE.fullmatch(part):
        return n % (int(found[1]) * (p if found[2] else 1)) == 0
    if found := POWER_OF.fullmatch(part):
        return power_of(int(found[1]), log_of(p, int(found[1]))) == p
    raise KeyError(part)


def log2(p: Any, rounded: str = "") -> Any:
    """The binary logarithm of ``p``, ``rounded`` "down" or "up", or exact for a claim given "p = 2^m"."""
    from sparring.proofs.cost import symbols  # noqa: PLC0415  # who proves a page needs no sympy

    return {"": symbols.Log2, "down": symbols.FloorLog2, "up": symbols.CeilLog2}[rounded](p)


def published(page: Page) -> Sequence[Claim]:
    """The claims that stand by the page; raises InputError for one that cannot be judged."""
    claims: Sequence[Claim] = getattr(companion(page), "claims", ())
    for claim in claims:
        if not {*parts(claim.given)} <= {*GIVEN} or claim.quantity not in QUANTITIES:
            raise InputError(
                f"page {page.name}: claim {claim.name!r} is of {claim.quantity!r} given {claim.given!r}; "
                f"there are {', '.join(QUANTITIES)}, and given may be {', '.join(map(repr, GIVEN))}"
            )
    return claims
