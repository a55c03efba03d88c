"""1-bit allreduce: signs and scales in two steps, with error feedback on both sides [TG21]_.

Cut every vector into ``p`` chunks, of which rank ``c`` averages chunk ``c``.  A rank adds to its vector what
its codes left out in the call before, its *worker error*, and makes one sign of each entry and one scale of
all.  In the first step it sends each other rank the signs of the other's chunk, and the scale; a rank
averages the ``p`` chunks that it reads, its own included, in the order of the ranks, adds what its codes of
this chunk left out before, its *server error*, and makes signs and a scale of the sum.  In the second step
it sends these to all others, and *every* rank, itself included, takes what is read from them.  So all ranks
end with the same bits.  What codes leave out now are the errors that the next call begins with.

Codes and messages are those of ``spec/codecs/sign_codec.py``.  The published code sends scales apart, in
an allgather, and pads vectors until chunks are alike; here a message has both, and chunks are as they fall.
A rank that is alone makes codes of codes, as there.

Requires: ``p >= 1``; vectors of one length and floating-point type, the same in each call.
Ensures:  all ranks hold the same bits.  In exact arithmetic, over any calls, ``p`` times all results, all
worker errors and ``p`` times the server errors add up to all that ranks had: nothing is lost, it is late.

Where a scale is NaN, since an entry is NaN or infinite or a sum overflows, all that is read is NaN, and the
error is zero: the next call begins as if this had not been.  That is this page's own, as the paper is silent.

>>> from sparring import page, run
>>> ran = run("one_bit", [[3.0, 0.0, -1.0, 0.0], [1.0, 1.0, -1.0, -3.0]], norm=1)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1.0, 2] 1->0:[1.5, 3]
1 0->1:[1.25, 3] 1->0:[0.75, 0]
>>> ran.results[0]
[1.25, 1.25, -0.75, -0.75]
>>> ran.state.worker, ran.state.server
([[2.0, -1.0, 0.0, -1.0], [-0.5, -0.5, 0.5, -1.5]], [[0.0, 0.0], [-0.5, 0.5]])

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888; DeepSpeed, deepspeed/runtime/comm/nccl.py, compressed_allreduce.
"""

from typing import Any, Literal, NamedTuple

from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, read, read_by_chunk, reduce_scatter
from sparring.spec.core.vectors import Vector, is_number, owned, plain, total, where

data = "dense"
dtypes = ("float32", "float64")
averages = True
recovers = True  # from what is no number: the next call begins as a first one


class Params(NamedTuple):
    """``norm``: 2 for the published scale, ``|v|_2 / sqrt(d)``; 1 for ``|v|_1 / d``."""

    norm: Literal[1, 2] = 2


class State(NamedTuple):
    """``worker``: what the codes of a rank's vector left out; ``server``: what those of its chunk's mean did."""

    worker: Any = 0
    server: Any = 0


def left(v: Vector, read: Vector) -> Any:
    """What codes leave out; nothing, where what is read is no number."""
    return where(is_number(read), v - read, 0)


def program(x: Vector, p: int, state: State, params: Params) -> Text:
    code = Signs(params.norm)
    v = x + state.worker
    mean = (yield reduce_scatter(v, code)) / p
    s = mean + state.server
    y = yield allgather(s, code)
    return plain(y), State(left(v, read(code, v)), left(s, read(code, s)))


def ensures(x: Vector, p: int, state: State, params: Params) -> Any:
    """What all ranks end with."""
    code = Signs(params.norm)
    mean = total(read(code, x + state.worker)) / p
    return read_by_chunk(code, mean + owned(state.server), p)


def waiting(state: State, p: int) -> Any:
    """What is still to come, of all ranks."""
    return total(state.worker) + p * owned(state.server)
