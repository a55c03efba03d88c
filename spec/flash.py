"""Flash Communication: dense allreduce of coded vectors, in two steps [FC]_.

Cut every vector into ``p`` chunks, of which rank ``c`` adds up chunk ``c``.  In the first step every rank
sends each other rank its copy of the other's chunk, in codes of ``b1`` bits; a rank reads the ``p`` codes of
its chunk, its own included, and adds up what it reads, in the order of the ranks.  In the second step it
sends this sum to all others, in codes of ``b2`` bits, and *every* rank, itself included, takes what is read
from these codes: so all ranks end with the same bits.

A group of ``g`` entries has a step and a zero of its own; with ``spikes`` its least and its greatest entry
are sent as they are.  Codes and messages are those of ``spec/codecs/group_quantiser.py``.  Groups are cut
from each chunk, so they are the same in both steps.  A rank that is alone keeps its vector.

Requires: ``p >= 1``; vectors of one length and floating-point type; ``b1``, ``b2`` from 1 to 8; ``g >= 1``.
Ensures:  all ranks hold the same bits.  In exact arithmetic, where rank ``r``'s entries of a group have the
range ``R[r]``, each entry of the result is within
``(R[0] + ... + R[p-1]) / 2 * (1 / (2**b1 - 1) + 1 / (2**b2 - 1))`` of ``x[0] + ... + x[p-1]``.

``b1=4, b2=8`` is what is called 6 bits elsewhere.  Widths of 2, 3, 5, 6 and 7 bits and spikes are of the
second version [FC2]_.  In a group with NaN, an infinity or a range that overflows the result is NaN.
Where the public accounts are silent, on the layout, on ties and on the type of steps and zeros, the
design is this page's own.

>>> from sparring import run
>>> ran = run("flash", [[0.0, 3.0, 9.0, 15.0], [0.0, 30.0, 0.0, 0.0]], b1=4, b2=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[9.0, 0.4, 240] 1->0:[0.0, 2.0, 240]
1 0->1:[0.0, 11.0, 12] 1->0:[9.0, 2.0, 12]
>>> ran.results
[[0.0, 33.0, 9.0, 15.0], [0.0, 33.0, 9.0, 15.0]]

.. [FC] Q. Li, B. Zhang, L. Ye, Y. Zhang, W. Wu, Y. Sun, L. Ma and Y. Xie, "Flash Communication",
   arXiv:2412.04964, 2024.
.. [FC2] Q. Li, B. Zhang, S. Kang, L. Xu, X. Qian, Y. Xie and L. Ma, "Flash Communication V2",
   arXiv:2508.03760, 2025.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.codecs.group_quantiser import Grouped
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, read_by_chunk, reduce_scatter
from sparring.spec.core.vectors import Vector, plain, total

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``b1``, ``b2``: bits of a code in the first and in the second step; ``g``: entries of a group.

    ``spikes``: 1 where the least and the greatest entry of a group are sent as they are, else 0.
    """

    b1: Annotated[int, Between(1, 8)] = 8
    b2: Annotated[int, Between(1, 8)] = 8
    g: Annotated[int, Between(1, 2**32)] = 128
    spikes: Literal[0, 1] = 0


def program(x: Vector, p: int, params: Params) -> Text:
    if p == 1:
        return plain(x)
    sums = yield reduce_scatter(x, Grouped(params.b1, params.g, params.spikes))
    return (yield allgather(sums, Grouped(params.b2, params.g, params.spikes)))


def ensures(x: Vector, p: int, params: Params) -> Any:
    """What all ranks end with."""
    if p == 1:
        return x
    sums = total(read_by_chunk(Grouped(params.b1, params.g, params.spikes), x, p))
    return read_by_chunk(Grouped(params.b2, params.g, params.spikes), sums, p)
