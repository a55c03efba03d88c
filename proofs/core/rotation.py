"""What is proved of steps in which each rank sends one message to each other one, to those after it in turn.

A page of that kind has ``dst(r, j, p)`` and ``src(r, j, p)``: to whom rank ``r``'s ``j``-th message goes, and from
whom its ``j``-th comes, ``j = 1, ..., p - 1``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.proofs.core import obligations
from sparring.proofs.core.obligations import RANKS, Obligation, c, every, i, implies, j, n, p, q, r, s, within
from sparring.proofs.core.supplement import Stated
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Sym, both, negate

TURN = (*RANKS, i >= 1, i < p)
"""A message of a step."""
ASTRAY, SAME = "sends to the next rank but one", "all ranks send to the same one"
SHORT = "chunks of equal length, the rest dropped"
"""What faults are called that a page is to name."""


def peers_of(page: Page, to: Any, whence: Any, begin: Any) -> Iterator[Obligation]:
    """An implementation's neighbours and blocks are those of a direct exchange, messages counted from 1."""
    yield Obligation("to whom", TURN, to(r, i, p) == page.dst(r, 0, p, i - 1))
    yield Obligation("from whom", TURN, whence(r, i, p) == page.src(r, 0, p, i - 1))
    sends = to(r, i, p) if page.kind == "reduce_scatter" else r
    yield Obligation("what it sends", TURN, page.chunk(r, 0, p, i - 1) == sends)
    yield Obligation("blocks", (p >= 1, n >= 0, within(c, p + 1)), begin(c, n, p) == bound(c, n, p))


def turns(m: Any) -> Iterator[Obligation]:
    """A rank's ``i``-th message is another rank's ``i``-th to come."""
    to, whence = m.dst(r, i, p), m.src(r, i, p)
    yield Obligation("to a rank", TURN, both(within(to), within(whence)))
    yield Obligation("not to itself", TURN, negate(to == r))
    yield Obligation("it is heard", TURN, m.src(to, i, p) == r)
    yield Obligation("it hears", TURN, m.dst(whence, i, p) == r)


def rotation(m: Any) -> Iterator[Obligation]:
    """Each rank hears from each other one in exactly one turn."""
    yield from turns(m)
    turn, other = (r - q) % p, negate(q == r)
    yield Obligation("some turn", RANKS, implies(other, every(turn >= 1, turn < p, m.src(r, turn, p) == q)))
    yield Obligation("no other turn", TURN, implies(m.src(r, i, p) == q, i == turn))


def apart(m: Any) -> Iterator[Obligation]:
    """No two messages of a step have the same two ranks."""
    two = (*TURN, j >= 1, j < p)
    yield Obligation("of two messages", two, implies(m.dst(r, i, p) == m.dst(r, j, p), i == j))
    yield Obligation("from two messages", two, implies(m.src(r, i, p) == m.src(r, j, p), i == j))
    yield Obligation("of two ranks", TURN, implies(m.dst(q, i, p) == m.dst(r, i, p), q == r))


def same_codes(m: Any) -> Iterator[Obligation]:
    """Whatever a sum was, and what is read of its codes: ranks ``r`` and ``s`` take the same, and that is read."""
    cell, total, read = (*RANKS, within(c)), Sym.var("a"), Sym.var("b")
    yield Obligation("two ranks", cell, m.taken(r, c, total, read) == m.taken(s, c, total, read))
    yield Obligation("what is read", cell, m.taken(r, c, total, read) == read)


def of_chunks(m: Any) -> Stated:
    """Of a page that cuts its vectors with ``bound``."""
    says = "The chunks cut [0, n) without gap or overlap, and all steps cut them alike."
    return Stated("partition", says, obligations.partition(m.bound), SHORT)


def of_waiting(m: Any) -> Stated:
    """Of any order of sends."""
    says = "Posting all of a step and then waiting never deadlocks, with synchronous sends."
    return Stated("deadlock", says, turns(m), ASTRAY)


def of_ports(m: Any, fault: str = SAME) -> Stated:
    """On a crossbar."""
    says = (
        "In a step a rank sends one message to each other rank, and hears one from each: on a crossbar p - 1 messages "
        "share the port of each sender and of each receiver, one for each pair of ranks."
    )
    return Stated("contention", says, (*apart(m), *rotation(m)), fault)
