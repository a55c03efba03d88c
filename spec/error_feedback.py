"""Error feedback: a selector says what a rank sends, and the others are added to its next vector [SF14]_ [AH17]_.

A rank adds to its vector what it has not sent so far, its *residual*.  Of the sum its selector takes entries, an
allreduce of sparse vectors adds these over all ranks, and what was not taken is the next residual.  Which selector and
which allreduce, are parameters; each rank has its own calls of the selector, which may remember what it has seen.

Requires: ``p >= 1``; vectors of one length ``n`` and type, the same in each call; ``k >= 0``.
Ensures:  all ranks hold the sum of what the ranks' selectors took, and zeros elsewhere.  In exact arithmetic, over any
calls, all results and the last residuals add up to all that ranks had, whatever selectors take.

An entry that is taken leaves +0.0, infinities and NaN too.  Taken entries are sent even where they are zero, and
results have +0.0 for every -0.0.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("error_feedback", k=1, allreduce="ring_allgather")
>>> ran = run(one, [[1, 5, 2], [4, 0, 3]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1:5] 1->0:[0:4]
>>> ran.results[1], ran.state.residual
([4, 5, 0], [[1, 0, 2], [0, 0, 3]])
>>> ran = run(one, [[0, 1, 1], [1, 1, 1]], ran.state)
>>> ran.results[1], ran.state.residual
([0, 0, 7], [[1, 1, 0], [1, 1, 0]])

.. [SF14] F. Seide, H. Fu, J. Droppo, G. Li and D. Yu, "1-bit stochastic gradient descent and its
   application to data-parallel distributed training of speech DNNs", Interspeech 2014.
.. [AH17] A. F. Aji and K. Heafield, "Sparse communication for distributed gradient descent",
   EMNLP 2017, arXiv:1704.05021.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.selectors import Selector, remembered, taken
from sparring.spec.core.vectors import Vector, total, where
from sparring.spec.library.sparse_allreduce import encoded, octets, sparse_allreduce

__all__ = ["encoded", "octets"]  # of the allreduce that is named

data = "dense"
hypotheses = (("E1", "no rank's selector takes more than k entries"),)


class Params(NamedTuple):
    """``k``: how many entries the selector aims at; ``selector``: its name; ``allreduce``: how entries are added.

    What else the selector has stands beside these, as in ``selector="threshold", period=8``.
    """

    k: Annotated[int, Between(0)] = 100
    selector: str = "topk"
    allreduce: Literal[
        "ring_sparse", "two_shot_sparse", "ssar_recursive_doubling", "dsar_split_allgather",
        "ring_allgather", "bruck_allgather", "recursive_doubling_allgather",
    ] = "ring_sparse"


class State(NamedTuple):
    """``residual``: what a rank has not sent so far; ``seen``: what its selector remembers, None at first."""

    residual: Any = 0
    seen: Any = None


def program(x: Vector, state: State, params: Params, selector: Selector) -> Text:
    v = x + state.residual
    seen = remembered(selector, v, state.seen)
    sent = taken(selector, v, seen)
    y = yield sparse_allreduce(v, sent, params.allreduce)
    return y, State(where(sent, 0, v), seen)


def ensures(x: Vector, state: State, selector: Selector) -> Any:
    """What all ranks end with."""
    v = x + state.residual
    return total(where(taken(selector, v, remembered(selector, v, state.seen)), v, 0))


def leaves(x: Vector, state: State, selector: Selector) -> dict[str, Any]:
    """The next call's selector knows what this one's did."""
    return {"seen": remembered(selector, x + state.residual, state.seen)}


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.residual)
