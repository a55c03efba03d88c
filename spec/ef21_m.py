"""EF21-SGDM: EF21 of a running mean of vectors, in which a new one counts some thousandths [FTR23]_.

A rank keeps a running mean of its vectors, at first the first one.  What EF21 does with the vector, is done with this
mean: the rank has an estimate of it, a selector says what is sent of the difference, and the result is the sum of all
estimates (``spec/ef21.py``).  Gradients with noise have a mean with less of it, which a few entries can follow.

Requires: ``p >= 1``; vectors of one length ``n`` and type, the same in each call; ``k >= 0``.
Ensures:  all ranks hold the sum of all estimates, after each call.  In exact arithmetic an estimate is the rank's mean
where the selector took the difference, and what it was before elsewhere.

``momentum=1000`` is EF21 but for rounding; with ``0`` the first vector is estimated for ever.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("ef21_m", k=1, momentum=500, allreduce="ring_allgather")
>>> ran = run(one, [[1.0, 4.0, 2.0], [4.0, 0.0, 3.0]])
>>> ran.results[1], ran.state.mean
([4.0, 4.0, 0.0], [[1.0, 4.0, 2.0], [4.0, 0.0, 3.0]])
>>> ran = run(one, [[1.0, 0.0, 8.0], [4.0, 8.0, 3.0]], ran.state)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[2:5.0] 1->0:[1:4.0]
>>> ran.results[1], ran.state.mean
([4.0, 8.0, 5.0], [[1.0, 2.0, 5.0], [4.0, 4.0, 3.0]])

.. [FTR23] I. Fatkhullin, A. Tyurin and P. Richtarik, "Momentum provably improves error feedback!",
   NeurIPS 2023, arXiv:2305.15155.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec import ef21
from sparring.spec.arc_top_k import WHOLE, mixed
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.selectors import Selector
from sparring.spec.core.vectors import Vector
from sparring.spec.ef21 import dtypes, encoded, hypotheses, octets

__all__ = ["dtypes", "encoded", "hypotheses", "octets"]  # of EF21

data = "dense"


class Params(NamedTuple):
    """``momentum``: thousandths that a new vector counts in a running mean; the others are those of EF21."""

    k: Annotated[int, Between(0)] = 100
    selector: str = "topk"
    allreduce: Literal[
        "ring_sparse", "two_shot_sparse", "ssar_recursive_doubling", "dsar_split_allgather",
        "ring_allgather", "bruck_allgather", "recursive_doubling_allgather",
    ] = "ring_sparse"
    momentum: Annotated[int, Between(0, 1000)] = 100


class State(NamedTuple):
    """The fields of EF21; and ``mean``, the rank's running mean."""

    estimate: Any = 0
    sums: Any = 0
    seen: Any = None
    mean: Any = 0

    @property
    def near(self) -> ef21.State:
        """What EF21 keeps."""
        return ef21.State(self.estimate, self.sums, self.seen)


def running(x: Vector, call: int, mean: Any, momentum: int) -> Any:
    """The running mean with a new vector in it; at first the vector."""
    return mixed(mean, x, momentum) / WHOLE if call else x


def program(x: Vector, call: int, state: State, params: Params, selector: Selector) -> Text:
    mean = running(x, call, state.mean, params.momentum)
    sums, near = yield from ef21.program(mean, state.near, params, selector)
    return sums, State(near.estimate, near.sums, near.seen, mean)


def ensures(x: Vector, call: int, state: State, params: Params, selector: Selector) -> Any:
    """What all ranks end with: the sum of all estimates of running means."""
    return ef21.ensures(running(x, call, state.mean, params.momentum), state.near, selector)


def leaves(x: Vector, call: int, state: State, params: Params, selector: Selector) -> dict[str, Any]:
    """The next call begins with this mean, and with what EF21 leaves of it."""
    mean = running(x, call, state.mean, params.momentum)
    return {"mean": mean, **ef21.leaves(mean, state.near, selector)}


def told(state: State) -> State:
    """The sum of estimates is that of all ranks'."""
    return State(*ef21.told(state.near), state.mean)
