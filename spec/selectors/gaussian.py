"""Threshold from a normal distribution.

As if the entries were normally distributed, with their own mean and standard deviation: the
threshold is where ``k / (2 n)`` of that distribution would be left above.  If so many entries
reach it that ``k`` is missed by more than a quarter, it is divided by ``FACTOR``, or multiplied by
it, up to ``steps`` times, until it is not.  No entry is compared with another.

Requires: ``k >= 0``, ``steps >= 0``.
Ensures:  all entries where ``k >= n``, none where ``k = 0``; any number between: a vector need not
be normal.

>>> from sparring.spec.core.selectors import Series, find
>>> Series(find("gaussian", k=2))([0.5, -2.0, 0.25, 3.0, -1.0, 0.0, 1.0, -0.5])
[1:-2.0 3:3.0]

This is Gaussian-k [SC19]_, with the steps that the authors of Ok-Topk [LH22]_ gave it in their
program, at most 20 of 1.02 into ``3k/4 .. 5k/4``; that entries equal to the threshold are taken is
this page's own, and so are infinities and NaN, which are taken and not counted in mean and
deviation.  Both are sums in a declared order (``total``), in double precision, so that every
rank and every program has their bits.

.. [SC19] S. Shi, X. Chu, K. C. Cheung and S. See, "Understanding top-k sparsification in
   distributed deep learning", arXiv:1911.08772, 2019.
.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from statistics import NormalDist
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.top_k import place

FACTOR = 1.02
LANES = 1024


class Params(NamedTuple):
    """``k``: how many entries are aimed at; ``steps``: how often the threshold is adjusted at most."""

    k: Annotated[int, Between(0)] = 100
    steps: Annotated[int, Between(0)] = 20


ways: Sequence[Mapping[str, Any]] = ({}, {"steps": 0})


def total(values: Sequence[float]) -> float:
    """The sum: entry ``i`` is added to lane ``i % LANES``, then the lanes' upper half to the lower, until one is left.

    >>> total([0.5, 0.25, 4.0])
    4.75
    """
    lanes = [0.0] * LANES
    for i, v in enumerate(values):
        lanes[i % LANES] += v
    while len(lanes) > 1:
        lanes = [a + b for a, b in zip(lanes, lanes[len(lanes) // 2 :])]
    return lanes[0]


def threshold(finite: Sequence[float], k: int, n: int) -> float:
    """Where ``k / (2 n)`` of a normal distribution lies above, if it has these values' mean and deviation."""
    mean = total(finite) / max(1, len(finite))
    around = [v - mean for v in finite]
    deviation = sqrt(total([a * a for a in around]) / max(1, len(finite)))
    return mean - NormalDist().inv_cdf(k / (2 * n)) * deviation


def magnitude(v: Any) -> Any:
    """In Python's own numbers: beside a small one of numpy's a threshold would be rounded to its precision."""
    size = -place(v)[1]
    return size.item() if hasattr(size, "item") else size


def reaching(sizes: Sequence[Any], t: float) -> list[int]:
    """The entries whose magnitudes are ``t`` or more, compared exactly whatever their dtype is, and NaN."""
    return [i for i, size in enumerate(sizes) if size is None or size >= t]


def select(x: Sequence[Any], k: int, steps: int) -> list[int]:
    if k == 0 or k >= len(x):
        return [*range(len(x) if k else 0)]
    sizes = [None if v != v else magnitude(v) for v in x]  # noqa: PLR0124  # NaN is unequal to itself
    t = threshold([float(v) for v in x if isfinite(v)], k, len(x))
    found = reaching(sizes, t)
    for _ in range(steps):
        if 3 * k <= 4 * len(found) <= 5 * k:
            break
        t = t / FACTOR if 4 * len(found) < 3 * k else t * FACTOR
        found = reaching(sizes, t)
    return found


def least(n: Int, k: Int) -> Int: return where(k >= n, n, 0)
def most(n: Int, k: Int) -> Int:  return where(k <= 0, 0, n)
