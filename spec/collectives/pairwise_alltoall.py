"""Alltoall in turns: every rank sends each rank after it, one after the other, what it has for that one.

Requires: ``p >= 1``; ``+`` puts parts beside one another.
Ensures:  rank ``r`` has, of each rank, the part that is for ``r``.

A chunk has the number of the rank that it is for, and a contribution tells whose it is: rank ``r`` begins with its
own contribution to each chunk ``c``, its part for rank ``c``, and ends with all contributions to chunk ``r``.  Where a
reduce-scatter adds these up, here they are kept apart: ``+`` does not add but collects, as it does with the letters
below, and what a cost calls added is collected.  A message has one part, its sender's own: nothing is ever added to
what a rank has for others.

Peers and parts are those of Open MPI's ``ompi_coll_base_alltoall_intra_pairwise``
(``ompi/mca/coll/base/coll_base_alltoall.c``), and those of the reduce-scatter in turns, ``exchanges/rotation``.

>>> from sparring import run
>>> given = [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]
>>> ran = run("sparring.spec.collectives.pairwise_alltoall", given)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->2:C 2->0:1
1 0->2:c 1->0:A 2->1:2
>>> [ran.results[r][r] for r in range(3)]
['A1a', '2bB', 'cC3']
"""

from sparring.spec.core.numbers import Bool, Int
from sparring.spec.exchanges.rotation import adds, chunk, dst, holds, src, steps

__all__ = ["adds", "chunk", "dst", "holds", "src", "steps"]  # those of a reduce-scatter

kind = "alltoall"


def start(q: Int, r: Int, c: Int, p: Int) -> Bool:   return q == r  # its own parts, for all ranks
def goal(q: Int, r: Int, c: Int, p: Int) -> Bool:    return True  # everybody's
def wanted(r: Int, c: Int, p: Int) -> Bool:          return r == c  # of those for rank r
