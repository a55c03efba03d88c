"""Balancing: each entry comes to its share's rank and to no other.

Sizes are letters, so that it is so of all data.  Of all entries, one rank's after the other's, ``x`` is one, at or
after ``begin`` and before ``end`` of the rank that has it, ``start`` and ``stop`` of the share that it falls in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.proofs.logic.obligations import Obligation, p
from sparring.spec.core import balancing
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, negate

x, begin, end, start, stop = (Sym.var(name) for name in ("x", "begin", "end", "start", "stop"))
begin2, end2, start2, stop2 = (Sym.var(name) for name in ("begin2", "end2", "start2", "stop2"))

ENTRY = (p >= 1, begin <= x, x < end, start <= x, x < stop)


def overlap(m: Any, begin: Int, end: Int, start: Int, stop: Int) -> Bool:
    """State when ``x`` is in the message from the rank with ``begin`` and ``end`` to that of the share."""
    return both(m.later(begin, start) <= x, x < m.sooner(end, stop))


def moves(m: Any = balancing) -> Iterator[Obligation]:
    """State that each entry is in the message from its rank to its share's, and no other; shares come in order."""
    yield Obligation("in its message", ENTRY, overlap(m, begin, end, start, stop))
    apart = either(end <= begin2, end2 <= begin)
    other = either(stop <= start2, stop2 <= start)
    yield Obligation("in no other rank's", (*ENTRY, apart), negate(overlap(m, begin2, end2, start2, stop2)))
    yield Obligation("in no other share's", (*ENTRY, other), negate(overlap(m, begin2, end2, start2, stop2)))
    two = (p >= 1, begin <= end, end <= begin2, begin2 <= end2)
    yield Obligation("in the order of ranks", two, m.sooner(end, stop) <= m.later(begin2, start))
