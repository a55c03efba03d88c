"""Broadcast along a chain: each rank sends the root's vector to the next one [OMPI]_.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The peers are those of Open MPI's pipeline, which cuts the vector into segments, so that one is sent while the next
one comes; here it is sent as a whole.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.chain_bcast", [["a"], ["b"], ["c"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a
1 1->2:a

.. [OMPI] ``ompi_coll_base_bcast_intra_pipeline`` and ``ompi_coll_base_topo_build_chain`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_bcast.c and coll_base_topo.c.
"""

from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, where

__all__ = ["goal", "kind", "start"]  # linear broadcast's promise


def steps(p: Int) -> Int:                    return p - 1
def dst(r: Int, t: Int, p: Int) -> Int:      return (r + 1) % p
def src(r: Int, t: Int, p: Int) -> Int:      return (r - 1) % p
def active(r: Int, t: Int, p: Int) -> Bool:  return r == t
def chunks(p: Int) -> Int:                   return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:            return False


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(r <= t, 0, r)
