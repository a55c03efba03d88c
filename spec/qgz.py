"""qgZ: the quantised reduce-scatter of ZeRO++, in one hop, and an allgather of the sums [ZPP]_.

Cut every vector into ``p`` chunks, of which rank ``c`` adds up chunk ``c``.  In the first step every rank sends each
other rank its copy of the other's chunk, in codes of ``bits`` bits; a rank reads the ``p`` codes of its chunk, its own
included, and adds up what it reads, in the order of the ranks.  So what is added has full precision, and each entry is
coded once: a ring would code sums again and again.  In the second step a rank sends its sums, as they are, to all.

A block of ``g`` entries has a step of its own (``spec/codecs/symmetric_quantiser.py``).  Blocks are cut from each
chunk.  A rank that is alone keeps its vector.

Requires: ``p >= 1``; vectors of one length and floating-point type; ``bits`` 4 or 8; ``g >= 1``.
Ensures:  all ranks hold the same bits.  In exact arithmetic, where rank ``r``'s greatest magnitude in a block is
``M[r]``, each entry of the result is within ``(M[0] + ... + M[p-1]) / 2**(bits - 1)`` of ``x[0] + ... + x[p-1]``.

The paper's second hop, between nodes, and its order of chunks for that are not here; nor is its code of weights, which
it gathers where an allreduce gathers sums.  It divides by ``p``.  In a block with NaN or an infinity the result is NaN.

>>> from sparring import run
>>> ran = run("qgz", [[0.0, 3.0, -8.0, 8.0], [16.0, 30.0, 0.0, 0.0]], bits=4, g=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1.0, 120] 1->0:[3.75, 116]
1 0->1:[15.0, 28.875] 1->0:[-8.0, 7.0]
>>> ran.results[1]
[15.0, 28.875, -8.0, 7.0]

.. [ZPP] G. Wang, H. Qin, S. A. Jacobs, C. Holmes, S. Rajbhandari, O. Ruwase, F. Yan, L. Yang and Y. He, "ZeRO++:
   Extremely efficient collective communication for giant model training", arXiv:2306.10209, 2023.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.codecs.packed_integers import Raw
from sparring.spec.codecs.symmetric_quantiser import Symmetric
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, read_by_chunk, reduce_scatter
from sparring.spec.core.vectors import Vector, plain, total

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``bits``: of a code; ``g``: entries of a block."""

    bits: Literal[4, 8] = 4
    g: Annotated[int, Between(1, 2**16)] = 128


def program(x: Vector, p: int, params: Params) -> Text:
    if p == 1:
        return plain(x)
    sums = yield reduce_scatter(x, Symmetric(params.bits, params.g))
    return (yield allgather(sums, Raw()))


def ensures(x: Vector, p: int, params: Params) -> Any:
    """What all ranks end with: the sum of what is read of each rank's codes."""
    return x if p == 1 else total(read_by_chunk(Symmetric(params.bits, params.g), x, p))
