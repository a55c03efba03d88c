"""SparseLoCo: ranks train apart; of their ways the largest entries of each chunk are sent, as codes of 2 bits [S25]_.

All ranks begin at one point, and each takes its own inner steps, as in ``sparring.spec.diloco``.  To what it has
not sent so far, of which ``decay`` thousandths count on, a rank adds its way back, what it began at less where it is.
Of each chunk of that it sends the ``top`` largest entries, in codes of ``bits`` bits; the rest is what it has not
sent.  All ranks get the codes of all, and go from the point against the mean of what they read, times the rate.

There is no outer momentum: what waits, and slowly fades, takes its place.  With ``decay = 1000`` nothing fades.

A point is told as its distance from where training begins; a call's vector is where its rank is after the inner
steps, and the result where all go on.

Requires: ``p >= 1``; vectors of one length, float32 or float64; ``chunk`` and ``top`` of 1 or more.
Ensures:  all ranks hold the same bits.  With ``e'`` what waited, ``e = decay e' + way back``: the new point is the old
one less ``rate`` times the mean of what is read of all ranks' ``e``, and what is not read of its ``e`` waits at each
rank.

Which entries of a chunk are the largest, and how codes are made, says ``sparring.spec.codecs.chunked_top_k``.
The paper cuts tensors into chunks, here it is the vector.  Its quantiser is not at hand; that of a public port for 8
bits has bins of a few standard deviations, here are equal steps between the least and the greatest.  ``bits = 0``:
entries as they are.  Codes of a chunk with NaN or infinities among what is sent are NaN, and so is what follows.

>>> from sparring import page, run
>>> one = page("sparse_loco", rate=1000, decay=500, chunk=2, top=1, bits=0)
>>> ran = run(one, [[-4, 2, 0, -1], [-2, -4, 3, 0]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0, 1, 4.0, 1.0] 1->0:[1, 0, 4.0, -3.0]
>>> ran.results[1], ran.state.residual
([-2.0, -2.0, 1.5, -0.5], [[0.0, -2.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]])

.. [S25] A. Sarfi, B. Thérien, J. Lidin and E. Belilovsky, "Communication efficient LLM pre-training with SparseLoCo",
   arXiv:2508.15706, 2025.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.codecs.chunked_top_k import ChunkedTopK
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, read
from sparring.spec.core.vectors import Vector, total

data = "dense"
dtypes = ("float32", "float64")
averages = True

WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``rate`` of the outer step and ``decay`` of what waits, in thousandths; ``chunk``: entries of one.

    ``top``: how many of these are sent; ``bits``: of a code, 0 for entries as they are.
    """

    rate: Annotated[int, Between(0)] = 1000
    decay: Annotated[int, Between(0, 1000)] = 950
    chunk: Annotated[int, Between(1, 2**32)] = 4096
    top: Annotated[int, Between(1, 2**32)] = 64
    bits: Annotated[int, Between(0, 8)] = 2


class State(NamedTuple):
    """``point``: where all ranks begin; ``residual``: what a rank has not sent so far."""

    point: Any = 0
    residual: Any = 0


def entered(x: Vector, state: State, params: Params) -> Any:
    """What waits, of which so much counts on, and the way back."""
    return (state.residual * params.decay + (state.point - x) * WHOLE) / WHOLE


def left(e: Any, y: Any) -> Any:
    """What waits then, of which ``y`` is read."""
    return e - y


def moved(point: Any, mean: Any, rate: int) -> Any:
    """The outer step."""
    return point - mean * rate / WHOLE


def program(x: Vector, p: int, state: State, params: Params) -> Text:
    code = ChunkedTopK(params.chunk, params.top, params.bits)
    e = entered(x, state, params)
    sums = yield allreduce(e, code, through="direct_allgather")
    point = moved(state.point, sums / p, params.rate)
    return point, State(point, left(e, read(code, e)))


def ensures(x: Vector, p: int, state: State, params: Params) -> Any:
    """What all ranks end with."""
    code = ChunkedTopK(params.chunk, params.top, params.bits)
    return moved(state.point, total(read(code, entered(x, state, params))) / p, params.rate)


def leaves(x: Vector, p: int, state: State, params: Params) -> dict[str, Any]:
    """The next call begins there; what is not read waits."""
    e = entered(x, state, params)
    code = ChunkedTopK(params.chunk, params.top, params.bits)
    return {"point": ensures(x, p, state, params), "residual": left(e, read(code, e))}
