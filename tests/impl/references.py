"""Sums and selections once more, with numpy, dictionaries and sorting alone; and vectors to try them on."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any

import numpy as np
import pytest

from sparring import Sparse
from tests.impl.algorithms import ALLGATHERS, SPARSE

DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e-40, -1e-40, 1.0, -1.0, 3e38, -3e38])
EDGES = [
    pytest.param([Sparse([1], [2.0], 3)], id="one rank"),
    pytest.param([Sparse([1], [2.0], 3)] * 3, id="ranks no power of two"),
    pytest.param([Sparse([], [], 5)] * 4, id="k = 0"),
    pytest.param([Sparse([], [], 0)] * 3, id="n = 0"),
    pytest.param([Sparse([0], [1.0], 2)] * 5, id="n < p"),
    pytest.param([Sparse([0, 6], [1.0, 2.0], 7)] * 3, id="n no multiple of p"),
    pytest.param([Sparse([2], [0.0], 4), Sparse([2], [-0.0], 4)], id="explicit zeros"),
    pytest.param([Sparse([2], [1.5], 4), Sparse([2], [-1.5], 4)], id="cancellation"),
    pytest.param([Sparse([0, 1, 2], [1.0, 2.0, 3.0], 4), Sparse([], np.zeros(0), 4)], id="unequal supports"),
    pytest.param([Sparse(range(99), np.ones(99), 100)] * 3, id="dense is the cheapest"),
    pytest.param([Sparse([r << 40], [1.0], 1 << 50) for r in range(3)], id="indices of 8 bytes"),
]
"""What published codes leave open or fail on: vectors, one a rank."""


def sparse_vectors(p: int, n: int, dtype: str, density: float, seed: int = 0) -> list[Sparse]:
    """Independent supports; values that cancel, over- and underflow, and zeros of both signs."""
    rng = np.random.default_rng([seed, p, n])
    xs = []
    for _ in range(p):
        at = np.flatnonzero(rng.random(n) < density)
        if np.dtype(dtype).kind == "i":
            values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, at.size, dtype, endpoint=True)
        else:
            with np.errstate(all="ignore"):
                values = rng.choice([*SPECIAL, *rng.standard_normal(9)], at.size).astype(dtype)
        xs.append(Sparse(at, values, n))
    return xs


def around(xs: Sequence[Any]) -> Any:
    """Block ``c`` from rank ``c`` on around the ring, one addition a rank."""
    p, n = len(xs), xs[0].size
    parts = [slice(c * n // p, (c + 1) * n // p) for c in range(p)]
    return np.concatenate([functools.reduce(np.add, [xs[(c + k) % p][part] for k in range(p)])
                           for c, part in enumerate(parts)])  # fmt: skip


def in_order(xs: Sequence[Any]) -> Any:
    """One after the other, in the order of the ranks."""
    return functools.reduce(np.add, xs)


def in_pairs(xs: Sequence[Any]) -> Any:
    """Ranks beyond a power of two fold in pairs, then neighbouring blocks; IEEE addition is commutative."""
    beyond = len(xs) - 2 ** (len(xs).bit_length() - 1)
    sums = [xs[2 * v] + xs[2 * v + 1] for v in range(beyond)] + list(xs[2 * beyond :])
    while len(sums) > 1:
        sums = [a + b for a, b in zip(sums[::2], sums[1::2])]
    return sums[0]


def in_fours(xs: Sequence[Any], radix: int = 4) -> Any:
    """Rank by rank in ascending order, first what folds into one, then ever larger lots."""
    core, radix = 1, min(radix, len(xs) + 1)
    while core * radix <= len(xs):
        core *= radix
    sums, d = [in_order(xs[v::core]) for v in range(core)], 1
    while d < core:
        sums = [in_order([sums[(v // d // radix * radix + i) * d + v % d] for i in range(radix)]) for v in range(core)]
        d *= radix
    return sums[0]


ORDERS: Mapping[str, Callable[..., Any]] = {
    "ring": around, "two_shot": in_order, "recursive_doubling": in_pairs, "rabenseifner": in_pairs,
    "recursive_multiplying": in_fours,
}  # fmt: skip


def summed(name: str, xs: Sequence[Any], **params: Any) -> Any:
    """The sum of dense vectors in the order of that algorithm; of sparse ones as dictionaries, entry by entry."""
    with np.errstate(all="ignore"):
        if name in ORDERS:
            return ORDERS[name](xs, **params) + xs[0].dtype.type(0)
        if name in SPARSE:
            dense = [np.full(x.n, -0.0).astype(x.dtype) for x in xs]
            for whole, x in zip(dense, xs):
                whole[x.indices] = x.values
            return ORDERS[SPARSE[name]](dense) + xs[0].dtype.type(0)
        assert name in ALLGATHERS
        sums: dict[int, Any] = {}
        for x in xs:
            for i, v in zip(x.indices.tolist(), x.values):
                sums[i] = sums[i] + v if i in sums else v
        values = [sums[i] + xs[0].dtype.type(0) for i in sorted(sums)]
    return Sparse(sorted(sums), np.array(values, xs[0].dtype), xs[0].n)


Selected = Iterator[tuple[list[int], Any, Any]]
"""After each call the indices and values of the result, and all ranks' residuals."""


