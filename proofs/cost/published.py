"""What papers say of an algorithm's costs.

A page, or its module in ``proofs``, may hold ``claims``, a list of :class:`Claim`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.proofs.core.supplement import companion
from sparring.spec.core.model import Page

GIVEN: Mapping[str, Callable[[int, int, int], bool]] = {
    "": lambda n, p, k: True,
    "p | n": lambda n, p, k: n % p == 0,
    "p | k": lambda n, p, k: k % p == 0,
}
"""Hypotheses that a claim may have, and whether they hold."""

QUANTITIES = ("words", "messages", "added")
"""What a claim may speak of: V_max, messages of one rank, and the most words that one rank adds."""


class Claim(NamedTuple):
    """A published formula: a Python function of ``n``, ``p`` and ``k`` that uses ``+ - * /`` only."""

    name: str
    quantity: str
    formula: Callable[[Any, Any, Any], Any]
    given: str
    """Under which hypothesis it is published, one of ``GIVEN``."""
    source: str


def published(page: Page) -> Sequence[Claim]:
    """The claims that stand by the page; raises InputError for one that cannot be judged."""
    claims: Sequence[Claim] = getattr(companion(page), "claims", ())
    for claim in claims:
        if claim.given not in GIVEN or claim.quantity not in QUANTITIES:
            raise InputError(
                f"page {page.name}: claim {claim.name!r} is of {claim.quantity!r} given {claim.given!r}; "
                f"there are {', '.join(QUANTITIES)}, and given may be {', '.join(map(repr, GIVEN))}"
            )
    return claims
