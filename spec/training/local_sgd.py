"""Local descent: each rank goes its own way for some steps, then all take the mean of where they are [S19]_.

Requires: ``every >= 1``; ranks that begin at one point; any allreduce of whole vectors.
Ensures:  after every ``every``-th step all ranks are at one point.  With ``every = 1`` that is, in exact arithmetic, a
step against the mean gradient.

>>> from fractions import Fraction
>>> from sparring import run
>>> def slope(r, w):  # of (w - 1)^2 / 2 on rank 0, of (w + 2)^2 / 2 on rank 1
...     return [w[0] - (1, -2)[r]]
>>> def summed(ws):
...     return run("ring", ws).results
>>> for ws in descended(summed, 2, [Fraction(0)], slope, rate=Fraction(1, 2), every=2, steps=4):
...     print(*(str(w) for [w] in ws))
1/2 -1
-3/8 -3/8
5/16 -19/16
-15/32 -15/32

.. [S19] S. U. Stich, "Local SGD converges fast and communicates little", ICLR 2019, arXiv:1805.09767.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sparring.errors import InputError

Point = list[Any]


def gone(w: Any, slope: Any, rate: Any) -> Any:
    """An entry after a step."""
    return w - rate * slope


def mean(total: Any, p: Any) -> Any:
    """Of a sum over ``p`` ranks."""
    return total / p


def meets(t: int, every: int) -> bool:
    """Whether means are taken after step ``t``, counted from 1."""
    return t % every == 0


def descended(
    summed: Callable[[list[Point]], Sequence[Point]], p: int, w: Sequence[Any],
    slope: Callable[[int, Point], Sequence[Any]], *, rate: Any, every: int, steps: int,
) -> Iterator[list[Point]]:
    """By step where the ranks are.

    ``summed``: by rank what it has of the sum of all points; ``slope(r, w)``: the gradient that rank ``r`` finds.

    Raises InputError where ``every`` is no number of steps.
    """
    if every < 1:
        raise InputError(f"every = {every}: it must be 1 or more")
    ws = [[*w] for _ in range(p)]
    for t in range(1, steps + 1):
        ws = [[gone(v, g, rate) for v, g in zip(x, slope(r, x))] for r, x in enumerate(ws)]
        if meets(t, every):
            ws = [[mean(v, p) for v in y] for y in summed(ws)]
        yield [[*x] for x in ws]
