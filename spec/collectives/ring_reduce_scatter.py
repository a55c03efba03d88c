"""Reduce-scatter in a ring: each chunk goes once around and ends at the rank of its number.

Chunk ``c`` leaves rank ``c + 1``, takes up one contribution at each rank it visits and is complete after ``p - 1``
hops, at rank ``c``.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Peers and chunks are those of Open MPI's ``ompi_coll_base_reduce_scatter_intra_ring``
(``ompi/mca/coll/base/coll_base_reduce_scatter.c``).  The first lap of ``ring`` is the same with all chunks one rank
further: there chunk ``c`` leaves rank ``c``.

>>> from sparring import run
>>> given = [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]
>>> for t, wire, _ in run("sparring.spec.collectives.ring_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:c 1->2:A 2->0:2
1 0->1:2b 1->2:cC 2->0:A1
"""

from sparring.spec.core.numbers import Bool, Int, where

kind = "reduce_scatter"


def steps(p: Int) -> Int:                  return p - 1
def dst(r: Int, t: Int, p: Int) -> Int:    return (r + 1) % p
def src(r: Int, t: Int, p: Int) -> Int:    return (r - 1) % p
def chunk(r: Int, t: Int, p: Int) -> Int:  return (r - 1 - t) % p  # what rank r sends in step t
def adds(t: Int, p: Int) -> Bool:          return True


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    hops = (r - c - 1) % p  # from c's origin to r
    return where(hops <= t, (q - c - 1) % p <= hops, q == r)
