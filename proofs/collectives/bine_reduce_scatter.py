"""What the theorems of Bine's reduce-scatter need beyond its formulas: which chunks ranks look after, in rows of ranks.

Numbers of partners are known up to multiples of ``2**(i + 1)`` alone, and so are those of chunks that a rank keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparring.proofs.logic.obligations import Stepwise, c, every, iff, implies, q, within
from sparring.spec.collectives.bine_reduce_scatter import (
    below,
    cares,
    carries,
    dst,
    like,
    live,
    looked,
    other,
    row,
    wrapped,
)
from sparring.spec.collectives.recursive_halving_reduce_scatter import inside
from sparring.spec.collectives.strided_butterfly_reduce_scatter import ending
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.recursive_doubling import idle, log, number, rank, rem
from sparring.spec.swing import behind, done, partner, reach, top

BASIC = 11
"""So many lemmas are about ranks and numbers alone."""


class Round(NamedTuple):
    """A rank in step ``t``, and numbers: its ``v``, its partner's ``u``; ``x`` of chunk ``c``, ``w`` of rank ``q``."""

    r: Int
    t: Int
    p: Int
    i: Int
    m: Int
    v: Int
    u: Int
    x: Int
    w: Int
    inside: Bool
    exchange: Bool


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool | Stepwise]:
    """State what a round does to numbers, to what is looked after, to rows of ranks, and how chunks are counted."""
    i, round_ = done(t, p), inside(t, p)
    exchange = both(round_, negate(idle(r, p)))
    at = Round(r, t, p, i, 1 << i, number(r, p), number(dst(r, t, p), p), number(c, p), number(q, p), round_, exchange)
    return [*numbers(at), kept(at), live_and_sent(at), *rows(at), counted(at), all_counted(at)]


def numbers(at: Round) -> Sequence[Bool]:
    """State that a round takes numbers to numbers and back, and how far."""
    r, t, p, i, m, v = at[:6]
    there, b, far = partner(v, i, p), behind(i), reach(i)
    return [
        within(v, top(p)),
        implies(negate(idle(r, p)), rank(v, p) == r),
        implies(at.inside, both(2 * m <= top(p), within(b, m))),
        implies(at.inside, where(i % 2 == 0, far + 2 * b + 1 == 2 * m, far == 2 * b + 1)),
        implies(at.inside, behind(i + 1) == where(i % 2 == 0, b, b + m)),
        implies(at.inside, top(p) == 2 * (1 << (log(p) - 1))),
        implies(at.inside, every(within(there, top(p)), negate(there == v), partner(there, i, p) == v)),
        implies(at.exchange, every(at.u == there, negate(idle(dst(r, t, p), p)), within(dst(r, t, p)))),
        implies(at.exchange, dst(dst(r, t, p), t, p) == r),
        implies(at.inside, done(t + 1, p) == i + 1),
        implies(at.exchange, both(1 << (i + 1) == 2 * m, 1 << (i + 1 + 1) == 4 * m)),
    ]


def kept(at: Round) -> Stepwise:
    """State that two partners look after the same chunks, and in the next round each after one half of them."""
    _, _, p, i, m, v, u, x, *_ = at
    far, end, block, last = reach(i), ending(v, i + 1 + 1), v >> (i + 1), log(p) == i + 1
    goes_on = both(at.exchange, i + 1 < log(p))
    there = wrapped(where((v + i) % 2 == 0, end + far, end - far), 4 * m)
    split = iff(cares(v, x, i, p), either(cares(v, x, i + 1, p), cares(u, x, i + 1, p)))
    once = negate(both(cares(v, x, i + 1, p), cares(u, x, i + 1, p)))
    same = iff(cares(u, x, i, p), cares(v, x, i, p))

    def halves(y: Int) -> Bool:
        """Return that a number lies in one half of a block twice as long."""
        short, long = ending(y, i + 1), ending(y, i + 1 + 1)
        return every(within(short, 2 * m), either(long == short, long == short + 2 * m))

    def opposite(y: Int) -> Int:
        """Return the number at the same place of the other half."""
        return where(y < 2 * m, y + 2 * m, y - 2 * m)

    steps = [
        implies(at.exchange, halves(v)),
        implies(at.inside, (((top(p) - 1) >> (i + 1)) << (i + 1)) + 2 * m == top(p)),
        implies(at.exchange, ((block + 1) << (i + 1)) == (block << (i + 1)) + 2 * m),
        implies(both(at.exchange, block > 0), ((block - 1) << (i + 1)) + 2 * m == (block << (i + 1))),
        implies(both(at.exchange, (v + i) % 2 == 0), ending(u, i + 1) == other(v, i)),
        implies(at.exchange, ending(u, i + 1) == other(v, i)),
        implies(goes_on, 4 * m <= top(p)),
        implies(goes_on, ending(u, i + 1 + 1) == there),
        implies(goes_on, far + reach(i + 1) == 2 * m),
        implies(goes_on, other(u, i + 1) == opposite(end)),
        implies(goes_on, other(v, i + 1) == opposite(ending(u, i + 1 + 1))),
        implies(both(at.exchange, last), every(ending(v, i + 1) == v, other(v, i) == u)),
        implies(at.exchange, other(u, i) == ending(v, i + 1)),
        implies(at.exchange, both(within(x, top(p)), halves(x))),
        implies(both(at.exchange, last), ending(x, i + 1) == x),
        *(implies(at.exchange, one) for one in (split, once, same)),
    ]
    return Stepwise(implies(at.exchange, every(split, once, same)), steps, BASIC)


