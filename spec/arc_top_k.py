"""ARC-Top-K: allreduce of the rows that are largest in the sum, found from a sketch of it [CM25]_.

A rank's vector is the rows of a matrix, of which ``k`` are to be sent.  Multiplied by a narrow random
matrix, the same on all ranks, it is a sketch of a few numbers a row; the sketches are summed by an
ordinary allreduce, and since the sketch of a sum is the sum of sketches, every rank sees how large each
row of the sum is, about.  So all keep the same ``k`` rows, and a second allreduce sums these: values
alone, no index is sent.  Elsewhere the result is zero.

Requires: ``p >= 1``; vectors of one length ``n``; ``k >= 0``; ``sketch >= 1``; ``feedback`` one of ``FEEDBACK``.
Ensures:  in the ``k`` rows whose sketched sums are largest all ranks hold ``x[0] + ... + x[p-1]``, and zeros
elsewhere; with ``ef21`` and ``ef21m`` the sum of what the ranks' estimates are by now.

What is not sent may be remembered, by one of three rules.  With ``ef14`` it is added to the rank's next
vector.  With ``ef21`` each rank has an estimate of its vector, and sends of the difference of both; the
result is the sum of all estimates.  The first call has none yet, and sends whole vectors.  With ``ef21m``
the same is done to a running mean, in which a new vector counts ``momentum`` thousandths.

The result is the sum of the rows; the paper has their mean, which is the sum over ``p``.  No rank and no row is
told apart by that.  The sum of all ranks' memories is that of one rank alone that is given the sum of all
vectors: which rows are kept depends on sums only, and the rest is linear.

Where the paper is silent: rows are ordered by the squared length of their sketch, then by index, NaN first; the
last row is filled up with zeros.  Without ``columns`` the rule of public ports holds: the largest power of two
that divides ``n`` and is less than its root.  An entry of the sketching matrix is the number of ones among 64
drawn bits, less 32: whole, so that every program has its bits, and with the moments that the bound on what is lost
needs (mean 0, variance 16, a fourth moment of at most three times 256); the paper's are normal.  Its products with
a row are added in halves, the upper to the lower, until one is left, and so are the squares of a row's sketch.

>>> from sparring import run
>>> ran = run("arc_top_k", [[5, 1, 0, 2, 0, 1], [0, 4, 3, 0, 1, 0]], k=1, columns=2, sketch=1, through="two_shot")
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{[*entries]}" for src, dst, entries in wire))
0 0->1:[2, 1] 1->0:[4]
1 0->1:[-45] 1->0:[-28, -9]
2 0->1:[1] 1->0:[0]
3 0->1:[5] 1->0:[5]
>>> ran.results[1]
[5, 5, 0, 0, 0, 0]

.. [CM25] Chen, Ma, Li, He, Dong and Yuan, "ARC-Top-K", arXiv:2510.26709, 2025.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.vectors import Vector, total, where
from sparring.spec.library.matrices import largest_rows, rows_of, sketched

data = "dense"
dtypes = ("float32", "float64")

ESTIMATES = ("ef21", "ef21m")  # rules whose result is the sum of the ranks' estimates
WHOLE = 1000  # thousandths
hypotheses = (("R1", "k rows are kept, or all where there are fewer"),)


class Params(NamedTuple):
    """``k``: how many rows are kept; ``columns``: how long a row is, 0 for the rule; ``sketch``: numbers a row.

    ``seed``: of the sketches, which are new in every call; ``feedback``: what is done with what is not sent;
    ``momentum``: thousandths that a new vector counts in a running mean; ``through``: how sums are made.
    """

    k: Annotated[int, Between(0)] = 2
    columns: Annotated[int, Between(0, 2**18)] = 0
    sketch: Annotated[int, Between(1, 2**10)] = 4
    seed: Annotated[int, Between(0)] = 0
    feedback: Literal["none", "ef14", "ef21", "ef21m"] = "none"
    momentum: Annotated[int, Between(0, 1000)] = 100
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """What was not sent, or is estimated; a running mean; and the sum of all ranks' estimates."""

    kept: Any = NOTHING
    mean: Any = NOTHING
    sums: Any = NOTHING


def mixed(mean: Any, x: Any, momentum: Any) -> Any:
    """A running mean with a new vector in it, which counts so many thousandths; times ``WHOLE``."""
    return mean * (WHOLE - momentum) + x * momentum


def running(x: Vector, call: int, state: State, params: Params) -> Any:
    """The vector, or with ``ef21m`` the running mean with it in it."""
    if params.feedback != "ef21m" or call == 0:
        return x
    return mixed(state.mean, x, params.momentum) / WHOLE


def entered(v: Vector, state: State, params: Params) -> Any:
    """Of what rows are sent: the vector and what is left of those before; or how far it is from its estimate."""
    if params.feedback in ESTIMATES:
        return v - state.kept
    return v + state.kept


def nearer(at: Any, estimate: Any, more: Any) -> Any:
    """An estimate to which a difference is added where it is sent."""
    return where(at, estimate + more, estimate)


def program(x: Vector, call: int, state: State, params: Params) -> Text:
    v, shape = running(x, call, state, params), rows_of(x, params.columns)
    if params.feedback in ESTIMATES and call == 0:
        sums = yield allreduce(v, through=params.through)
        return sums, State(v, v, sums)
    given = entered(v, state, params)
    near = yield allreduce(sketched(given, shape, params.sketch, call, params.seed), through=params.through)
    at = largest_rows(near, shape, params.sketch, params.k)
    sums = yield allreduce(given, at=at, filled=shape.columns, through=params.through)
    if params.feedback in ESTIMATES:
        sums = nearer(at, state.sums, sums)
        return sums, State(nearer(at, state.kept, given), v, sums)
    return sums, State(where(at, 0, given)) if params.feedback == "ef14" else State()


def ensures(x: Vector, call: int, state: State, params: Params) -> Any:
    """What all ranks end with: in the largest rows of the sum, the sum; or the sum of estimates, nearer to it."""
    v, shape = running(x, call, state, params), rows_of(x, params.columns)
    if params.feedback in ESTIMATES and call == 0:
        return total(v)
    given = total(entered(v, state, params))
    at = largest_rows(sketched(given, shape, params.sketch, call, params.seed), shape, params.sketch, params.k)
    return nearer(at, state.sums, given)


def leaves(x: Vector, call: int, state: State, params: Params) -> dict[str, Any]:
    """The running mean goes on."""
    return {"mean": running(x, call, state, params)} if params.feedback in ESTIMATES else {}


def told(state: State, params: Params) -> State:
    """The sum of estimates is that of all ranks'; without estimates nothing is kept but what ``ef14`` does not send."""
    if params.feedback in ESTIMATES:
        return state._replace(sums=total(state.kept))
    return State(state.kept if params.feedback == "ef14" else NOTHING)


def waiting(state: State, params: Params) -> Any:
    """What is still to come, of all ranks, with ``ef14``; with other rules something is lost, or nothing waits."""
    return total(state.kept) if params.feedback == "ef14" else None
