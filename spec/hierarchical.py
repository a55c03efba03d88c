"""Hierarchical allreduce: reduce-scatter inside nodes, allreduce across nodes, allgather inside nodes [MSU18]_.

Each node has ``m`` ranks, one after the other.  The ranks of a node cut their vectors into ``m`` chunks, and each adds
up one of them.  Then those with the same place in their nodes, one of each, make the sum of their chunk.  At last the
ranks of a node show each other their chunks.  So all ranks of a node send across nodes at a time, each a chunk of its
own, and no rank sends more than in a flat ring.

The name is that of [JSH18]_, where one rank of a node adds up whole vectors and alone sends across nodes.  Horovod has
replaced that by this one in its ``HOROVOD_HIERARCHICAL_ALLREDUCE``; [MSU18]_ calls this one 2D-Torus all-reduce.

Requires: ``p >= 1``; ``m >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

Where ``m`` does not divide ``p`` nodes have different sizes: then it is one allreduce of all ranks, without levels.
The order of addition is that of the exchanges.

>>> from sparring import run
>>> for t, wire, _ in run("hierarchical", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]):
...     print(t, *(f"{src}->{dst}:{[*entries]}" for src, dst, entries in wire))
0 0->1:[2.0] 1->0:[3.0] 2->3:[6.0] 3->2:[7.0]
1 0->2:[] 1->3:[] 2->0:[12.0] 3->1:[14.0]
2 0->2:[16.0] 1->3:[20.0] 2->0:[] 3->1:[]
3 0->1:[16.0] 1->0:[20.0] 2->3:[16.0] 3->2:[20.0]

.. [MSU18] H. Mikami, H. Suganuma, P. U-chupala, Y. Tanaka and Y. Kageyama, "Massively distributed SGD:
   ImageNet/ResNet-50 training in a flash", 2018, arXiv:1811.05233.
.. [JSH18] X. Jia, S. Song, W. He and others, "Highly scalable deep learning training system with mixed-precision:
   training ImageNet in four minutes", 2018, arXiv:1807.11205.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.grids import axes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, total

data = "dense"
nodes = "m"
"""The parameter that says how many ranks a node has."""
INSIDE = {
    "direct": ("direct_reduce_scatter", "direct_allgather"),
    "ring": ("ring_reduce_scatter", "dense_ring_allgather"),
}


class Params(NamedTuple):
    """``m``: how many ranks a node has; ``inside`` and ``across``: how messages go inside nodes and across nodes."""

    m: Annotated[int, Between(1)] = 2
    inside: Literal["direct", "ring"] = "direct"
    across: Literal["ring", "two_shot"] = "ring"


def ragged(p: Int, m: Int) -> Any:
    """Whether some node is not full."""
    return p % m != 0


def program(x: Vector, p: int, params: Params) -> Text:
    if ragged(p, params.m):
        return (yield allreduce(x, through=params.across))
    node, rail = axes(p, params.m)
    scatter, gather = INSIDE[params.inside]
    chunk = yield reduce_scatter(x, through=scatter, among=node)
    chunk = yield allreduce(chunk, through=params.across, among=rail)
    return (yield allgather(chunk, through=gather, among=node))


def ensures(x: Vector) -> Any:
    """What all ranks end with."""
    return total(x)
