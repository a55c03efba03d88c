"""The claims that a schedule is free of contention on a topology with formulas, for every p.

lock step   In no step do messages of two sources cross one directed link.
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
from sparring.proofs.logic.obligations import (
    Obligation,
    during,
    every,
    i,
    implies,
    j,
    letter,
    letters,
    p,
    r,
    s,
    some,
    t,
    u,
)
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both


def crosses(page: Page, link: Link, rank: Int, step: Int, message: Sym) -> Bool:
    """Return the condition that a message of ``rank`` in ``step`` crosses ``link``.

    With several messages in a step, it is the one with the number ``message``.
    """
    number = letter(page, message)
    return both(page.active(rank, step, p, *number), link.carries(rank, page.dst(rank, step, p, *number)))


def two(page: Page, link: Link, later: Sym) -> tuple[Bool, ...]:
    """Return the hypotheses that message ``i`` of step ``t`` and ``j`` of step ``later`` may cross ``link``."""
    steps = during(page) if later is t else during(page, t, later)
    return (*steps, *letters(page, i), *letters(page, j, step=later), *link.place)


def lock_step(page: Page, topology: Topology) -> Iterator[Obligation]:
    """Yield the obligations that no directed link carries messages of two sources in one step."""
    for link in topology.links:
        meet = both(crosses(page, link, r, t, i), crosses(page, link, s, t, j))
        yield Obligation(f"{link.name}: one message a step", two(page, link, t), implies(meet, r == s))


def rendezvous(page: Page, topology: Topology) -> Iterator[Obligation]:
    """Yield the obligations that two sources' messages on one directed link differ in step and share a rank."""
    yield from lock_step(page, topology)
    for link in topology.links:
        meet = every(crosses(page, link, r, t, i), crosses(page, link, s, u, j), t < u)
        to, into = page.dst(r, t, p, *letter(page, i)), page.dst(s, u, p, *letter(page, j))
        common = some(r == s, r == into, to == s, to == into)
        yield Obligation(f"{link.name}: a rank in common", two(page, link, u), implies(meet, common))


def exclusive(page: Page, topology: Topology) -> Iterator[Obligation]:
    """Yield the obligations that no directed link serves two (source, destination) pairs, in whatever steps."""
    for link in topology.links:
        meet = both(crosses(page, link, r, t, i), crosses(page, link, s, u, j))
        pair = both(r == s, page.dst(r, t, p, *letter(page, i)) == page.dst(s, u, p, *letter(page, j)))
        yield Obligation(f"{link.name}: one pair", two(page, link, u), implies(meet, pair))
