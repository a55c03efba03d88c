"""The claims that a schedule is free of contention on a topology with formulas, for every p.

lock step   In no step do two messages cross one directed link.
rendezvous  Nor in different steps, unless the two messages have a rank in common.
exclusive   Each directed link serves one (source, destination) pair in the whole run, so that
            messages of different sources never meet, whatever the timing and the buffering.

Why *rendezvous* is enough for freedom under rendezvous, whatever the timing: with synchronous sends
a transfer begins after both its ranks have posted the step's operations and ends before either
has waited for them.  So the transfers of a rank in one step are over before that rank begins its
next one, and two transfers of different steps that share a rank do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator

from sparring.proofs.contention.links import Link
from sparring.proofs.contention.networks import Topology
from sparring.proofs.core.obligations import Obligation, during, every, implies, p, r, s, some, t, u
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both


def crosses(page: Page, link: Link, rank: Int, step: Int) -> Bool:
    """The message of ``rank`` in ``step`` crosses ``link``."""
    return both(page.active(rank, step, p), link.carries(rank, page.dst(rank, step, p)))


def lock_step(page: Page, topology: Topology) -> Iterator[Obligation]:
    """No directed link carries two messages of one step."""
    for link in topology.links:
        meet = both(crosses(page, link, r, t), crosses(page, link, s, t))
        yield Obligation(f"{link.name}: one message a step", (*during(page), *link.place), implies(meet, r == s))


def rendezvous(page: Page, topology: Topology) -> Iterator[Obligation]:
    """Messages that cross one directed link are of different steps and have a rank in common."""
    yield from lock_step(page, topology)
    for link in topology.links:
        meet = every(crosses(page, link, r, t), crosses(page, link, s, u), t < u)
        to, into = page.dst(r, t, p), page.dst(s, u, p)
        common = some(r == s, r == into, to == s, to == into)
        yield Obligation(f"{link.name}: a rank in common", (*during(page, t, u), *link.place), implies(meet, common))


def exclusive(page: Page, topology: Topology) -> Iterator[Obligation]:
    """No directed link serves two different (source, destination) pairs, in whatever steps."""
    for link in topology.links:
        meet = both(crosses(page, link, r, t), crosses(page, link, s, u))
        pair = both(r == s, page.dst(r, t, p) == page.dst(s, u, p))
        yield Obligation(f"{link.name}: one pair", (*during(page, t, u), *link.place), implies(meet, pair))