def live_and_sent(at: Round) -> Stepwise:
    """State the same of the page's own words: what is live, and what a message carries."""
    r, t, p, i, _, v, u, x, *_ = at
    there, i_next = dst(r, t, p), done(t + 1, p)
    z = number(dst(there, t, p), p)
    stays, goes, comes = live(r, c, t + 1, p), carries(r, c, t, p), carries(there, c, t, p)
    steps = [
        both(ending(v, i_next + 1) == ending(v, i + 1 + 1), ending(x, i_next + 1) == ending(x, i + 1 + 1)),
        other(v, i_next) == other(v, i + 1),
        iff(stays, cares(v, x, i + 1, p)),
        z == v,
        both(ending(z, i + 1 + 1) == ending(v, i + 1 + 1), other(z, i + 1) == other(v, i + 1)),
        iff(comes, cares(v, x, i + 1, p)),
        iff(goes, cares(u, x, i + 1, p)),
        iff(live(there, c, t, p), cares(u, x, i, p)),
        iff(live(r, c, t, p), cares(v, x, i, p)),
    ]
    claims = [
        iff(live(r, c, t, p), either(stays, goes)),
        iff(live(there, c, t, p), live(r, c, t, p)),
        iff(comes, stays),
        negate(both(stays, goes)),
    ]
    return Stepwise(implies(at.exchange, every(*claims)), [implies(at.exchange, one) for one in steps], BASIC + 1)


def rows(at: Round) -> Sequence[Stepwise]:
    """State that two partners' rows of ranks are two halves of the next, and so have none in common."""
    _, _, p, i, _, v, u, _, w, *_ = at
    known, grows = (
        implies(at.exchange, within(w, top(p))),
        iff(row(v, w, i + 1, p), either(row(v, w, i, p), row(u, w, i, p))),
    )
    upwards = implies(both(at.exchange, v % 2 == 0), grows)
    return [
        Stepwise(implies(at.exchange, grows), [known, upwards], BASIC),
        Stepwise(implies(at.exchange, negate(both(row(v, w, i, p), row(u, w, i, p)))), [known], BASIC),
        Stepwise(implies(at.exchange, both(row(u, u, i, p), negate(row(v, u, i, p)))), [], BASIC),
    ]


def counted(at: Round) -> Stepwise:
    """State that one more is counted after each chunk that is sent; ``k``: bits in which numbers end alike."""
    r, t, p, i, m, _, u, x, *_ = at
    k, block = i + 1 + 1, x >> (i + 1 + 1)
    more, ends = both(at.inside, i + 1 < log(p)), (ending(u, i + 1 + 1), other(u, i + 1))
    sent = where(cares(u, x, i + 1, p), 1, 0)
    small, last = c < 2 * rem(p), c + 1 == 2 * rem(p)
    equal = [
        (small, c >> 1, x),
        (both(small, negate(last)), (c + 1 + 1) >> 1, x + 1),
        (last, (c + 1) >> 1, rem(p)),
        (last, c + 1 - rem(p), x + 1),
        (negate(small), c - rem(p), x),
        (negate(small), c + 1 - rem(p), x + 1),
    ]
    steps = [
        implies(at.inside, within(u, top(p))),
        implies(more, 1 << k == 4 * m),
        implies(more, every(*(within(end, 4 * m) for end in ends))),
        implies(more, negate(ends[0] == ends[1])),
        implies(more, ((block + 1) << k) == (block << k) + 4 * m),
        *(implies(more, like(x + 1, end, k) == like(x, end, k) + where(ending(x, k) == end, 1, 0)) for end in ends),
        implies(at.inside, looked(u, x + 1, i + 1, p) == looked(u, x, i + 1, p) + sent),
        *(implies(both(at.inside, when), y == z) for when, y, z in equal),
        *(implies(both(more, when), like(y, end, k) == like(z, end, k)) for when, y, z in equal for end in ends),
        *(implies(both(at.inside, when), looked(u, y, i + 1, p) == looked(u, z, i + 1, p)) for when, y, z in equal),
    ]
    return Stepwise(implies(at.inside, below(r, c + 1, t, p) == below(r, c, t, p) + sent), steps, BASIC)


def all_counted(at: Round) -> Stepwise:
    """State that one in ``2**k`` numbers is counted."""
    _, _, p, i, m, _, u, *_ = at
    k = i + 1 + 1
    more, ends = both(at.inside, i + 1 < log(p)), (ending(u, k), other(u, i + 1))
    half = 1 << where(more, log(p) - k, 0)
    steps = [
        implies(at.inside, within(u, top(p))),
        implies(more, every(1 << k == 4 * m, half << k == top(p))),
        implies(more, every(*(within(end, 4 * m) for end in ends))),
    ]
    claim = implies(more, every(*(like(top(p), end, k) == half for end in ends)))
    return Stepwise(claim, steps, BASIC)
