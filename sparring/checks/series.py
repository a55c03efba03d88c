"""Inputs to judge a stateful target on: several vectors a rank, and how many entries are kept.

Such a target selects entries by their values, so what goes wrong lies in these: entries of equal
magnitude and of either sign, fewer entries than are kept that are no zeros, and, in a part of the
floats, signed zeros, infinities and NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparring.checks.examples import Example, dtypes, scaled
from sparring.proofs.core.refinement import sizes

CALLS = 3
"""Calls of one example, at most: what is left of the first comes back in the second, and again in the third."""
VALUES = (0, 1, -1, 2, -2, 3, 5, -7, 40, 0, 0)
SMALL = (0, 1, -1)
ODD = (-0.0, float("inf"), float("-inf"), float("nan"))


@st.composite
def examples(draw: st.DrawFn, ranks: Sequence[int], kind: str, drawn: Sequence[str]) -> Example:
    """Examples of one kind; the parameters ``drawn`` are numbers of entries, from none to more than there are."""
    p = draw(st.sampled_from(sorted(ranks)))
    edges = [n for n in sizes(p) if n < p or p == 1]
    n = draw(st.sampled_from(edges) if kind == "edge sizes" else st.integers(p, 2 * p + 3))
    calls = draw(st.integers(1, CALLS))
    params = {name: draw(st.integers(0, n + 2)) for name in drawn}
    dtype = draw(dtypes(kind, "int64", "float64"))
    odd = draw(st.booleans()) if dtype.startswith("float") else False
    cell = st.sampled_from(range(len(VALUES) + len(ODD) * odd))
    cells = draw(st.lists(cell, min_size=p * calls * n, max_size=p * calls * n))
    return Example(list(table(cells, dtype).reshape(p, calls, n)), kind, params)


def table(cells: Sequence[int], dtype: str) -> NDArray[Any]:
    """The values that are meant."""
    usual = scaled(np.array([VALUES[i] if i < len(VALUES) else 0 for i in cells], np.int64), dtype)
    at = [j for j, i in enumerate(cells) if i >= len(VALUES)]
    usual[at] = [ODD[cells[j] - len(VALUES)] for j in at]
    return usual


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Examples of the same kind with a rank, a call or an index less, or with a smaller parameter or value."""
    rows: NDArray[Any] = np.stack(example.xs)
    less = [np.delete(rows, i, axis) for axis in range(3) for i in range(rows.shape[axis])]
    yield from (having(example, cut) for cut in less if cut.shape[0] in ranks and alike(example.prop, *cut.shape))
    for name, value in example.params.items():
        yield from (example._replace(params={**example.params, name: less}) for less in range(value))
    for place in map(tuple, np.argwhere(rows != 0)):
        yield from (having(example, changed(rows, place, v)) for v in SMALL if not abs(rows[place]) <= abs(v))


def alike(kind: str, p: int, calls: int, n: int) -> bool:
    """Whether there are examples of that size of a kind."""
    return calls > 0 and (n < p or p == 1 if kind == "edge sizes" else n >= p)


def having(example: Example, rows: NDArray[Any]) -> Example:
    """Other vectors."""
    return example._replace(xs=[np.ascontiguousarray(x) for x in rows])


def changed(rows: NDArray[Any], place: tuple[int, ...], value: int) -> NDArray[Any]:
    """The same vectors but for one value."""
    other = rows.copy()
    other[place] = value
    return other
