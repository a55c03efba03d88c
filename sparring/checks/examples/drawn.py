"""Inputs to judge an implementation on, drawn and shrunk by hypothesis: p, n and values together.

Values are small integers, all kinds of them in one vector, so that a chunk that ends in the wrong
place is seen; as floats they are tenths, so that the order of addition is seen.  Of sparse vectors
the supports are drawn too: any, all alike, disjoint, full, empty, or with entries on one rank alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparring.checks.properties import BAD
from sparring.checks.ranks import vectors
from sparring.checks.ranks.vectors import Vector
from sparring.refinement.comparison import sizes
from sparring.sparse import Sparse

DTYPES = ("int64", "int32", "float64", "float32")
"""From the simplest to look at on: the first that fails is kept."""
WIDTHS = ("int64", "int32")
"""What indices may be."""


class Example(NamedTuple):
    """One vector a rank, and the property that a wrong sum of it falsifies.

    A stateful target gets several vectors: the rows of an array.  ``params``: what it is given besides;
    ``scene``: what ranks do with the rows, see :mod:`sparring.checks.ranks.scenes`.
    """

    xs: list[Vector]
    prop: str
    params: Mapping[str, Any] = {}
    scene: str = ""

    @property
    def p(self) -> int:
        return len(self.xs)

    @property
    def n(self) -> int:
        return int(self.calls[0][0].size)

    @property
    def calls(self) -> list[list[Vector]]:
        """The vectors by call, then by rank."""
        rows = [[x] if isinstance(x, Sparse) or x.ndim == 1 else list(x) for x in self.xs]
        return [list(call) for call in zip(*rows)]

    @property
    def iterated(self) -> bool:
        """Whether the vectors are rows, one a call."""
        return not isinstance(self.xs[0], Sparse) and self.xs[0].ndim > 1

    @property
    def place(self) -> str:
        """Which example it is, in words."""
        x = self.xs[0]
        params = "".join(f" {name}={value}" for name, value in self.params.items())
        width = ", indices of int32" if isinstance(x, Sparse) and x.indices.dtype == np.int32 else ""
        calls = f", {len(self.calls)} calls" if len(self.calls) > 1 and not self.scene else ""
        return f"p={self.p} n={self.n}{params}" + ("" if x.dtype == np.int64 else f" {x.dtype}") + width + calls

    @property
    def size(self) -> tuple[float, ...]:
        """By what one example is smaller than another."""
        parts = (sum(part) for part in zip(*map(vectors.size, self.xs)))
        dtype = DTYPES.index(str(self.xs[0].dtype))
        return self.p, self.n, len(self.calls), dtype, *parts, *self.params.values()

    def first(self, calls: int) -> Example:
        """So many calls of it, if there are more."""
        return self if calls >= len(self.calls) else self._replace(xs=list(self.rows[:, :calls]))

    @property
    def rows(self) -> NDArray[Any]:
        """The vectors of a stateful target by rank, call and index."""
        xs: list[Any] = self.xs
        return np.stack(xs)


KINDS = ("result", "edge sizes", "dtypes", BAD)

Mask = NDArray[np.bool_]
SUPPORTS: Mapping[str, Callable[[Mask], Mask]] = {
    "any": lambda drawn: drawn,
    "alike": lambda drawn: np.broadcast_to(drawn[:1], drawn.shape),
    "disjoint": lambda drawn: drawn & (np.arange(drawn.shape[1]) % len(drawn) == np.arange(len(drawn))[:, None]),
    "full": np.ones_like,
    "empty": np.zeros_like,
    "alone": lambda drawn: drawn & (np.arange(len(drawn)) == len(drawn) - 1)[:, None],
}
"""Which entries are present, by rank and index, made of what was drawn."""
VALUES = (0, 1, -1, 2, 3, -3, 6, 7, 8, 9)
"""Of sparse vectors: explicit zeros, sums that cancel, and tenths whose sum depends on their order are frequent."""
EDGES = ("full", "empty", "alone")


def examples(ranks: Sequence[int], kind: str, *, sparse: bool = False) -> st.SearchStrategy[Example]:
    """Examples of one kind: n >= p, or at the edge, or over all dtypes; of arrays, or of sparse vectors."""
    if kind == BAD:
        usual = examples([p for p in ranks if p > 1], "result", sparse=sparse)
        return st.builds(unfit, usual, st.sampled_from(("length", "dtype", "ranks")), st.integers(1, max(ranks) - 1))
    return sparse_examples(ranks, kind) if sparse else dense_examples(ranks, kind)


def unfit(example: Example, what: str, rank: int) -> Example:
    """The example, but one rank, never the first, has another length or dtype; or there are two groups of ranks."""
    if what == "ranks":
        sparse = isinstance(example.xs[0], Sparse)
        rows: list[Vector] = [np.atleast_2d(x.dense() if isinstance(x, Sparse) else x) for x in example.xs]
        return example._replace(xs=rows, prop=BAD, scene="sparse between" if sparse else "between")
    r = min(rank, example.p - 1)
    x = lengthened(example.xs[r]) if what == "length" else retyped(example.xs[r])
    return example._replace(xs=[*example.xs[:r], x, *example.xs[r + 1 :]], prop=BAD)


def lengthened(x: Any) -> Vector:
    """With one index more."""
    return Sparse(x.indices, x.values, x.n + 1) if isinstance(x, Sparse) else np.append(x, x[:1])


def retyped(x: Any) -> Vector:
    """With values of another dtype and as many bytes."""
    other = {"int64": "float64", "float64": "int64", "int32": "float32", "float32": "int32"}[str(x.dtype)]
    return Sparse(x.indices, x.values.astype(other), x.n) if isinstance(x, Sparse) else x.astype(other)


@st.composite
def dense_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Examples of arrays."""
    p = draw(st.sampled_from(sorted(ranks)))
    edges = [n for n in sizes(p) if n < p or p == 1]
    n = draw(st.sampled_from(edges) if kind == "edge sizes" else st.integers(p, 2 * p + 3))
    dtype = draw(dtypes(kind, "int64", "float64"))
    values = draw(st.lists(st.integers(-99, 99), min_size=p * n, max_size=p * n))
    return Example(list(scaled(np.array(values, np.int64).reshape(p, n), dtype)), kind)


