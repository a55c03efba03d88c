"""MiCRO: each rank selects in a part of the vector that is its own for this call [YO23]_.

A rank adds to its vector what it has not sent so far, its *residual*.  The vector is cut into ``p`` parts; in call
``t`` rank ``r`` looks at part ``(t + r) mod p`` alone and selects the entries of its sum that reach a threshold.  All
ranks tell each other the indices that they selected, and an ordinary allreduce adds these entries of all ranks, values
alone; elsewhere the result is zero.  No two ranks select one index, so there are as many indices as all selected, and
all ranks hold the same entries.

The threshold is the same on all ranks.  From call to call it follows how many entries reached it on all of them: of
more than ``1.1 k`` it grows by ``gain`` thousandths, of more than ``0.909 k`` by a quarter of that, and otherwise it
shrinks by ``gain`` thousandths.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call; ``k >= 0``.
Ensures:  at all selected indices all ranks hold the sum of all ranks' vectors and residuals, and zeros elsewhere.  In
exact arithmetic, over any calls, all results and the last residuals add up to all that ranks had.

This is a reading of the authors' public code; of the paper its abstract was at hand.  The code has a fourth factor,
0.9987, that it never uses: where it asks whether the count is above 0, above ``k`` may be meant.  Then a threshold that
between ``0.909 k`` and ``k`` entries reached would shrink; here it grows, as in the code.  A rank that selects nothing
sends one entry of its part all the same, the ``t``-th, counted round; of a part without entries none, where the code
divides by zero.  On one rank alone the code counts nothing, so that its threshold shrinks always; here it counts.

The result is the sum; the code has the mean.  Its first threshold is ``1 / (2 sqrt(k))``, here a parameter, in
millionths.  Where ``p`` does not divide ``n`` its longer parts come first; here part ``c`` begins at ``c n / p``,
rounded down.  NaN reaches every threshold; in the code none, so that it waits for ever.  Indices are told by an
allgather of their own, which no trace has; each is one word.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("micro", k=2, first=3_000_000, gain=500, through="two_shot")
>>> ran = run(one, [[5.0, 1.0, 9.0, 2.0], [7.0, 8.0, 4.0, 0.0]])
>>> ran.trace[0], ran.results[1]
([Message(src=0, dst=1, entries=[9.0]), Message(src=1, dst=0, entries=[7.0])], [12.0, 0.0, 13.0, 0.0])
>>> ran.state.residual, ran.state.least
([[0.0, 1.0, 0.0, 2.0], [0.0, 8.0, 0.0, 0.0]], [3.375, 3.375])
>>> run(one, [[0.0] * 4, [0.0] * 4], ran.state).results[1]
[0.0, 9.0, 0.0, 2.0]

.. [YO23] D. Yoon and S. Oh, "MiCRO: Near-zero cost gradient sparsification for scaling and accelerating distributed
   DNN training", HiPC 2023, arXiv:2310.00967; code: github.com/kljp/micro.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, apart
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.vectors import UNSET, Vector, by_rank, total, where
from sparring.spec.library.exclusive_parts import begun, count, scaled, selected, union

data = "dense"
dtypes = ("float32", "float64")

WHOLE = 1000  # thousandths
hypotheses = (("P1", "all entries may reach a threshold, which promises no number; indices are told apart"),)


class Params(NamedTuple):
    """``k``: how many entries are wanted of all ranks together; ``first``: the first threshold, in millionths.

    ``gain``: by how many thousandths a threshold changes from call to call; ``through``: how sums are made.
    """

    k: Annotated[int, Between(0)] = 100
    first: Annotated[int, Between(1, 2**53)] = 50_000
    gain: Annotated[int, Between(0, 999)] = 5
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``residual``: what a rank has not sent so far; ``least``: the threshold."""

    residual: Any = 0
    least: Any = UNSET


def part(turn: Int, p: Int) -> Int:            return turn % p
def many(found: Int, k: Int) -> Bool:          return 10 * found > 11 * k
def enough(found: Int, k: Int) -> Bool:        return WHOLE * found > 909 * k


def change(found: Int, k: Int, gain: Int) -> Any:
    """What a threshold that so many entries reached is multiplied by; times ``4 * WHOLE``."""
    return 4 * WHOLE + where(many(found, k), 4 * gain, where(enough(found, k), gain, -4 * gain))


def program(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Text:
    v = x + state.residual
    least = begun(x, params.first) if call == 0 else state.least
    at = union((yield apart(selected(v, part(call + r, p), p, call, least))))
    y = yield allreduce(v, at=at, through=params.through)
    by = change(count(at), params.k, params.gain)
    return y, State(where(at, 0, v), scaled(least, by, 4 * WHOLE))


def ensures(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> tuple[Any, State]:
    """What all ranks end with, and what a rank remembers."""
    v = x + state.residual
    least = begun(x, params.first) if call == 0 else state.least
    at = union(by_rank(selected(v, part(call + r, p), p, call, least)))
    by = change(count(at), params.k, params.gain)
    return where(at, total(v), 0), State(where(at, 0, v), scaled(least, by, 4 * WHOLE))


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.residual)
