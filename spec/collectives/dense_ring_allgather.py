"""Allgather of chunks in a ring: each travels once around, one hop a step, and is passed on as it came.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

Peers and chunks are those of Open MPI's ``ompi_coll_base_allgather_intra_ring``
(``ompi/mca/coll/base/coll_base_allgather.c``), and those of ``ring_allgather``, whose chunks are sparse vectors.

>>> from sparring import run
>>> given = [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]
>>> for t, wire, _ in run("sparring.spec.collectives.dense_ring_allgather", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a 1->2:B 2->0:3
1 0->1:3 1->2:a 2->0:B
"""

from sparring.spec.ring_allgather import adds, chunk, dst, holds, src, steps

__all__ = ["adds", "chunk", "dst", "holds", "src", "steps"]  # those of sparse vectors

kind = "allgather"
