"""Reduction along a chain: from the last one on, each rank adds its vector and sends the sum to the one before [OMPI]_.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The peers are those of Open MPI's pipeline, which cuts the vector into segments, so that one is sent while the next
one comes; here it is sent as a whole.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.chain_reduce", [["a"], ["b"], ["c"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 2->1:c
1 1->0:cb

.. [OMPI] ``ompi_coll_base_reduce_intra_pipeline`` and ``ompi_coll_base_topo_build_chain`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_reduce.c and coll_base_topo.c.
"""

from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either

__all__ = ["goal", "kind", "start", "wanted"]  # linear reduction's promise


def steps(p: Int) -> Int:                    return p - 1
def dst(r: Int, t: Int, p: Int) -> Int:      return (r - 1) % p
def src(r: Int, t: Int, p: Int) -> Int:      return (r + 1) % p
def active(r: Int, t: Int, p: Int) -> Bool:  return r == p - 1 - t
def chunks(p: Int) -> Int:                   return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:            return True


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, the last ``t`` ranks and the one before them have added all from the last one on."""
    return either(q == r, both(p - 1 - t <= r, r < q))
