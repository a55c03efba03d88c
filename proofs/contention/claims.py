"""The two claims that a schedule is free of contention on a topology.

lock step   In no step do two messages cross one directed link.
exclusive   Each directed link serves one (source, destination) pair in the whole run, so that
            messages of different sources never meet, whatever the timing and the buffering.
"""

from __future__ import annotations

from collections.abc import Iterator

from sparring.proofs.contention.topologies import TOPOLOGIES, Link
from sparring.proofs.core.obligations import Obligation, during, implies, p, r, s, t, u
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both


def crosses(page: Page, link: Link, rank: Int, step: Int) -> Bool:
    """The message of ``rank`` in ``step`` crosses ``link``."""
    return both(page.active(rank, step, p), link.carries(rank, page.dst(rank, step, p)))


def lock_step(page: Page, topology: str) -> Iterator[Obligation]:
    """No directed link carries two messages of one step."""
    for link in TOPOLOGIES[topology]:
        meet = both(crosses(page, link, r, t), crosses(page, link, s, t))
        yield Obligation(f"{link.name}: one message a step", (*during(page), *link.place), implies(meet, r == s))


def exclusive(page: Page, topology: str) -> Iterator[Obligation]:
    """No directed link serves two different (source, destination) pairs, in whatever steps."""
    for link in TOPOLOGIES[topology]:
        meet = both(crosses(page, link, r, t), crosses(page, link, s, u))
        pair = both(r == s, page.dst(r, t, p) == page.dst(s, u, p))
        yield Obligation(f"{link.name}: one pair", (*during(page, t, u), *link.place), implies(meet, pair))
