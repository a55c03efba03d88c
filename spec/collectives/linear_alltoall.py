"""Alltoall in one step: every rank sends each other rank what it has for that one.

Requires: ``p >= 1``; ``+`` puts parts beside one another.
Ensures:  rank ``r`` has, of each rank, the part that is for ``r``.

Chunks and contributions are those of ``pairwise_alltoall``, whose promise this is: parts are kept apart.

Peers and parts are those of Open MPI's ``ompi_coll_base_alltoall_intra_basic_linear``, and of
``ompi_coll_base_alltoall_intra_linear_sync``, which limits how many messages are under way
(``ompi/mca/coll/base/coll_base_alltoall.c``).  Both begin with the rank before.  But for that order they are those of
the reduce-scatter in one step, ``exchanges/direct_reduce_scatter``.

>>> from sparring import run
>>> given = [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]
>>> ran = run("sparring.spec.collectives.linear_alltoall", given)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->2:c 0->1:b 1->0:A 1->2:C 2->1:2 2->0:1
>>> [ran.results[r][r] for r in range(3)]
['aA1', 'bB2', 'cC3']
"""

from sparring.spec.collectives.pairwise_alltoall import goal, start, wanted
from sparring.spec.core.numbers import Int
from sparring.spec.exchanges.direct_reduce_scatter import adds, holds, messages, steps

__all__ = ["adds", "goal", "holds", "messages", "start", "steps", "wanted"]  # of an alltoall, and of a reduce-scatter

kind = "alltoall"


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return dst(r, t, j, p)  # the receiver's


def who(q: Int, r: Int, c: Int, t: Int, p: Int) -> Int:
    """Which message brings it: the one from ``q``."""
    return (q - r - 1) % p
