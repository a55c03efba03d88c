"""Inputs to judge an implementation on: p, n and values together, spread over what there is; hypothesis shrinks them.

Values are small integers, all kinds of them in one vector, so that a chunk that ends in the wrong
place is seen; as floats they are tenths, so that the order of addition is seen.  It is drawn too where
entries are: any, all alike, disjoint, on one rank alone, on all but one, each rank's in a chunk of its own,
full or empty.  Elsewhere a sparse vector has none, and an array zeros, since much code takes a short cut there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparring.checks.properties import BAD
from sparring.refinement.comparison import sizes
from sparring.refinement.example import DTYPES, Example
from sparring.refinement.vectors import Vector
from sparring.sparse import Sparse

WIDTHS = ("int64", "int32")
"""The dtypes of indices."""


KINDS = ("result", "edge sizes", "dtypes", BAD)

Mask = NDArray[np.bool_]
SUPPORTS: Mapping[str, Callable[[Mask], Mask]] = {
    "any": lambda drawn: drawn,
    "alike": lambda drawn: np.broadcast_to(drawn[:1], drawn.shape),
    "disjoint": lambda drawn: drawn & (np.arange(drawn.shape[1]) % len(drawn) == np.arange(len(drawn))[:, None]),
    "alone": lambda drawn: drawn & own(drawn),
    "silent": lambda drawn: drawn & ~own(drawn),
    "blocks": lambda drawn: (
        drawn & (np.arange(drawn.shape[1]) * len(drawn) // max(1, drawn.shape[1]) == np.arange(len(drawn))[:, None])
    ),
    "full": np.ones_like,
    "empty": np.zeros_like,
}
"""Functions of the drawn mask that say which entries are present, by rank and index."""
VALUES = (0, 1, -1, 2, 3, -3, 6, 7, 8, 9)
"""Values of sparse vectors: explicit zeros, sums that cancel, and tenths whose order matters are frequent."""
CELLS = (*[None] * (len(VALUES) // 2), *VALUES)
"""The same, and that there is no entry."""
TRIED = 40
"""Forms of examples of which the most unlike those before is taken."""
NONZERO = (*["full"] * 6, "alone", "silent", "blocks", "empty")
"""Where the entries of arrays are no zeros: mostly everywhere."""


def own(drawn: Mask) -> Mask:
    """Return a mask of all entries of one rank, which is another one for another length."""
    mask = np.zeros_like(drawn)
    mask[drawn.shape[1] % len(drawn)] = True
    return mask


def examples(ranks: Sequence[int], kind: str, *, sparse: bool = False) -> st.SearchStrategy[Example]:
    """Return a strategy for one kind: n >= p, or at the edge, or all dtypes; of arrays, or of sparse vectors."""
    if kind == BAD:
        usual = examples([p for p in ranks if p > 1], "result", sparse=sparse)
        return st.builds(unfit, usual, st.sampled_from(("length", "dtype", "ranks")), st.integers(1, max(ranks) - 1))
    return sparse_examples(ranks, kind) if sparse else dense_examples(ranks, kind)


def unfit(example: Example, what: str, rank: int) -> Example:
    """Return the example with another length or dtype on one rank, never the first; or with two groups of ranks."""
    if what == "ranks":
        sparse = isinstance(example.xs[0], Sparse)
        rows: list[Vector] = [np.atleast_2d(x.dense() if isinstance(x, Sparse) else x) for x in example.xs]
        return example._replace(xs=rows, prop=BAD, scene="sparse between" if sparse else "between")
    r = min(rank, example.p - 1)
    x = lengthened(example.xs[r]) if what == "length" else retyped(example.xs[r])
    return example._replace(xs=[*example.xs[:r], x, *example.xs[r + 1 :]], prop=BAD)


def lengthened(x: Any) -> Vector:
    """Return the vector with one index more."""
    return Sparse(x.indices, x.values, x.n + 1) if isinstance(x, Sparse) else np.append(x, x[:1])


def retyped(x: Any) -> Vector:
    """Return the vector with values of another dtype of the same width."""
    other = {"int64": "float64", "float64": "int64", "int32": "float32", "float32": "int32"}[str(x.dtype)]
    return Sparse(x.indices, x.values.astype(other), x.n) if isinstance(x, Sparse) else x.astype(other)


@st.composite
def dense_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Draw an example of arrays."""
    p = draw(st.sampled_from(sorted(ranks)))
    n = draw(st.sampled_from(lengths(p, kind)) if kind == "edge sizes" else st.integers(p, 2 * p + 3))
    dtype = draw(st.sampled_from(dtypes(kind, sparse=False)))
    values = draw(st.lists(st.integers(-99, 99), min_size=p * n, max_size=p * n))
    return dense(Form(p, n, dtype, draw(st.sampled_from(NONZERO))), np.array(values, np.int64).reshape(p, n), kind)


