"""Threshold from a sample.

Every ``stride``-th entry is in the sample, from a first one that moves on by one in each call, so
that in ``stride`` calls all entries have their turn.  Of the sample as large a part is counted off,
largest first, as ``k`` is of the vector, rounded up; all entries of the vector are taken whose
magnitudes reach the last of these.  With ``limit``, of more entries than that only the largest are.

Requires: ``k >= 0``, where more than ``n`` counts as ``n``; ``stride >= 1``, where more than ``n``
counts as ``n``; ``seed >= 0``; ``limit >= 0``, or None.
Ensures:  at least ``k / n`` of the sample, which has at least ``n / stride`` entries, rounded down;
at most ``limit``, if there is one.  The same on all ranks that have one ``seed`` and one vector.

>>> from sparring.spec.core.selectors import Series, find
>>> series = Series(find("sampled", k=2, stride=3, seed=1))
>>> series([3, -5, 0, 5, -3, 7]), series([3, -5, 0, 5, -3, 7])
([1:-5 3:5 5:7], [5:7])

A threshold from a sample, and to select once more where it lets too much pass, is [LH18]_; which
entries are the sample is this page's own.

.. [LH18] Y. Lin, S. Han, H. Mao, Y. Wang and W. J. Dally, "Deep gradient compression: reducing the
   communication bandwidth for distributed training", ICLR 2018, arXiv:1712.01887.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.numbers import Int
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import high, low
from sparring.spec.core.top_k import Place, place, through, top


class Params(NamedTuple):
    """``k``: how many entries are aimed at; ``stride``, ``seed`` and ``limit``: see above."""

    k: Annotated[int, Between(0)] = 100
    stride: Annotated[int, Between(1)] = 64
    seed: Annotated[int, Between(0)] = 0
    limit: int | None = None


ways: Sequence[Mapping[str, Any]] = ({}, {"stride": 1}, {"stride": 2, "seed": 1}, {"stride": 2, "limit": 1})


class State(NamedTuple):
    """``calls`` so far, and the place of the threshold in this call; None where nothing is taken."""

    calls: int = 0
    last: Place | None = None


def part(k: Int, m: Int, n: Int) -> Int:
    """How many of a sample of ``m`` entries are counted off."""
    return (low(k, n) * m + n - 1) // n


def cut(count: Int, limit: int | None) -> Int:
    return count if limit is None else low(count, limit)


def state(x: Sequence[Any], before: State, k: int, stride: int, seed: int) -> State:
    step = number(high(low(stride, len(x)), 1))
    sample = x[(seed + before.calls) % step :: step]
    largest = top(sample, number(part(k, len(sample), high(len(x), 1))))
    return State(before.calls + 1, max((place(sample[i]) for i in largest), default=None))


def select(x: Sequence[Any], state: State, limit: int | None) -> list[int]:
    found = through(x, state.last)
    return top(x, number(cut(len(found), limit)))


def least(n: Int, k: Int, stride: Int, limit: int | None) -> Int:
    return cut(part(k, n // high(low(stride, n), 1), high(n, 1)), limit)


def most(n: Int, limit: int | None) -> Int:
    return cut(n, limit)
