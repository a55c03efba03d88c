"""Inputs to judge a stateful target on: several vectors a rank, and how many entries are kept.

Such a target selects entries by their values, so what goes wrong lies in these: entries of equal
magnitude and of either sign, fewer entries than are kept that are no zeros, and, in a part of the
floats, signed zeros, infinities and NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.checks.examples.drawn import scaled
from sparring.refinement.comparison import sizes
from sparring.refinement.example import DTYPES, Example

KEPT = "k"
"""The parameter that says how many entries are kept."""
CALLS, MANY = 3, 7
"""The most calls of usual examples: what the first leaves out comes back in the second, and again in the third; and the
calls of some others, for what is done anew every few calls."""
VALUES = (0, 0, 0, 1, -1, 2, -2, 3, 5, -7, 40)
TIES = (1, -1, 1, -1, 2)
"""Values of some other vectors, nearly all of which are as large as one another."""
SMALL = (0, 1, -1)
ODD = (-0.0, float("inf"), float("-inf"), float("nan"), float("nan"))
KINDS = {"result": ("int64", "float64"), "edge sizes": DTYPES, "dtypes": DTYPES}
"""The dtypes of each kind of example."""


def example(rng: np.random.Generator, ranks: Sequence[int], kind: str, drawn: Sequence[str]) -> Example:
    """Draw one example."""
    p, calls = int(rng.choice(ranks)), MANY if rng.random() < 0.1 else int(rng.integers(1, CALLS, endpoint=True))
    edges = [n for n in sizes(p) if alike("edge sizes", p, calls, n)]
    n = int(rng.choice(edges) if kind == "edge sizes" else rng.integers(p, 2 * p + 3, endpoint=True))
    usual = (1, n - 1) if n > 2 and rng.random() < 0.5 else (0, n + 2)  # some entries are kept, and some are not
    params = {name: int(rng.integers(*usual, endpoint=True)) for name in drawn}
    dtype = str(rng.choice(KINDS[kind]))
    rows: NDArray[Any] = scaled(rng.choice(TIES if rng.random() < 1 / 3 else VALUES, (p, calls, n)), dtype)
    if dtype.startswith("float") and rng.random() < 0.5:
        rows = np.where(rng.random(rows.shape) < 0.3, rng.choice(ODD, rows.shape), rows).astype(dtype)
        if rng.random() < 0.5:  # a sum is -0.0 only if all ranks have -0.0
            rows[rows == 0] = -0.0
    return having(Example([], kind, params), silenced(rng, rows))


def silenced(rng: np.random.Generator, rows: NDArray[Any]) -> NDArray[Any]:
    """Return the vectors, in a third of all cases with zeros alone on one rank, or on all but one, in some calls."""
    p, calls = rows.shape[:2]
    if rng.random() < 2 / 3:
        return rows
    one = np.arange(p)[:, None] == rng.integers(p, size=calls)
    silent = (one if rng.random() < 0.5 else ~one) & (rng.random(calls) < 0.7)
    return np.where(silent[..., None], rows.dtype.type(0), rows)


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Yield examples of the same kind with one rank, call or index less, of integers, or with a smaller value."""
    rows = example.rows
    less = [np.delete(rows, i, axis) for axis in range(3) for i in range(rows.shape[axis])]
    yield from (having(example, cut) for cut in less if cut.shape[0] in ranks and alike(example.prop, *cut.shape))
    if rows.dtype.kind == "f" and np.isfinite(rows).all():
        yield having(example, np.rint(rows * 10).astype(np.int64))
    for name, value in example.params.items():
        yield from (example._replace(params={**example.params, name: less}) for less in range(value))
    yield from smaller(example, rows)


def smaller(example: Example, rows: NDArray[Any]) -> Iterator[Example]:
    """Yield examples of the same size with one value smaller."""
    for place in map(tuple, np.argwhere(rows != 0)):
        yield from (having(example, changed(rows, place, v)) for v in SMALL if not abs(rows[place]) <= abs(v))


def alike(kind: str, p: int, calls: int, n: int) -> bool:
    """Return whether a kind has examples of that size."""
    return calls > 0 and (n < p or p == 1 if kind == "edge sizes" else n >= p)


def having(example: Example, rows: NDArray[Any]) -> Example:
    """Return the example with the vectors ``rows`` instead of its own."""
    return example._replace(xs=[np.ascontiguousarray(x) for x in rows])


def changed(rows: NDArray[Any], place: tuple[Any, ...], value: int) -> NDArray[Any]:
    """Return a copy of the vectors with ``value`` at ``place``."""
    other = rows.copy()
    other[place] = value
    return other