@st.composite
def sparse_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Draw an example of sparse vectors.  Some values are zeros, some sums cancel.

    Entries are drawn index by index, for the largest number of ranks: so a smaller p or n changes nothing else.
    """
    p = draw(st.sampled_from(sorted(ranks)))
    low, high = [draw(st.sampled_from(lengths(p, kind)))] * 2 if kind == "edge sizes" else (p, 2 * p + 3)
    shape = draw(st.sampled_from([*SUPPORTS]))
    dtype = draw(st.sampled_from(dtypes(kind, sparse=True)))
    width = draw(st.sampled_from(widths(kind)))
    drawn = draw(st.lists(st.tuples(*[st.sampled_from(CELLS)] * max(ranks)), min_size=low, max_size=high))
    cells = np.array([[column[r] for column in drawn] for r in range(p)], object).reshape(p, len(drawn))
    return sparse_vectors(Form(p, len(drawn), dtype, shape, width), cells, kind)


class Form(NamedTuple):
    """What an example is like, but for its values: ``shape`` is one of ``SUPPORTS``, ``width`` the indices' dtype."""

    p: int
    n: int
    dtype: str
    shape: str
    width: str = WIDTHS[0]


def lengths(p: int, kind: str) -> Sequence[int]:
    """Return the lengths of a kind of examples on ``p`` ranks."""
    return [n for n in sizes(p) if fits(kind, p, n)] if kind == "edge sizes" else range(p, 2 * p + 4)


def dtypes(kind: str, *, sparse: bool) -> Sequence[str]:
    """Return the dtypes of a kind of examples."""
    few = ("int64", "float64", "float64") if sparse else ("int64", "float64")
    return few if kind == "result" else DTYPES


def widths(kind: str) -> Sequence[str]:
    """Return the dtypes of indices of a kind of examples."""
    return WIDTHS[:1] if kind == "result" else WIDTHS


def dense(form: Form, values: NDArray[Any], kind: str) -> Example:
    """Make an example of arrays with these values."""
    nonzero = SUPPORTS[form.shape](np.ones(values.shape, np.bool_))
    return Example(list(scaled(np.where(nonzero, values, 0), form.dtype)), kind)


def sparse_vectors(form: Form, cells: NDArray[Any], kind: str) -> Example:
    """Make an example of sparse vectors with these values, where None is no entry."""
    present = cells != np.array(None)
    table = scaled(np.where(present, cells, 0).astype(np.int64), form.dtype)
    supports = SUPPORTS[form.shape](present)
    return Example([Sparse(np.flatnonzero(s).astype(form.width), x[s], s.size) for s, x in zip(supports, table)], kind)


