"""Threshold, evaluated anew every so many calls.

In every ``period``-th call, the first one included, the ``k`` largest entries are found exactly,
and the magnitude of the last of them is remembered as the threshold.  In the calls between, all
entries are taken whose magnitudes reach it: one comparison an entry, and no search.  How many
these are drifts as vectors change.  With ``drift``, a call in which the number would be further
from ``k`` than that evaluates anew, too.

Requires: ``k >= 0``, where more than ``n`` counts as ``n``; ``period >= 1``; ``drift >= 0``, or None.
Ensures:  exactly ``k`` entries where the threshold is evaluated; between, any number, but with
``drift`` at most so many more or less than ``k``.

>>> from sparring.spec.core.selectors import Series, find
>>> series = Series(find("threshold", k=2, period=3))
>>> series([3, -5, 0, 5, -3]), series([5, -6, 7, 0, 8]), series([1, 2, 3, 4, 4])
([1:-5 3:5], [0:5 1:-6 2:7 4:8], [])
>>> series = Series(find("threshold", k=2, period=3, drift=1))
>>> series([3, -5, 0, 5, -3]), series([5, -6, 7, 0, 8]), series([1, 7, 3, 8, 4])
([1:-5 3:5], [2:7 4:8], [1:7 3:8])

Reusing a threshold for a period is Ok-Topk's [LH22]_, and so is that entries *equal* to it are
taken.  That an evaluating call takes exactly ``k``, whatever ties there are, and the bound
``drift`` are this page's own; the authors' program multiplies the threshold by a factor instead,
which bounds nothing.  Entries strictly above the threshold, as that program has it, would be
``k - 1``.  The algorithm ``oktopk`` is built on this rule, for thresholds of vectors and of sums, and so takes
no other selector.

.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.numbers import Int
from sparring.spec.core.selectors import high, low
from sparring.spec.core.top_k import Place, place, through, top


class Params(NamedTuple):
    """``k``: how many entries are aimed at; ``period``: calls from one evaluation to the next; ``drift``: see above."""

    k: Annotated[int, Between(0)] = 100
    period: Annotated[int, Between(1)] = 32
    drift: int | None = None


ways: Sequence[Mapping[str, Any]] = (
    {"period": 1}, {"period": 2}, {"period": 3}, {"period": 3, "drift": 0}, {"period": 3, "drift": 1},
)


class State(NamedTuple):
    """``calls`` so far; the place of the threshold, None before all; whether it was evaluated in this call."""

    calls: int = 0
    last: Place | None = None
    exact: bool = False


def state(x: Sequence[Any], before: State, k: int, period: int, drift: int | None) -> State:
    away = abs(len(through(x, before.last)) - min(k, len(x)))
    if before.calls % period and (drift is None or away <= drift):
        return State(before.calls + 1, before.last)
    places = [place(x[i]) for i in top(x, k)]
    return State(before.calls + 1, max(places, default=None), exact=True)


def select(x: Sequence[Any], state: State, k: int) -> list[int]:
    return top(x, k) if state.exact else through(x, state.last)


def least(n: Int, k: Int, drift: int | None) -> Int: return 0 if drift is None else high(low(k, n) - drift, 0)
def most(n: Int, k: Int, drift: int | None) -> Int:  return n if drift is None else low(low(k, n) + drift, n)
