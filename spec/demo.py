"""DeMo: momentum stays with each rank, and of it the strongest frequencies are sent [PQK24]_.

A rank has a momentum of its own: that of the call before, of which ``decay`` thousandths count on, and its vector, a
gradient times the learning rate.  Of each chunk of the momentum it takes the cosine transform, and sends the ``top``
largest of its frequencies; what these make is subtracted from the momentum, and the rest stays.  All ranks get the
frequencies of all, add them up, transform them back, and go on by the sign of what comes out.

So momenta differ from rank to rank, and nothing else of them is ever sent: what moves fast is shared at once, what is
slow grows until it is among the largest.

Requires: ``p >= 1``; vectors of one length, float32 or float64; ``chunk`` and ``top`` of 1 or more.
Ensures:  all ranks hold the same bits.  With ``m = decay m' + x``, ``m'`` a rank's momentum before: the result is the
sign of the sum of all that is read of the ranks' frequencies of ``m``, transformed back; and ``m`` less what is read of
its own, transformed back, is its momentum.

Which frequencies are the largest, and how they travel, says ``sparring.spec.codecs.chunked_top_k``; the transform is in
``spec/library/cosines.py``.  With ``signs = 0`` the result is the sum itself.  In the authors' program chunks are
squares of a matrix, transformed along both sides, and a frequency's sum is divided by how many ranks sent it; here
chunks lie in a vector, and it is the sum, as the paper is told by others.

>>> from sparring import page, run
>>> one = page("demo", decay=500, chunk=2, top=1)
>>> ran = run(one, [[3, 3, 0, -1], [-1, -9, 4, 5]])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{[round(v, 2) for v in entries]}" for src, dst, entries in wire))
0 0->1:[0, 0, 4.24, -0.71] 1->0:[0, 0, -7.07, 6.36]
>>> ran.results[1], [[round(v, 2) + 0.0 for v in row] for row in ran.state.momentum]
([-1.0, -1.0, 1.0, 1.0], [[0.0, 0.0, 0.5, -0.5], [4.0, -4.0, -0.5, 0.5]])

.. [PQK24] B. Peng, J. Quesnelle and D. P. Kingma, "DeMo: decoupled momentum optimization", arXiv:2411.19870, 2024;
   code: github.com/bloc97/DeMo.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.codecs.chunked_top_k import ChunkedTopK
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce, read
from sparring.spec.core.vectors import Vector, each, plain, total
from sparring.spec.library.cosines import back, cosines
from sparring.spec.library.signs import sign

data = "dense"
dtypes = ("float32", "float64")

WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``decay`` of momenta, in thousandths; ``chunk``: entries of one; ``top``: how many frequencies of it are sent.

    ``signs``: 1 for the sign of the sum, 0 for the sum.
    """

    decay: Annotated[int, Between(0, 1000)] = 999
    chunk: Annotated[int, Between(1, 1024)] = 64
    top: Annotated[int, Between(1, 1024)] = 8
    signs: Literal[0, 1] = 1


class State(NamedTuple):
    """``momentum``: a rank's own, of what it has not sent."""

    momentum: Any = 0


def entered(x: Vector, momentum: Any, decay: int) -> Any:
    """The momentum of which so much counts on, and the vector."""
    return (momentum * decay + x * WHOLE) / WHOLE


def left(m: Any, y: Any) -> Any:
    """What stays of a momentum, of which ``y`` is sent."""
    return m - y


def gone(y: Any, signs: int) -> Any:
    """Where all ranks go."""
    return each(sign, y) if signs else plain(y)


def program(x: Vector, state: State, params: Params) -> Text:
    code = ChunkedTopK(params.chunk, params.top, 0)
    m = entered(x, state.momentum, params.decay)
    q = cosines(m, params.chunk)
    sums = yield allreduce(q, code, through="direct_allgather")
    return gone(back(sums, params.chunk), params.signs), State(left(m, back(read(code, q), params.chunk)))


def ensures(x: Vector, state: State, params: Params) -> Any:
    """What all ranks end with."""
    code, m = ChunkedTopK(params.chunk, params.top, 0), entered(x, state.momentum, params.decay)
    return gone(back(total(read(code, cosines(m, params.chunk))), params.chunk), params.signs)


def leaves(x: Vector, state: State, params: Params) -> dict[str, Any]:
    """What was not sent stays."""
    code, m = ChunkedTopK(params.chunk, params.top, 0), entered(x, state.momentum, params.decay)
    return {"momentum": left(m, back(read(code, cosines(m, params.chunk)), params.chunk))}
