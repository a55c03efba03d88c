"""ExDyna: exclusive parts of a vector whose bounds move, so that ranks select about as many entries each [YO24]_.

As in ``sparring.spec.micro`` a rank looks in call ``t`` at part ``(t + r) mod p`` alone, selects what reaches a
threshold that all ranks have alike, and an ordinary allreduce adds the entries of all ranks at all selected indices.
The vector is cut into ``blocks`` blocks of one length, a multiple of ``unit`` entries, and a part is a run of blocks;
what is left of the vector is with the last part.

From call to call parts are balanced.  Of two neighbours, from the first pair to the last, a part in which more than
1.05 times the mean were selected gives a block to one in which fewer than 0.95238 times the mean were, if it has no
fewer than ``blocks / (4 p)`` then.  The counts of both are moved along, by as many entries as a block has of all that
were selected.  Neighbours alone are compared: parts that have 2, 1, 1 and 0 times the mean stay as they are.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call; ``k >= 0``; ``blocks`` and
``unit`` at least 1.
Ensures:  at all selected indices all ranks hold the sum of all ranks' vectors and residuals, and zeros elsewhere.  In
exact arithmetic, over any calls, all results and the last residuals add up to all that ranks had.

This is a reading of the authors' public code; of the paper its abstract was at hand.  What ``sparring.spec.micro`` says
of that code holds here, too.  The mean is rounded down, as in the code; how many entries are moved along is found
there with floats, and here exactly.  A vector of fewer than ``blocks`` times ``unit`` entries, for which the code
divides by zero, is cut into parts as in ``sparring.spec.micro``.  Where ``p`` does not divide ``blocks`` the code's
longer parts come first; here part ``c`` begins with block ``c blocks / p``, rounded down.

>>> from sparring import page
>>> from sparring.spec.core.runner import run
>>> one = page("exdyna", blocks=4, unit=1, first=3_000_000, gain=0, through="two_shot")
>>> ran = run(one, [[5.0, 6.0, 7.0, 8.0, 1.0, 1.0, 1.0, 1.0]] * 2)
>>> ran.results[1], ran.state.cuts
([10.0, 12.0, 14.0, 16.0, 2.0, 0.0, 0.0, 0.0], [(0, 1, 4), (0, 1, 4)])

.. [YO24] D. Yoon and S. Oh, "Preserving near-optimal gradient sparsification cost for scalable distributed deep
   learning", CCGrid 2024, arXiv:2402.13781; code: github.com/kljp/exdyna.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, apart
from sparring.spec.core.vectors import UNSET, Vector, by_rank, total, where
from sparring.spec.library.exclusive_parts import balanced, begun, count, even, scaled, selected_in_blocks, union
from sparring.spec.micro import WHOLE, change, part

data = "dense"
dtypes = ("float32", "float64")
hypotheses = (("P1", "all entries may reach a threshold, which promises no number; indices are told apart"),)


class Params(NamedTuple):
    """``k``, ``first``, ``gain`` and ``through``: those of ``sparring.spec.micro``.

    ``blocks``: how many blocks there are; ``unit``: of which number of entries a block has a multiple.
    """

    k: Annotated[int, Between(0)] = 100
    first: Annotated[int, Between(1, 2**53)] = 50_000
    gain: Annotated[int, Between(0, 999)] = 5
    blocks: Annotated[int, Between(1, 2**32)] = 1024
    unit: Annotated[int, Between(1, 2**32)] = 32
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``residual``, ``least``: as in ``sparring.spec.micro``; ``cuts``: with which blocks parts begin, and the end."""

    residual: Any = 0
    least: Any = UNSET
    cuts: Any = UNSET


def program(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Text:
    v = x + state.residual
    least = begun(x, params.first) if call == 0 else state.least
    cuts = even(x, p, params.blocks) if call == 0 else state.cuts
    at = union((yield apart(selected_in_blocks(v, part(call + r, p), cuts, call, least, params.blocks, params.unit))))
    y = yield allreduce(v, at=at, through=params.through)
    least = scaled(least, change(count(at), params.k, params.gain), 4 * WHOLE)
    return y, State(where(at, 0, v), least, balanced(cuts, at, params.blocks, params.unit))


def ensures(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> tuple[Any, State]:
    """What all ranks end with, and what a rank remembers."""
    v = x + state.residual
    least = begun(x, params.first) if call == 0 else state.least
    cuts = even(x, p, params.blocks) if call == 0 else state.cuts
    at = union(by_rank(selected_in_blocks(v, part(call + r, p), cuts, call, least, params.blocks, params.unit)))
    least = scaled(least, change(count(at), params.k, params.gain), 4 * WHOLE)
    return where(at, total(v), 0), State(where(at, 0, v), least, balanced(cuts, at, params.blocks, params.unit))


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.residual)
