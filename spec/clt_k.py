"""CLT-k, the cyclic local top-k of ScaleCom: in turn one rank says which entries all ranks send [CN20]_.

A rank adds to its vector what it has not sent so far, its *residual*.  In call ``t`` the *leader*, rank ``t mod p``,
tells all others the indices of its ``k`` largest sums; an ordinary allreduce adds these entries of all ranks, values
alone, and elsewhere the result is zero.  So what is sent does not grow with ``p``, as it does where each rank sends
entries of its own choice; but an entry that is large on other ranks alone waits until it is their turn.

Residuals pass a *low-pass filter*: only ``beta`` thousandths of a residual are added, and what of it was not added is
still waiting after the entry was sent.  With ``beta = 1000``, the default, that is error feedback as it is elsewhere.
The paper says it of a memory ``m``, of which it adds all: of what comes and is not sent, ``m`` takes the part ``beta``.
That is ``beta / 1000`` times the residual here, as is proved, which shows that the filter loses nothing.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call; ``k >= 0``.
Ensures:  at the leader's ``k`` indices all ranks hold the sum of all ranks' vectors and what is added to them, and
zeros elsewhere.  In exact arithmetic, over any calls, all results and the last residuals add up to all that ranks had.

The result is the sum; the paper has the mean.  Indices are told by a broadcast of their own, which no trace has; each
is one word.  Of equal magnitudes the lower index comes first, NaN before all numbers.  Without a filter an entry that
is sent leaves +0.0, infinities and NaN too; with one what is left of these is NaN.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("clt_k", k=1, through="two_shot")
>>> ran = run(one, [[1.0, 5.0], [4.0, 3.0]])
>>> ran.trace[0], ran.results[1], ran.state.residual
([Message(src=0, dst=1, entries=[5.0]), Message(src=1, dst=0, entries=[])], [0.0, 8.0], [[1.0, 0.0], [4.0, 0.0]])
>>> ran = run(one, [[0.0, 1.0], [0.0, 2.0]], ran.state)
>>> ran.results[1], ran.state.residual
([5.0, 0.0], [[0.0, 1.0], [0.0, 2.0]])

.. [CN20] C.-Y. Chen, J. Ni, S. Lu, X. Cui, P.-Y. Chen, X. Sun, N. Wang, S. Venkataramani, V. Srinivasan, W. Zhang
   and K. Gopalakrishnan, "ScaleCom: Scalable sparsified gradient compression for communication-efficient
   distributed training", NeurIPS 2020, arXiv:2104.11125.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, apart
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, by_rank, largest, local, total, where

data = "dense"
dtypes = ("float32", "float64")

WHOLE = 1000  # thousandths
hypotheses = (("I1", "k entries are sent, or all where there are fewer; their indices are told apart"),)


class Params(NamedTuple):
    """``k``: how many entries are sent; ``beta``: thousandths of a residual that are added.

    ``through``: how sums are made.
    """

    k: Annotated[int, Between(0)] = 100
    beta: Annotated[int, Between(1, 1000)] = 1000
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``residual``: what a rank has not sent so far."""

    residual: Any = 0


@local(most=lambda n, k: k)
def chosen(v: Vector, k: int) -> Any:
    """Where a leader's largest entries are."""
    return largest(v, k)


def leader(call: Int, p: Int) -> Int:
    """Whose entries these are in call ``call``."""
    return call % p


def filtered(residual: Any, x: Any, beta: Any) -> Any:
    """A vector, and so many thousandths of a residual; times ``WHOLE``."""
    return x * WHOLE + residual * beta


def entered(x: Vector, residual: Any, beta: int) -> Any:
    """A vector, and what is added to it."""
    return x + residual if beta == WHOLE else filtered(residual, x, beta) / WHOLE


def left(whole: Any, v: Any, beta: int) -> Any:
    """What is left of an entry of which ``v`` was sent."""
    return 0 if beta == WHOLE else whole - v


def program(x: Vector, p: int, call: int, state: State, params: Params) -> Text:
    v = entered(x, state.residual, params.beta)
    at = (yield apart(chosen(v, params.k)))[leader(call, p)]
    y = yield allreduce(v, at=at, through=params.through)
    whole = x + state.residual
    return y, State(where(at, left(whole, v, params.beta), whole))


def ensures(x: Vector, p: int, call: int, state: State, params: Params) -> Any:
    """What all ranks end with."""
    v = entered(x, state.residual, params.beta)
    return where(by_rank(chosen(v, params.k))[leader(call, p)], total(v), 0)


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.residual)