def ring_topk(xs: Sequence[Any], k: int) -> Selected:
    """With nothing but dense vectors and a stable sort."""
    left, p, n = whole(xs), len(xs), xs[0].shape[1]
    for now in zip(*xs):
        result: dict[int, Any] = {}
        left += np.stack(now)
        for c, places, most in blocks(n, min(k, n), p):
            sent: dict[int, Any] = {}
            for r in [(c + i) % p for i in range(p)]:
                for i, v in sent.items():
                    left[r, i] = v + left[r, i]
                sent = taken(left[r], places, most)
            result |= sent
        yield *ordered(result, left), left.copy()


def gtopk(xs: Sequence[Any], k: int) -> Selected:
    """Pairs of those that are left, as published; a last one goes on."""
    left = whole(xs)
    for now in zip(*xs):
        left += np.stack(now)
        there = [(r, taken(row, range(row.size), k)) for r, row in enumerate(left)]
        while len(there) > 1:
            there = [paired(pair, k, left) for pair in itertools.zip_longest(there[::2], there[1::2])]
        yield *ordered(there[0][1], left), left.copy()


def paired(pair: Any, k: int, left: Any) -> Any:
    """The sum of two, cut, at the first; what is cut is added to that rank's residual."""
    (r, mine), other = pair
    if other is None:
        return r, mine
    come = other[1]
    sums = {i: come[i] + mine[i] if i in come and i in mine else come.get(i, mine.get(i)) for i in {*come, *mine}}
    first = sorted(sums, key=lambda i: place(sums[i], i))[:k]
    for i in {*sums} - {*first}:
        left[r, i] += sums[i]
    return r, {i: sums[i] for i in first}


def spardl(xs: Sequence[Any], k: int) -> Selected:
    """Block by block, each entry's way down to its owner.

    A rank at distance ``D`` from the owner sends to the one at ``D - d``, ``d`` being the highest bit of ``D``.
    """
    own, p, n = whole(xs), len(xs), xs[0].shape[1]
    for now in zip(*xs):
        result: dict[int, Any] = {}
        own = own + np.stack(now)
        rest = own.copy()
        for c, places, most in blocks(n, min(k, n), p):
            for far in range(p - 1, 0, -1):
                r, to = (c - far) % p, (c - far + (1 << (far.bit_length() - 1))) % p
                for i, v in taken(rest[r], places, most).items():
                    rest[to, i] = v + rest[to, i]
            result |= taken(rest[c], places, most)
        at, values = ordered(result, own)
        own[:, at] = rest[:, at]
        yield at, values, own.copy()


def topka2a(xs: Sequence[Any], k: int) -> Selected:
    """Shards are selected from, with heapq, then added from their rank downwards."""
    left, p, n = whole(xs), len(xs), xs[0].shape[1]
    for now in zip(*xs):
        left += np.stack(now)
        sent, result = np.full_like(left, -0.0), np.empty_like(left[0])
        for c, shard, most in blocks(n, min(k, n), p):
            for r in range(p):
                at = nsmallest(most, shard, key=lambda i, r=r: place(left[r, i], i))
                sent[r, at], left[r, at] = left[r, at], 0
            here = slice(shard.start, shard.stop)
            result[here] = functools.reduce(np.add, [sent[(c - d) % p, here] for d in range(p)])
        yield [*range(n)], result + result.dtype.type(0), left.copy()


SELECTIONS: Mapping[str, Callable[..., Selected]] = {
    f.__name__: f for f in (ring_topk, gtopk, spardl, topka2a)
}  # fmt: skip


def whole(xs: Sequence[Any]) -> Any:
    """Zeros for all ranks' residuals."""
    return np.zeros((len(xs), xs[0].shape[1]), xs[0].dtype)


def blocks(n: int, k: int, p: int) -> Iterator[tuple[int, range, int]]:
    """Each block, its places, and how many of its entries are taken."""
    return ((c, range(c * n // p, (c + 1) * n // p), (c + 1) * k // p - c * k // p) for c in range(p))


def taken(x: Any, places: range, most: int) -> dict[int, Any]:
    """The largest entries at these places, which are zero from now on."""
    largest = {i: x[i] for i in sorted(places, key=lambda i: place(x[i], i))[:most]}
    x[[*largest]] = 0
    return largest


def place(v: Any, i: int) -> tuple[Any, ...]:
    """Where an entry comes in the order of selection: NaN first, then the larger, of equal ones the first."""
    return (v == v, 0 if v != v else -abs(int(v)) if v.dtype.kind == "i" else -abs(v), i)  # noqa: PLR0124  # NaN alone is not equal to itself


def ordered(result: Mapping[int, Any], like: Any) -> tuple[list[int], Any]:
    """Indices, ascending, and values."""
    return sorted(result), np.array([result[i] for i in sorted(result)], like.dtype)
