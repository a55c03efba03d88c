"""Streaming DiLoCo: fragments of the parameters take outer steps in turn, each while ranks train on [DD25]_.

The parameters are cut into ``fragments`` parts.  Ranks train apart, and in each call one part takes its turn: an
allreduce sums the ways back of its entries, from the part's common point to where each rank is.  The sum is used
``delay`` calls later, so that ranks need not wait for it: then the part's point takes the step of
``sparring.spec.diloco``, and each rank goes on, in this part, from ``mix`` thousandths of where it is by then and
the rest of the new point.  All other entries stay where they are.  So a call sends one part, and peaks are so much
lower.

A point is told as its distance from where training begins; a call's vector is where its rank is, and the result where
this rank goes on.  Ranks are at different points, but the parts' points are the same on all.

Requires: ``p >= 1``; vectors of one length, float32 or float64; ``fragments >= 1``; thousandths of at most 1000 but for
``rate``.
Ensures:  all ranks have the same common points, each part's moved by the outer step of the mean of its ways back; a
rank ends, in the part whose sum is used, at the mixture of its own place and the new point, and elsewhere where it was.

With one fragment, ``delay = 0`` and ``mix = 0`` it is DiLoCo.  In the paper a part is some layers, and each has an
offset of its own; here it is a run of entries, and parts take turns call by call, so that a delay of one call is as
long as all inner steps between two turns of a part, over ``fragments``.  The paper sends numbers of 4 bits, here they
are sent as they are.  With ``delay = 1`` the first call uses nothing.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("streaming_diloco", rate=1000, momentum=0, mix=500, fragments=2, through="two_shot")
>>> ran = run(one, [[2.0, 8.0], [4.0, 0.0]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{[*entries]}" for src, dst, entries in wire))
0 0->1:[-2.0] 1->0:[]
1 0->1:[] 1->0:[-6.0]
>>> ran.results, run(one, [[4.0, 8.0], [6.0, 0.0]], ran.state).results
([[2.0, 8.0], [4.0, 0.0]], [[3.5, 8.0], [4.5, 0.0]])

.. [DD25] A. Douillard, Y. Donchev, K. Rush, S. Kale, Z. Charles et al., "Streaming DiLoCo with overlapping
   communication: towards a distributed free lunch", arXiv:2501.18512, 2025.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int, both
from sparring.spec.core.vectors import Vector, by_length, plain, total, where
from sparring.spec.diloco import WHOLE, pushed

data = "dense"
dtypes = ("float32", "float64")
agrees = False
averages = True
hypotheses = (("P1", "it is the turn of a longest part"),)


class Params(NamedTuple):
    """``rate`` and ``momentum`` of the outer step, ``mix`` of a rank's own place, in thousandths.

    ``fragments``: how many parts there are; ``delay``: after how many calls a sum is used; ``through``: how it is made.
    """

    rate: Annotated[int, Between(0)] = 700
    momentum: Annotated[int, Between(0, 1000)] = 900
    mix: Annotated[int, Between(0, 1000)] = 500
    fragments: Annotated[int, Between(1)] = 4
    delay: Literal[0, 1] = 1
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``point``: of all parts; ``momentum``: of their outer steps; ``sums``: of the ways back that were sent last."""

    point: Any = 0
    momentum: Any = 0
    sums: Any = 0


@by_length(most=lambda n, call, fragments: (n + fragments - 1) // fragments)
def turn(x: Vector, call: Int, fragments: Int) -> Vector:
    """Where the entries are whose turn it is in this call; none before the first.

    >>> [turn(Vector([7, 7, 7]), call, 2) for call in (-1, 0, 1)]
    [[False, False, False], [True, False, False], [False, True, True]]
    """
    first, end = (bound(call % fragments + more, len(x), fragments) for more in (0, 1))
    return x.having([both(call >= 0, both(first <= i, i < end)) for i in range(len(x))])


def moved(state: State, due: Any, sums: Any, p: Int, params: Params) -> State:
    """The outer step of the entries that are due."""
    momentum = pushed(state.momentum, params.momentum, sums / p)
    point = state.point - pushed(momentum, params.momentum, sums / p) * params.rate / WHOLE
    return state._replace(point=where(due, point, state.point), momentum=where(due, momentum, state.momentum))


def mixed(x: Any, point: Any, mix: Int) -> Any:
    """Where a rank goes on."""
    return (x * mix + point * (WHOLE - mix)) / WHOLE


def program(x: Vector, p: int, call: int, state: State, params: Params) -> Text:
    sums = yield allreduce(state.point - x, at=turn(x, call, params.fragments), through=params.through)
    due = turn(x, call - params.delay, params.fragments)
    now = moved(state, due, where(params.delay == 1, state.sums, sums), p, params)
    return plain(where(due, mixed(x, now.point, params.mix), x)), now._replace(sums=sums)


def gone(x: Vector, p: int, call: int, state: State, params: Params) -> State:
    """What all ranks have then."""
    sums = where(turn(x, call, params.fragments), total(state.point - x), 0)
    used = where(params.delay == 1, state.sums, sums)
    return moved(state, turn(x, call - params.delay, params.fragments), used, p, params)._replace(sums=sums)


def ensures(x: Vector, p: int, call: int, state: State, params: Params) -> Any:
    """What a rank ends with."""
    now = gone(x, p, call, state, params)
    return where(turn(x, call - params.delay, params.fragments), mixed(x, now.point, params.mix), x)


def leaves(x: Vector, p: int, call: int, state: State, params: Params) -> dict[str, Any]:
    """The next call begins with these points, momenta and sums."""
    return gone(x, p, call, state, params)._asdict()
