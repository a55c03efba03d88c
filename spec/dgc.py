"""Deep gradient compression: the largest entries of what momentum has made of gradients [LH18]_.

A rank has a *velocity*, of which ``momentum`` thousandths are added to each new vector, as in gradient descent with
momentum; the sum is the next velocity.  It is added to the *residual*, what the rank has not sent so far, and of
that the ``k`` largest entries are added over all ranks by an allreduce of sparse vectors.  So momentum is applied
before entries wait and not to what comes late, which the paper calls *momentum correction*.  An entry that was sent
leaves zero in the residual and, with ``masking``, in the velocity, too: *momentum factor masking*, which keeps old
momentum from driving an entry that has just been moved.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call; ``k >= 0``.
Ensures:  all ranks hold the sum of what each has in its residual, the new velocity with it, at its own ``k`` largest
entries, and zeros elsewhere.

Without momentum this is error feedback, which loses nothing.  With it, but without masking, nothing is lost either: all
that ranks had is in results, residuals and velocities ``1000 / (1000 - momentum)`` times, as is proved.  Masking loses
what velocities had still to give.

The paper has the mean, by an allgather; here it is the sum, by one of three lossless allreduces.  It selects by a
threshold from a sample, and by layers; clips gradients before they are added; and lets ``k`` fall in the first epochs:
all that is the caller's here.  Of equal magnitudes the lower index comes first, NaN before all numbers.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("dgc", k=1, momentum=500, allreduce="ring_allgather")
>>> ran = run(one, [[4.0, 2.0], [1.0, 8.0]])
>>> ran.trace[0][0], ran.results[1], ran.state.residual, ran.state.velocity
(Message(src=0, dst=1, entries=[0:4.0]), [4.0, 8.0], [[0.0, 2.0], [1.0, 0.0]], [[0.0, 2.0], [1.0, 0.0]])
>>> ran = run(one, [[0.0, 0.0], [0.0, 0.0]], ran.state)
>>> ran.results[1], ran.state.residual
([1.5, 3.0], [[0.0, 0.0], [0.0, 0.0]])

.. [LH18] Y. Lin, S. Han, H. Mao, Y. Wang and W. J. Dally, "Deep gradient compression: Reducing the communication
   bandwidth for distributed training", ICLR 2018, arXiv:1712.01887.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.vectors import Vector, largest, local, total, where
from sparring.spec.library.sparse_allreduce import encoded, octets, sparse_allreduce

__all__ = ["encoded", "octets"]  # of the allreduce that is named

data = "dense"
dtypes = ("float32", "float64")

WHOLE = 1000  # thousandths
hypotheses = (("E1", "no rank sends more than k entries"),)


class Params(NamedTuple):
    """``k``: how many entries a rank sends; ``momentum``: thousandths of a velocity that stay from call to call.

    ``masking``: 1 where an entry that was sent leaves no velocity; ``allreduce``: how entries are added.
    """

    k: Annotated[int, Between(0)] = 100
    momentum: Annotated[int, Between(0, 999)] = 900
    masking: Literal[0, 1] = 1
    allreduce: Literal["ring_sparse", "two_shot_sparse", "ring_allgather"] = "ring_sparse"


class State(NamedTuple):
    """``residual``: what a rank has not sent so far; ``velocity``: what momentum has made of its vectors."""

    residual: Any = 0
    velocity: Any = 0


@local(most=lambda n, k: k)
def chosen(v: Vector, k: int) -> Any:
    """Where a rank's largest entries are."""
    return largest(v, k)


def moved(velocity: Any, x: Any, momentum: int) -> Any:
    """The next velocity."""
    return x if momentum == 0 else x + velocity * momentum / WHOLE


def program(x: Vector, state: State, params: Params) -> Text:
    u = moved(state.velocity, x, params.momentum)
    v = state.residual + u
    sent = chosen(v, params.k)
    y = yield sparse_allreduce(v, sent, params.allreduce)
    return y, State(where(sent, 0, v), where(sent, 0, u) if params.masking else u)


def ensures(x: Vector, state: State, params: Params) -> Any:
    """What all ranks end with."""
    v = state.residual + moved(state.velocity, x, params.momentum)
    return total(where(chosen(v, params.k), v, 0))


def leaves(x: Vector, state: State, params: Params) -> dict[str, Any]:
    """What was not sent waits; what was sent leaves neither, with masking."""
    u = moved(state.velocity, x, params.momentum)
    sent = chosen(state.residual + u, params.k)
    return {"residual": where(sent, 0, state.residual + u), "velocity": where(sent, 0, u) if params.masking else u}
