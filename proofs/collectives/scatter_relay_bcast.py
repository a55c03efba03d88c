"""What the theorems of the broadcast in which ranks pass on chunks need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, implies
from sparring.spec.collectives import scatter_relay_bcast as formulas
from sparring.spec.collectives.scatter_relay_bcast import dst, ends, gap, has, rest, scatter
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State which bits of ``p`` a step is between, and the next one; then what comes to a rank, and from whom."""
    return [*bits(t, p), *following(t, p), *passing_on(r, t, p), *partners(r, t, p), *arriving(r, t, p)]


def passes(t: Int, p: Int) -> Bool:
    _, upper, done = gap(t, p)
    return both(negate(scatter(t, p)), upper < done)


def exchanges(t: Int, p: Int) -> Bool:
    _, upper, done = gap(t, p)
    return both(negate(scatter(t, p)), done <= upper)


def lower_bit(t: Int, p: Int) -> Int:
    """Return the highest bit of ``p`` below those of ``high``; the lowest of all where there is none."""
    low = p - gap(t, p)[0]
    return where(low > 0, low.bit_length() - 1, ends(p))


def bits(t: Int, p: Int) -> Sequence[Bool]:
    """State that ``p`` has the upper bit, and none between this and the lower one; and where blocks begin there."""
    high, upper, done = gap(t, p)
    after, low, lower = negate(scatter(t, p)), p - high, lower_bit(t, p)
    early = both(after, done < upper)
    return [
        implies(after, (p >> ends(p)) << ends(p) == p),
        implies(after, both(high > 0, high <= p)),
        implies(after, ends(p) <= upper),
        implies(after, (high >> upper) << upper == high),
        implies(after, (p >> upper) << upper == high),
        implies(after, both(done >= 0, 1 << upper <= high)),
        implies(after, lower <= upper),
        implies(both(after, low > 0), every(low < 1 << upper, lower < upper, lower < done, low < 1 << done)),
        implies(after, high >> upper == p >> upper),
        implies(after, (high - 1) >> (upper + 1) == high >> (upper + 1)),
        implies(after, (high >> upper) % 2 == 1),
        implies(after, (p >> (upper + 1)) << (upper + 1) == high - (1 << upper)),
        implies(early, (high >> (done + 1)) << (done + 1) == high),
        implies(early, (high >> done) << done == high),
        implies(early, p >> done == high >> done),
        implies(early, (p >> done) % 2 == 0),
    ]


def following(t: Int, p: Int) -> Sequence[Bool]:
    """State that the next step is between the same bits, one further; or between the upper one and the next."""
    (high, upper, done), (other, next_upper, next_done) = gap(t, p), gap(t + 1, p)
    after, bit, next_bit = negate(scatter(t, p)), formulas.bit(t, p), formulas.bit(t + 1, p)
    same, moves = both(after, other == high), both(after, negate(other == high))
    passing, exchanging = passes(t, p), exchanges(t, p)
    return [
        implies(same, both(next_upper == upper, next_done == done + 1)),
        implies(moves, upper == (t - formulas.rounds(p) + ends(p) + 1) >> 1),
        implies(moves, (p >> (upper + 1)) << (upper + 1) == other),
        implies(moves, both(next_done == upper + 1, upper + 1 <= next_upper)),
        implies(both(moves, passing), bit == lower_bit(t, p)),
        implies(both(moves, exchanging), both(p == high, done == upper)),
        implies(both(same, passing), next_bit == bit - 1),
        implies(every(same, exchanging, done == upper), next_bit == upper - 1),
        implies(passing, both(bit >= 0, bit < upper)),
    ]


def passing_on(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State of who passes on chunks, and who gets them, in which block they are, and where in its parts."""
    high, upper, _ = gap(t, p)
    passing, bit = passes(t, p), formulas.bit(t, p)
    other, low = r ^ (1 << bit), rest(r, bit)
    inside, far = high - (1 << upper) <= r, (c ^ r).bit_length()
    return [
        dst(dst(r, t, p), t, p) == r,
        implies(both(passing, inside), r >> (upper + 1) == p >> (upper + 1)),
        implies(both(passing, other < r), both(rest(other, bit + 1) == low, rest(r, bit + 1) == low + (1 << bit))),
        implies(both(passing, high <= c), c >> (upper + 1) == p >> (upper + 1)),
        implies(every(passing, inside, high <= c), far <= upper + 1),
    ]


def partners(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State who has no partner in a round, of those for whom there is something in the other half of their block."""
    high, upper, done = gap(t, p)
    found, far = r ^ (1 << formulas.bit(t, p)), (c ^ r).bit_length()
    split = both(exchanges(t, p), far == done + 1)
    alone = both(split, p <= found)
    return [
        implies(split, c >> done == found >> done),
        implies(alone, both(p >> done == c >> done, r >> done == (c >> done) - 1)),
        implies(alone, done == upper),
        implies(alone, both(r < high, high <= c)),
        implies(alone, (r >> upper) << upper == high - (1 << upper)),
        implies(alone, p - high <= rest(r, upper)),
    ]


def received(r: Int, t: Int, p: Int) -> tuple[Bool, Bool, Bool]:
    """Return whether ``c`` comes to a rank along the tree, in a round, and where it is passed on."""
    (high, upper, _), bit = gap(t, p), formulas.bit(t, p)
    other = r ^ (1 << bit)
    knows = both(formulas.lacks(r, t, p), rest(other, bit + 1) < p - high)
    return (
        every(formulas.zeros(other, bit + 1), other < r, r <= c, c < r + (1 << bit)),
        both(other < p, other >> bit == c >> bit),
        every(other < r, high <= other + (1 << upper), r < high, high <= c, knows),
    )


def arriving(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that a rank has a chunk after a step if it had it, or it comes; and that who sends it has it."""
    (high, upper, done), stays = gap(t, p), gap(t, p)[0] == gap(t + 1, p)[0]
    before, after, far = has(r, c, t, p), has(r, c, t + 1, p), (c ^ r).bit_length()
    along, exchanging, passing = scatter(t, p), exchanges(t, p), passes(t, p)
    new, bit, (down, round_, passed) = both(after, negate(before)), formulas.bit(t, p), received(r, t, p)
    other, coming = r ^ (1 << bit), where(along, down, where(passing, passed, round_))
    sender, (first, count) = dst(r, t, p), formulas.block(dst(r, t, p), t, p)
    comes = every(formulas.active(sender, t, p), first <= c, c < first + count)
    return [
        implies(along, iff(after, either(before, down))),
        implies(coming, has(other, c, t, p)),
        implies(both(negate(along), before), after),
        implies(both(exchanging, round_), after),
        implies(every(passing, passed, stays), after),
        implies(both(passing, passed), after),
        implies(both(exchanging, new), both(far == done + 1, other < p)),
        implies(both(exchanging, new), round_),
        implies(both(passing, new), every(high - (1 << upper) <= r, r < high, high <= c, formulas.lacks(r, t, p))),
        implies(both(passing, new), both(rest(r, bit) < p - high, other < r)),
        implies(both(passing, new), passed),
        iff(comes, coming),
    ]
