"""BlueConnect: reduce-scatter level by level, then allgather level by level back [CFS19]_.

Ranks lie on a grid: ``m`` ranks a node, ``g`` nodes a rack, and as many racks as there are.  First the ranks of a node
cut their vectors into ``m`` chunks, and each adds up one of them, in a ring.  Then those with the same place in their
nodes do the same among the nodes of a rack with the chunks that they have, then those with the same place in their
racks.  So each rank has its own piece of the sum; the same rings, from the last level back, show it to all.  A level
further up has shorter messages, as each level below has cut them.

Requires: ``p >= 1``; ``m >= 1``; ``g >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

The paper factors ``p`` into as many levels as the network has; three are ours, of which any may have one rank.  Where
``m g`` does not divide ``p``, it is one ring of all ranks: that is ours as well.

>>> from sparring import run
>>> for t, wire, _ in run("blueconnect", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]):
...     print(t, *(f"{src}->{dst}:{[*entries]}" for src, dst, entries in wire))
0 0->1:[2.0] 1->0:[3.0] 2->3:[6.0] 3->2:[7.0]
1 0->2:[4.0] 1->3:[6.0] 2->0:[] 3->1:[]
2 0->2:[] 1->3:[] 2->0:[16.0] 3->1:[20.0]
3 0->1:[16.0] 1->0:[20.0] 2->3:[16.0] 3->2:[20.0]

.. [CFS19] M. Cho, U. Finkler, M. Serrano, D. Kung and H. Hunter, "BlueConnect: decomposing all-reduce for deep learning
   on heterogeneous network hierarchy", SysML 2019.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.grids import axes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, plain, total

data = "dense"
nodes = "m"
"""The parameter that says how many ranks a node has."""


class Params(NamedTuple):
    """``m``: how many ranks a node has; ``g``: how many nodes a rack has."""

    m: Annotated[int, Between(1)] = 2
    g: Annotated[int, Between(1)] = 2


def ragged(p: Int, m: Int, g: Int) -> Any:
    """Whether some rack is not full."""
    return p % (m * g) != 0


def program(x: Vector, p: int, params: Params) -> Text:
    if ragged(p, params.m, params.g):
        return (yield allreduce(x, through="ring"))
    levels = axes(p, params.m, params.g)
    for level in levels:
        x = yield reduce_scatter(x, through="ring_reduce_scatter", among=level)
    for level in reversed(levels):
        x = yield allgather(x, through="dense_ring_allgather", among=level)
    return plain(x)


def ensures(x: Vector) -> Any:
    """What all ranks end with."""
    return total(x)
