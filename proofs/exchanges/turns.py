"""Several turns of a page at a time: what is sent is its sender's own, and no two messages have the same two ranks.

So it does not matter which turns are under way together, and a receiver can add what came in the order of turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from sparring.errors import InputError
from sparring.proofs.logic.obligations import Obligation, during, iff, implies, p, q, r, t, u
from sparring.spec.core.exchange_runs import no_turns
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both


def own(page: Page) -> Iterator[Obligation]:
    """State what is sent in a turn; raise InputError for a page without turns."""
    if page.several:
        raise InputError(no_turns(page))
    chunk = page.chunk(r, t, p)
    yield Obligation("what is sent is its sender's own", during(page), iff(page.holds(q, r, chunk, t, p), q == r))
    yield Obligation("it is sent to its own rank", during(page), page.dst(r, t, p) == chunk)
    yield Obligation("where it is added", during(page), page.adds(t, p))


def apart(page: Page) -> Iterator[Obligation]:
    """State that two turns have different peers; and that in one turn no two ranks send to the same one."""
    two = during(page, t, u)
    active = both(page.active(r, t, p), page.active(r, u, p))
    yield Obligation("of two turns", two, implies(both(active, page.dst(r, t, p) == page.dst(r, u, p)), t == u))
    yield Obligation("from two turns", two, implies(page.src(r, t, p) == page.src(r, u, p), t == u))
    yield Obligation("of two ranks", during(page), implies(page.dst(q, t, p) == page.dst(r, t, p), q == r))
