"""Allgather of chunks by recursive doubling [TRG05]_.

In round ``i`` the ranks whose numbers differ in bit ``i`` alone exchange all chunks that they have, those of ``2**i``
neighbouring numbers.  Where ``p`` is no power of two, each even rank below ``2 rem(p)`` first gives its chunk to the
next rank, which numbers the two of them as one; then it is silent until that rank hands it all other chunks.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

For powers of two, peers and chunks are those of Open MPI's ``ompi_coll_base_allgather_intra_recursivedoubling``
(``ompi/mca/coll/base/coll_base_allgather.c``), which goes over to Bruck's algorithm for other numbers of ranks, and
those of MPICH's.  The fold is this page's own choice: it is that of ``recursive_doubling_allgather``, whose chunks are
sparse vectors.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.dense_recursive_doubling_allgather", [[*"abcde"]] * 5):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a
1 1->2:a|b 2->1:c 3->4:d 4->3:e
2 1->3:a|b|c 2->4:a|b|c 3->1:d|e 4->2:d|e
3 1->0:b|c|d|e

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from sparring.spec.recursive_doubling_allgather import active, adds, block, dst, holds, src, steps

__all__ = ["active", "adds", "block", "dst", "holds", "src", "steps"]  # those of sparse vectors

kind = "allgather"
encoding = "bits"
around = True  # what is handed back begins after the receiver's chunk
