"""Allgather of chunks by Bruck's algorithm [BH97]_.

After ``t`` steps every rank has the chunks of ``2**t`` ranks, from itself on, and sends them all to the rank ``2**t``
before it; in the last step only as many as are still missing there.  After ``ceil(log2 p)`` steps every rank has all
chunks.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

Peers and chunks are those of Open MPI 5.0's ``ompi_coll_base_allgather_intra_bruck``, later
``ompi_coll_base_allgather_intra_k_bruck`` with ``radix`` 2 (``ompi/mca/coll/base/coll_base_allgather.c``), and those
of ``bruck_allgather``, whose chunks are sparse vectors.  In Open MPI the chunks lie in a rotated buffer, where those
of a message are in a row; here they are called by their ranks, and after the last comes the first.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.dense_bruck_allgather", [[*"abcde"]] * 5):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->4:a 1->0:b 2->1:c 3->2:d 4->3:e
1 0->3:a|b 1->4:b|c 2->0:c|d 3->1:d|e 4->2:e|a
2 0->1:a 1->2:b 2->3:c 3->4:d 4->0:e

.. [BH97] J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient algorithms for
   all-to-all communications in multiport message-passing systems", IEEE Trans. Parallel Distrib.
   Syst. 8(11), 1997.
"""

from sparring.spec.bruck_allgather import adds, block, dst, holds, src, steps

__all__ = ["adds", "block", "dst", "holds", "src", "steps"]  # those of sparse vectors

kind = "allgather"
encoding = "bits"
around = True
