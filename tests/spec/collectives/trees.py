"""Open MPI's trees, worked out rank by rank: the parent of a rank, and who sends to whom along a tree."""

from __future__ import annotations

from collections import Counter


def lowest(r):
    """The parent in Open MPI's in-order binomial tree."""
    return r & (r - 1)


def highest(r):
    """The parent in its binomial tree."""
    return r - (1 << r.bit_length() - 1)


def binary(r):
    """The parent in its tree of fan-out 2: below a rank of a level of ``d`` are those ``d`` and ``2 d`` further."""
    begins, many = 0, 1
    while True:
        for parent in range(begins, begins + many):
            if r in (parent + many, parent + 2 * many):
                return parent
        begins, many = begins + many, 2 * many


def fourfold(r):
    """The parent in its 4-nomial tree."""
    size = 1
    while r % (4 * size) == 0:
        size *= 4
    return r // (4 * size) * (4 * size)


def chained(r, p):
    """The parent on one of four chains: the root, where one begins."""
    long, more = divmod(p - 1, 4)
    lengths = [long + 1] * more + [long] * (4 - more)
    heads = {1 + sum(lengths[:i]) for i in range(4)}
    return 0 if r in heads else r - 1


def pairs(parent, p):
    """Who sends to whom in a broadcast along a tree, once each."""
    return Counter((parent(r), r) for r in range(1, p))


def turned(sends):
    return Counter({(d, r): many for (r, d), many in sends.items()})


def folds(rem):
    """Each of the first pairs exchanges halves; then the odd rank gives its half."""
    return [(a, b) for v in range(rem) for a, b in ((2 * v, 2 * v + 1), (2 * v + 1, 2 * v), (2 * v + 1, 2 * v))]
