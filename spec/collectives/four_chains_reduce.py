"""Reduction along four chains: from its end on, each rank adds its vector and sends the sum to the one before [OMPI]_.

The chains are those of ``four_chains_bcast``; the root adds the sums of all four.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The peers are those of Open MPI's chain reduction, with the fan-out that it takes unless told another.  It cuts the
vector into segments, so that one is sent while the next one comes; here it is sent as a whole.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.four_chains_reduce", [[x] for x in "abcdefgh"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 2->1:c 4->3:e 6->5:g
1 1->0:cb 3->0:ed 5->0:gf 7->0:h

.. [OMPI] ``ompi_coll_base_reduce_intra_chain`` and ``ompi_coll_base_topo_build_chain`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_reduce.c and coll_base_topo.c.
"""

from sparring.spec.collectives import four_chains_bcast
from sparring.spec.collectives.four_chains_bcast import chain, chunk, chunks, head, lower, messages, steps, there
from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either, where

__all__ = ["chain", "chunk", "chunks", "goal", "head", "kind", "messages", "start", "steps", "wanted"]


def back(t: Int, p: Int) -> Int:                     return steps(p) - 1 - t  # the broadcast's step


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:      return four_chains_bcast.dst(r, back(t, p), j, p)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def adds(t: Int, p: Int) -> Bool:                    return True
def who(q: Int, p: Int) -> Int:                      return chain(q, p)


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    return both(there(back(t, p), j, p), r == lower(back(t, p), j, p))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r`` has added what is behind it on its chain, the root in the end all."""
    behind = both(r < q, chain(q, p) == chain(r, p))
    return either(q == r, where(r == 0, t == steps(p), both(behind, head(chain(r, p), p) + back(t, p) <= r)))
