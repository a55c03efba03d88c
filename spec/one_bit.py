"""1-bit allreduce: signs and scales in two steps, with error feedback on both sides [TG21]_.

Cut every vector into ``p`` chunks, of which rank ``c`` averages chunk ``c``.  A rank adds to its vector what
its codes left out in the call before, its *worker error*, and makes one sign of each entry and one scale of
all.  In the first step it sends each other rank the signs of the other's chunk, and the scale; a rank
averages the ``p`` chunks that it reads, its own included, in the order of the ranks, adds what its codes of
this chunk left out before, its *server error*, and makes signs and a scale of the sum.  In the second step
it sends these to all others, and *every* rank, itself included, takes what is read from them.  So all ranks
end with the same bits.  What codes leave out now are the errors that the next call begins with.

Codes and messages are those of ``spec/core/signs.py``.  The published code sends scales apart, in
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
>>> ran.state
State(worker=[[2.0, -1.0, 0.0, -1.0], [-0.5, -0.5, 0.5, -1.5]], server=[[0.0, 0.0], [-0.5, 0.5]])

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888; DeepSpeed, deepspeed/runtime/comm/nccl.py, compressed_allreduce.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core import signs
from sparring.spec.core.cells import copy
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number
from sparring.spec.core.signs import Signed, part, read, signed, written

data = "dense"
dtypes = ("float32", "float64")
averages = True


class Params(NamedTuple):
    """``norm``: 2 for the published scale, ``|v|_2 / sqrt(d)``; 1 for ``|v|_1 / d``."""

    norm: int = 2


class State(NamedTuple):
    """``worker``: by rank what its codes left out; ``server``: by chunk what its rank's codes did."""

    worker: Sequence[Any] = ()
    server: Sequence[Any] = ()


def checked(params: Params) -> None:
    """Raises InputError for a norm that is none of both."""
    if params.norm not in (1, 2):
        raise InputError(f"norm = {params.norm}: it must be 1 or 2")


def dst(r: Int, j: Int, p: Int) -> Int: return (r + j) % p  # to whom rank r's j-th message goes, j = 1, ..., p - 1
def src(r: Int, j: Int, p: Int) -> Int: return (r - j) % p


def together(x: Any, error: Any) -> Any:
    """An entry and what was left out of it before."""
    return x + error


def kept(m: Any, read: Any) -> Any:
    """What is left out of an entry that is read so."""
    return m - read


def taken(r: Int, c: Int, total: Any, read: Any) -> Any:
    """What rank ``r`` takes of chunk ``c``: of its own too what is read, and not the mean that it made codes of."""
    return read


def octets(c: Int, width: int) -> Int:
    """How many bytes the message of a chunk of ``c`` entries has."""
    return signs.octets(c, width)


def compensated(x: Sequence[Any], error: Sequence[Any]) -> list[Any]:
    return [together(v, e) for v, e in zip(x, error)]


def left(m: Sequence[Any], coded: Signed) -> list[Any]:
    """The error of codes; zeros, where they have no scale."""
    lost = coded.scale != coded.scale
    return [type(v)(0) if lost else kept(v, u) for v, u in zip(m, read(coded))]


def sent(p: int, entries: Callable[[int, int], Signed]) -> list[Message]:
    """A step in which each rank sends to each other: ``entries(r, d)`` from rank ``r`` to rank ``d``."""
    pairs = [(r, number(dst(r, j, p))) for r in range(p) for j in range(1, p)]
    return [Message(r, d, written(entries(r, d))) for r, d in pairs]


def like(x: Any, values: Sequence[Any]) -> Any:
    """These values in a vector of ``x``'s class."""
    y = copy(x)
    y[:] = values
    return y


def zero(x: Any) -> Any:
    """Of the vector's type, where that has one whatever its entries."""
    return x.dtype.type(0) if hasattr(x, "dtype") else 0


def program(xs: Sequence[Sequence[Any]], state: State, params: Params) -> Played:
    """A call: its two steps, what all ranks have in the end, and both errors."""
    checked(params)
    first, *_ = xs
    p, n, none = len(xs), len(first), zero(first)
    cuts = [slice(number(bound(c, n, p)), number(bound(c + 1, n, p))) for c in range(p)]
    errors, before = state.worker or [[none] * n] * p, state.server or [[none] * n] * p
    ms = [compensated(x, error) for x, error in zip(xs, errors)]
    told = [signed(m, params.norm, none) for m in ms]
    yield sent(p, lambda r, d: part(told[r], cuts[d]))
    means = [[reduce(add, vs) / p for vs in zip(*(read(part(one, cut)) for one in told))] for cut in cuts]
    ys = [compensated(mean, error) for mean, error in zip(means, before)]
    sums = [signed(y, params.norm, none) for y in ys]
    yield sent(p, lambda r, d: sums[r])
    reads = [read(one) for one in sums]
    each = [[taken(r, c, *v) + 0 for c in range(p) for v in zip(ys[c], reads[c])] for r in range(p)]
    now = State([left(m, one) for m, one in zip(ms, told)], [left(y, one) for y, one in zip(ys, sums)])
    return Outcome([like(x, y) for x, y in zip(xs, each)], [], now)