@st.composite
def sparse_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Examples of sparse vectors, at the edge also full and empty ones.  Some values are zeros, some sums cancel.

    Drawn index by index, and for the largest number of ranks: so a smaller p or n takes nothing else along.
    """
    p, edge = draw(st.sampled_from(sorted(ranks))), kind == "edge sizes"
    low, high = [draw(st.sampled_from(sizes(p)))] * 2 if edge else (p, 2 * p + 3)
    shape = draw(st.sampled_from(EDGES if edge and low >= p > 1 else list(SUPPORTS)[: len(SUPPORTS) if edge else -3]))
    dtype = draw(dtypes(kind, "int64", "float64", "float64"))
    width = draw(st.sampled_from(WIDTHS if kind == "dtypes" else WIDTHS[:1]))
    cell = st.sampled_from((*[None] * (len(VALUES) // 2), *VALUES))
    drawn = draw(st.lists(st.tuples(*[cell] * max(ranks)), min_size=low, max_size=high))
    cells = [[column[r] for column in drawn] for r in range(p)]
    present = np.array([[v is not None for v in row] for row in cells], np.bool_).reshape(p, len(drawn))
    table = scaled(np.array([[v or 0 for v in row] for row in cells], np.int64).reshape(present.shape), dtype)
    supports = SUPPORTS[shape](present)
    return Example([Sparse(np.flatnonzero(s).astype(width), x[s], s.size) for s, x in zip(supports, table)], kind)


def dtypes(kind: str, *usual: str) -> st.SearchStrategy[str]:
    """What the values are, where the kind does not say."""
    return st.sampled_from({"edge sizes": DTYPES[:1], "dtypes": DTYPES}.get(kind, usual))


def scaled(table: NDArray[np.int64], dtype: str) -> NDArray[np.number]:
    """The drawn integers; as floats they are tenths."""
    return (table / 10 if dtype.startswith("float") else table).astype(dtype)


def cut(example: Example, at: Any) -> Example:
    """Some of the entries: those at these indices."""
    return example._replace(xs=[
        chosen(x, np.arange(x.n)[at]) if isinstance(x, Sparse) else np.ascontiguousarray(x[..., at]) for x in example.xs
    ])  # fmt: skip


def chosen(x: Sparse, indices: NDArray[Any]) -> Sparse:
    """The sparse vector at these indices alone."""
    stays = np.isin(x.indices, indices)
    at = np.searchsorted(indices, x.indices[stays]).astype(x.indices.dtype)
    return Sparse(at, x.values[stays], indices.size)


def cast(example: Example, dtypes: Sequence[str]) -> Example:
    """The example in the first of ``dtypes``, unless its own is among them."""
    if str(example.xs[0].dtype) in dtypes:
        return example
    xs: list[Vector] = [
        Sparse(x.indices, recast(x.values, dtypes[0]), x.n) if isinstance(x, Sparse) else recast(x, dtypes[0])
        for x in example.xs
    ]
    return example._replace(xs=xs)


def recast(x: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The same in another dtype; between integers and floats, as they are drawn: in whole numbers, and in tenths."""
    if (x.dtype.kind == "f") == dtype.startswith("float"):
        return x.astype(dtype)
    with np.errstate(all="ignore"):  # what is infinite becomes some number
        return scaled(np.rint(x * 10).astype(np.int64) if x.dtype.kind == "f" else x, dtype)


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Smaller examples of the same kind; none of vectors that do not fit together."""
    if example.prop != BAD:
        yield from sparser(example, ranks) if isinstance(example.xs[0], Sparse) else lighter(example, ranks)


def lighter(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Examples of arrays with fewer ranks, fewer entries or smaller values: first of all at once, then of ever fewer.

    What is most likely to fail stands first, since each may take a launch; fewer of both ranks and entries last.
    """
    table, kind = example.rows, example.prop
    p, n = table.shape
    shapes = [(q, m) for q in sorted({*ranks, p}) for m in range(n + 1) if q <= p and fits(kind, q, m)]
    tables = [np.zeros_like(table), np.ones_like(table), np.sign(table)]
    tables += [halved(table)] if np.abs(table).max(initial=0) > 1 else []
    tables += [changed(table, some, 0) for some in pieces(np.flatnonzero(table))]
    tables += [changed(table, i, v) for i in np.flatnonzero(table) for v in nearer(table.flat[i])]
    tables += [changed(np.zeros_like(table), i, 1) for i in range(table.size)]
    near = [table[:q, :m] for q, m in shapes if q == p or m == n]
    less = [np.delete(table, i, axis) for axis in (0, 1) for i in range(table.shape[axis])]
    far = [one for one in less if len(one) in ranks and fits(kind, *one.shape)]
    far += [table[:q, :m] for q, m in shapes if q < p and m < n]
    made = (example._replace(xs=[*map(np.ascontiguousarray, one + 0)]) for one in (*near, *tables, *far))
    yield from (one for one in made if one.size < example.size)


