"""Lists what is timed: exchanges, additions and work of many sizes, and whole algorithms, which no fit sees.

Sizes go up by one factor; of exchanges and additions every second is held out, to judge the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from sparring.costs.links.machines import Kind, What
from sparring.spec.core.model import Page

EXCHANGED = [1 << i for i in range(2, 23)]  # bytes, up to 4 MiB
ADDED = [1 << i for i in range(8, 23)]  # entries, likewise
WORKED = [10**i for i in range(1, 7)]
REDUCED = [10**i for i in range(3, 7)]
SHARE = 100
"""A sparse algorithm keeps one of so many entries."""
FAR = 64
"""Ranks are at most so far apart in an exchange: what is further, is as far on most networks."""


class Quantity(NamedTuple):
    """A quantity that is timed; see :class:`sparring.costs.links.machines.Timed`."""

    what: What
    size: int
    distance: int | None = None
    algorithm: str = ""
    k: int | None = None
    fitted: bool = False

    def __str__(self) -> str:
        """Return the quantity's name for use in a sentence."""
        what = self.algorithm or self.what
        return f"{what} of {self.size} {'bytes' if self.what == 'exchange' else 'entries'}"


def quantities(p: int, pages: Iterable[Page]) -> list[Quantity]:
    """List all quantities, on ``p`` ranks."""
    return [
        *(Quantity("exchange", m, d, fitted=i % 2 == 0) for d in distances(p) for i, m in enumerate(EXCHANGED)),
        *(Quantity("add", n, fitted=i % 2 == 0) for i, n in enumerate(ADDED)),
        *(Quantity(kind, n, fitted=True) for kind in get_args(Kind) for n in WORKED),
        *(whole_allreduce(page, n, p) for page in pages for n in REDUCED),
    ]


def distances(p: int) -> Sequence[int]:
    """Return how far messages go: to the next rank, as in rings, and by powers of two, as in doubling.

    >>> distances(2), distances(6)
    ([1], [1, 2, 4])
    """
    return [1 << i for i in range(p.bit_length()) if 1 << i < min(p, 2 * FAR)]


def whole_allreduce(page: Page, n: int, p: int) -> Quantity:
    """Return an allreduce of about ``n`` entries, as many as ``p`` divides; and as many as ``p`` divides are kept."""
    k = divided(n // SHARE, p) if page.listed or "k" in page.params else None
    return Quantity("algorithm", divided(n, p), algorithm=page.name, k=k)


def divided(n: int, p: int) -> int:
    """Return the least multiple of ``p`` that is at least ``n``."""
    return -(-n // p) * p