def spread(rng: np.random.Generator, ranks: Sequence[int], kind: str, number: int, *, sparse: bool) -> list[Example]:
    """Return examples that differ as much as so few can: any two of p, n, dtype and shape meet as often as others."""
    forms = [
        (p, n, *rest)
        for p in sorted(ranks)
        for n in lengths(p, kind)
        for rest in product(
            enumerate(dtypes(kind, sparse=sparse)),
            enumerate(SUPPORTS if sparse else NONZERO),
            widths(kind) if sparse else WIDTHS[:1],
        )
    ]
    met: Counter[Any] = Counter({(1, 0): number // 4})  # where there are no entries, the rest hardly matters
    found = []
    for _ in range(number):
        some = [forms[i] for i in rng.integers(len(forms), size=TRIED)]
        best = min(some, key=lambda form: sum(met[pair] for pair in pairs(form)))
        met.update(pairs(best))
        p, n, (_, dtype), (_, shape), width = best
        form = Form(p, n, dtype, shape, width)
        if sparse:
            found.append(sparse_vectors(form, opposed(rng, rng.choice(np.array(CELLS, object), (p, n))), kind))
        else:
            found.append(dense(form, rng.integers(-99, 99, (p, n), endpoint=True), kind))
    return found


def opposed(rng: np.random.Generator, cells: NDArray[Any]) -> NDArray[Any]:
    """Return the cells, where one in eight takes back what the rank before has there, so that sums cancel."""
    before = np.roll(cells, 1, axis=0)
    taken = (rng.random(cells.shape) < 1 / 8) & (before != np.array(None))
    return np.where(taken, -np.where(taken, before, 0), cells)


def pairs(form: tuple[Any, ...]) -> list[Any]:
    """Return what the form has, each with its place, and every two of them."""
    return [*enumerate(form), *combinations(enumerate(form), 2)]


def scaled(table: NDArray[np.int64], dtype: str) -> NDArray[np.number]:
    """Return the drawn integers in ``dtype``; as floats they are tenths."""
    return (table / 10 if dtype.startswith("float") else table).astype(dtype)


def cut(example: Example, at: Any) -> Example:
    """Return the example with only the entries at these indices."""
    return example._replace(
        xs=[
            chosen(x, np.arange(x.n)[at]) if isinstance(x, Sparse) else np.ascontiguousarray(x[..., at])
            for x in example.xs
        ]
    )


def chosen(x: Sparse, indices: NDArray[Any]) -> Sparse:
    """Return the sparse vector at these indices only."""
    stays = np.isin(x.indices, indices)
    at = np.searchsorted(indices, x.indices[stays]).astype(x.indices.dtype)
    return Sparse(at, x.values[stays], indices.size)


def cast(example: Example, dtypes: Sequence[str]) -> Example:
    """Return the example in the first of ``dtypes``, unless its own dtype is among them."""
    if str(example.xs[0].dtype) in dtypes:
        return example
    xs: list[Vector] = [
        Sparse(x.indices, recast(x.values, dtypes[0]), x.n) if isinstance(x, Sparse) else recast(x, dtypes[0])
        for x in example.xs
    ]
    return example._replace(xs=xs)


def recast(x: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return ``x`` in another dtype; from integers to floats it becomes tenths, from floats to integers ten times."""
    if (x.dtype.kind == "f") == dtype.startswith("float"):
        return x.astype(dtype)
    with np.errstate(all="ignore"):  # infinities become some number
        return scaled(np.rint(x * 10).astype(np.int64) if x.dtype.kind == "f" else x, dtype)


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Yield smaller examples of the same kind; none if the vectors do not fit together."""
    if example.prop != BAD:
        yield from sparser(example, ranks) if isinstance(example.xs[0], Sparse) else lighter(example, ranks)


def lighter(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Yield examples of arrays with fewer ranks, fewer entries or smaller values: of all first, then of ever fewer.

    The most likely to fail comes first, since each may take a launch; fewer of both ranks and entries come last.
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
    """Return whether a kind has examples of that size."""
    return n < p or p == 1 if kind == "edge sizes" else n >= p


def pieces(places: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Yield the places in pieces: all halves, all quarters, and so on to single places."""
    size = len(places)
    while size > 1:
        size = (size + 1) // 2
        yield from (places[at : at + size] for at in range(0, len(places), size))


def nearer(value: Any) -> Iterator[Any]:
    """Yield 1, then values from half of ``value`` towards it, in whole numbers, or for floats in tenths."""
    if abs(value) <= 1:
        return
    unit = 10 if isinstance(value, np.floating) else 1
    whole = round(float(value) * unit)
    yield from (type(value)(v / unit) for v in (unit, *(whole - int(whole / 2**i) for i in range(1, 7))))


def halved(x: Any) -> Any:
    """Halve the values, rounded towards 0 to whole numbers; of floats to tenths."""
    return (np.trunc(x * 5) / 10 if x.dtype.kind == "f" else x // 2 + (x % 2) * (x < 0)).astype(x.dtype)


def changed(table: NDArray[Any], places: Any, value: Any) -> NDArray[Any]:
    """Return a copy of the table with ``value`` at these places."""
    other = table.copy()
    other.flat[places] = value
    return other


def sparser(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Yield examples of sparse vectors with fewer ranks, an index or an entry less, or smaller values."""
    p, n, kind = example.p, example.n, example.prop
    xs = [*example.xs]
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
    """Return the vector without its entry at index ``i``, and ``less`` indices shorter."""
    at = x.indices[x.indices != i]
    return Sparse((at - less * (at > i)).astype(at.dtype), x.values[x.indices != i], x.n - less)