def fits(kind: str, p: int, n: int) -> bool:
    """Whether there are examples of that size of a kind."""
    return n < p or p == 1 if kind == "edge sizes" else n >= p


def pieces(places: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """All halves, all quarters, and so on to single ones."""
    size = len(places)
    while size > 1:
        size = (size + 1) // 2
        yield from (places[at : at + size] for at in range(0, len(places), size))


def nearer(value: Any) -> Iterator[Any]:
    """1, and values between it and this one, as it is in whole numbers or in tenths."""
    if abs(value) <= 1:
        return
    unit = 10 if isinstance(value, np.floating) else 1
    whole = round(float(value) * unit)
    yield from (type(value)(v / unit) for v in (unit, *(whole - int(whole / 2**i) for i in range(1, 7))))


def halved(x: Any) -> Any:
    """Towards 0, in whole numbers; of floats in tenths."""
    return (np.trunc(x * 5) / 10 if x.dtype.kind == "f" else x // 2 + (x % 2) * (x < 0)).astype(x.dtype)


def changed(table: NDArray[Any], places: Any, value: Any) -> NDArray[Any]:
    """The same table but for these places."""
    other = table.copy()
    other.flat[places] = value
    return other


def sparser(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Examples of sparse vectors with fewer ranks, an index or an entry less, or with smaller values."""
    p, n, kind = example.p, example.n, example.prop
    xs: list[Any] = example.xs
    less = [xs[:q] for q in sorted(ranks) if q < p and fits(kind, q, n)]
    if p - 1 in ranks and fits(kind, p - 1, n):
        less += [[*xs[:r], *xs[r + 1 :]] for r in range(p)]
    if n and fits(kind, p, n - 1):
        less += [[without(x, i, 1) for x in xs] for i in range(n)]
    less += [[Sparse(x.indices, np.sign(x.values), x.n) for x in xs]]
    for r, x in enumerate(xs):
        less += [[*xs[:r], without(x, i, 0), *xs[r + 1 :]] for i in set(x.indices.tolist())]
        values = [changed(x.values, i, 1) for i in np.flatnonzero(np.abs(x.values) > 1)]
        less += [[*xs[:r], Sparse(x.indices, other, x.n), *xs[r + 1 :]] for other in values]
    made = (example._replace(xs=one) for one in less)
    yield from (one for one in made if one.size < example.size)


def without(x: Any, i: int, less: int) -> Sparse:
    """The vector without an entry at that index, and with so many indices less."""
    at = x.indices[x.indices != i]
    return Sparse((at - less * (at > i)).astype(at.dtype), x.values[x.indices != i], x.n - less)
