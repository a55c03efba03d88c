"""DiLoCo: ranks train apart for some steps; the mean of their ways is one step of Nesterov's momentum [DFR23]_.

All ranks begin at one point.  Each takes its own inner steps from there, of any optimiser, the paper's being AdamW.
One allreduce sums the ways back, what a rank began at less where it is, and their mean is taken for a gradient, the
*outer gradient*.  A step of Nesterov's momentum along it leads to the point at which all begin the next call.  So with
``H`` inner steps a call ranks send an ``H``-th of what they send with a sum in each step.

A point is told as its distance from where training begins, so that the first call begins at zero.  A call's vector
is where its rank is after the inner steps, and the result where all go on.

Requires: ``p >= 1``; vectors of one length, float32 or float64; ``rate`` and ``momentum`` in thousandths.
Ensures:  all ranks hold the same bits.  With ``g`` the mean of the ways back, and ``b`` the momentum, 0 at first,
``b' = momentum b + g``; the new point is the old one less ``rate (momentum b' + g)``.

With ``rate = 1000`` and ``momentum = 0`` the new point is the mean of where ranks are: local descent, as in
``sparring.spec.training.local_sgd``.

That is the step of PyTorch's SGD with ``nesterov``, which the published ports take.  What the inner optimiser
remembers stays at its rank, and nothing of it is sent.  Zeros of a result are +0.0, never -0.0.

>>> from fractions import Fraction
>>> from sparring import page, run
>>> half = page("diloco", rate=1000, momentum=500, through="two_shot")
>>> ran = run(half, [[Fraction(-2), Fraction(4)], [Fraction(-4), Fraction(0)]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{'|'.join(map(str, msg))}" for src, dst, msg in wire))
0 0->1:-4 1->0:4
1 0->1:6 1->0:-4
>>> [*map(str, ran.results[1])], [*map(str, ran.state.momentum[1])]
(['-9/2', '3'], ['3', '-2'])

.. [DFR23] A. Douillard, Q. Feng, A. A. Rusu, R. Chhaparia, Y. Donchev, A. Kuncoro, M. Ranzato, A. Szlam and J. Shen,
   "DiLoCo: distributed low-communication training of language models", arXiv:2311.08105, 2023, algorithm 1.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.vectors import Vector, total

data = "dense"
dtypes = ("float32", "float64")
averages = True

WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``rate`` and ``momentum`` of the outer step, in thousandths: the paper's; ``through``: how sums are made."""

    rate: Annotated[int, Between(0)] = 700
    momentum: Annotated[int, Between(0, 1000)] = 900
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``point``: where all ranks begin; ``momentum``: of the outer steps so far."""

    point: Any = 0
    momentum: Any = 0


def pushed(momentum: Any, part: int, gradient: Any) -> Any:
    """So many thousandths of a momentum, and a gradient."""
    return (momentum * part + gradient * WHOLE) / WHOLE


def moved(state: State, gradient: Any, params: Params) -> State:
    """The outer step."""
    momentum = pushed(state.momentum, params.momentum, gradient)
    way = pushed(momentum, params.momentum, gradient)
    return State(state.point - way * params.rate / WHOLE, momentum)


def program(x: Vector, p: int, state: State, params: Params) -> Text:
    back = yield allreduce(state.point - x, through=params.through)
    now = moved(state, back / p, params)
    return now.point, now


def gone(x: Vector, p: int, state: State, params: Params) -> State:
    """What all ranks have then: the outer step of the mean, as one rank alone takes it."""
    return moved(state, total(state.point - x) / p, params)


def ensures(x: Vector, p: int, state: State, params: Params) -> Any:
    """What all ranks end with."""
    return gone(x, p, state, params).point


def leaves(x: Vector, p: int, state: State, params: Params) -> dict[str, Any]:
    """The next call begins there, with this momentum."""
    return gone(x, p, state, params)._asdict()
