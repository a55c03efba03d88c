"""EF21: each rank has an estimate of its vector, and a selector says what is sent of the difference [RSF21]_.

All ranks' estimates begin as zeros.  A rank subtracts its estimate from its vector; of the difference its selector
takes entries, which it adds to its estimate and sends.  An allreduce of sparse vectors adds up what all ranks send, and
a rank adds that to the sum of all estimates, which is the result.  Which selector and which allreduce, are parameters;
each rank has its own calls of the selector, which may remember what it has seen.

Requires: ``p >= 1``; vectors of one length ``n`` and type, the same in each call; ``k >= 0``.
Ensures:  all ranks hold the sum of all estimates, after each call.  In exact arithmetic an estimate is the rank's
vector where the selector took the difference, and what it was before elsewhere.

Nothing waits, as it does with error feedback: what an estimate lacks is told by the next vector.  Where vectors tend to
a limit and selectors take at least some part of the squared length of each difference, the result tends to the limits'
sum.  Where an infinity or NaN is taken, the estimate stays no number from the next call on.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("ef21", k=1, allreduce="ring_allgather")
>>> ran = run(one, [[1, 5, 2], [4, 0, 3]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1:5] 1->0:[0:4]
>>> ran.results[1], ran.state.estimate
([4, 5, 0], [[0, 5, 0], [4, 0, 0]])
>>> ran = run(one, [[1, 5, 2], [4, 1, 3]], ran.state)
>>> ran.results[1], ran.state.estimate
([4, 5, 5], [[0, 5, 2], [4, 0, 3]])

.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
"""

from typing import Any, NamedTuple

from sparring.spec.core.compositions import Text
from sparring.spec.core.selectors import Selector, remembered, taken
from sparring.spec.core.vectors import Vector, total, where
from sparring.spec.error_feedback import Params, encoded, hypotheses, octets
from sparring.spec.library.sparse_allreduce import sparse_allreduce

__all__ = ["Params", "encoded", "hypotheses", "octets"]  # of error feedback, and of the allreduce that is named

data = "dense"
dtypes = ("float32", "float64")


class State(NamedTuple):
    """``estimate``: of the rank's vector; ``sums``: of all estimates; ``seen``: what its selector remembers."""

    estimate: Any = 0
    sums: Any = 0
    seen: Any = None


def program(x: Vector, state: State, params: Any, selector: Selector) -> Text:  # EF21-SGDM has other Params
    change = x - state.estimate
    seen = remembered(selector, change, state.seen)
    sent = taken(selector, change, seen)
    sums = state.sums + (yield sparse_allreduce(change, sent, params.allreduce))
    return sums, State(where(sent, state.estimate + change, state.estimate), sums, seen)


def nearer(x: Vector, state: State, selector: Selector) -> Any:
    """What an estimate becomes: the vector where the difference is taken."""
    seen = remembered(selector, x - state.estimate, state.seen)
    return where(taken(selector, x - state.estimate, seen), x, state.estimate)


def ensures(x: Vector, state: State, selector: Selector) -> Any:
    """What all ranks end with: the sum of all estimates."""
    return total(nearer(x, state, selector))


def leaves(x: Vector, state: State, selector: Selector) -> dict[str, Any]:
    """The next call begins with these estimates, and its selector knows what this one's did."""
    return {"estimate": nearer(x, state, selector), "seen": remembered(selector, x - state.estimate, state.seen)}


def told(state: State) -> State:
    """The sum of estimates is that of all ranks'."""
    return state._replace(sums=total(state.estimate))
