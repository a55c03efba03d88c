"""Threshold from an exponential distribution, in stages.

As if magnitudes were exponentially distributed: of such a distribution with mean ``m`` the part ``d`` lies above
``m log(1 / d)``.  Where they are not, one distribution for all of them finds too few or too many of the largest; so a
threshold is found in stages.  Above the first one ``first`` thousandths of all would lie.  What exceeds a threshold is
taken for exponentially distributed from there on, with a mean of its own, and gives the next one; after the last stage
``k / n`` of all would be left.  No entry is compared with another.

How many stages there are follows what is found.  After every ``calls`` calls there is one stage less where on the
average more than ``k`` entries were taken, by more than ``off`` thousandths, and one more where so many fewer were;
one at least, and at most as many as it takes to halve ``n`` until ``k`` are left.

Requires: ``k >= 0``, ``1 <= first <= 999``, ``calls >= 1``, ``off >= 0``.
Ensures:  all entries where ``k >= n``, none where ``k = 0``; any number between: a vector need not be exponential.

>>> from sparring.spec.core.selectors import Series, find
>>> series, x = Series(find("sidco", k=1, calls=1)), [3, -3, 3, 3, -2, 2, 2, 1, 1, 0, 0, 4]
>>> series(x), series(x)
([], [11:4])

This is the exponential fit of SIDCo [AE21]_ as its authors' program has it, which knows two other distributions and two
other rules for the number of stages, too.  With this rule one stage stays alone where it already takes too many, as of
vectors with long tails: stages would help there, and none is added.  In the program the mean of what exceeds a
threshold is counted from its least entry, here from the threshold, as remembered of the paper.  Infinities and NaN are
taken, and not counted in means: that, and the order of sums, which is that of
``gaussian``, are this page's own.

.. [AE21] A. M. Abdelmoniem, A. Elzanaty, M.-S. Alouini and M. Canini, "An efficient statistical-based gradient
   compression technique for distributed training systems", MLSys 2021, arXiv:2101.10761.
"""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, log, nextafter
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.numbers import Int, where
from sparring.spec.selectors.gaussian import magnitude, reaching, total

WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``k``: how many entries are aimed at; ``first``, ``calls`` and ``off``: see above."""

    k: Annotated[int, Between(0)] = 100
    first: Annotated[int, Between(1, 999)] = 250
    calls: Annotated[int, Between(1)] = 5
    off: Annotated[int, Between(0)] = 200


ways: Sequence[Mapping[str, Any]] = ({}, {"calls": 1}, {"calls": 2, "first": 500, "off": 0})


class State(NamedTuple):
    """``calls`` and ``found`` entries since stages were changed; how many ``stages``; what is taken in this call."""

    calls: int = 0
    found: int = 0
    stages: int = 1
    taken: tuple[int, ...] = ()


def parts(k: int, n: int, stages: int, first: int) -> list[float]:
    """By stage, which part of what exceeds the threshold before exceeds its own: together they are ``k / n``.

    >>> parts(1, 16, 3, 250)
    [0.25, 0.5, 0.5]
    """
    whole, part = k / n, first / WHOLE
    if stages == 1 or whole >= part:
        return [whole]
    return [part, *[(whole / part) ** (1 / (stages - 1))] * (stages - 1)]


def threshold(sizes: Sequence[float], parts: Sequence[float]) -> float:
    """What is left to exceed after all stages; the last one that anything exceeds."""
    t = 0.0
    for part in parts:
        if not sizes:
            break
        t += total([size - t for size in sizes]) / len(sizes) * log(1 / part)
        sizes = [size for size in sizes if size > t]
    return t


def most_stages(k: int, n: int) -> int:
    """How often ``n`` is halved until no more than ``k`` are left; once at least.

    >>> most_stages(1, 16), most_stages(3, 25), most_stages(5, 4)
    (4, 4, 1)
    """
    return max(1, (-(-n // k) - 1).bit_length())


def followed(state: State, k: int, n: int, calls: int, off: int) -> State:
    """How many stages there are in the next call."""
    if state.calls < calls:
        return state
    more = WHOLE * state.found > (WHOLE + off) * k * calls
    fewer = WHOLE * state.found < (WHOLE - off) * k * calls
    return State(stages=min(max(state.stages + fewer - more, 1), most_stages(k, n)))


def state(x: Sequence[Any], before: State, k: int, first: int, calls: int, off: int) -> State:
    n = len(x)
    if k == 0 or k >= n:
        return State(taken=tuple(range(n if k else 0)))
    now = followed(before, k, n, calls, off)
    t = threshold([abs(float(v)) for v in x if isfinite(v)], parts(k, n, now.stages, first))
    sizes = [None if v != v else magnitude(v) for v in x]  # noqa: PLR0124  # NaN is unequal to itself
    taken = reaching(sizes, nextafter(t, inf))
    return State(now.calls + 1, now.found + len(taken), now.stages, tuple(taken))


def select(state: State) -> list[int]: return [*state.taken]
def least(n: Int, k: Int) -> Int:      return where(k >= n, n, 0)
def most(n: Int, k: Int) -> Int:       return where(k <= 0, 0, n)
