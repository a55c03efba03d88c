"""Two-shot allreduce of sparse vectors.

The schedule is the dense two-shot's: in the first step every rank sends each other rank what it has
of the chunk that the other looks after, in the second its own chunk's sum to everybody.  But a chunk
holds only the entries that some rank had, and each message is encoded as the sparse ring's are, as
is cheapest for the entries that it has; a chunk for which dense is the cheapest is full from then on.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``; its support is the union of all supports, and
the whole of each chunk that is full.  No message is longer than the dense one and its header.

Each entry is sent once to be added, and no partial sum is forwarded: where a sparse ring sends
unions of ever more supports, this sends single ones and the last.  Sparse vectors cut among the
ranks, sent directly, added and shown to all are the balanced parallelism of [WZ25]_ and SparCML's
``SSAR_Split_allgather`` [RA19]_.  The former cuts by a hash, the latter adds in the order of arrival; chunks
that are neighbouring entries, the order of ranks, encodings and header are this page's own.  A variant
of the latter shows all sums dense; here each chunk is where that is shortest, and no message is longer
than in the variant but by its header.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> a, b, c = [(0, 2), ("a", "c"), 4], [(2, 3), ("C", "D"), 4], [(), (), 4]
>>> ran = run("two_shot_sparse", [SparseVector(*x) for x in (a, b, c)])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[] 0->2:[0:c] 1->2:[0:C 1:D] 1->0:[] 2->0:[] 2->1:[]
1 0->1:[0:a] 0->2:[0:a] 1->2:[] 1->0:[] 2->0:[0:cC 1:D] 2->1:[0:cC 1:D]
>>> ran.results[1]
[0:a 2:cC 3:D]

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025.
.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from sparring.spec.ring_sparse import encoded, full, octets, sends
from sparring.spec.two_shot import adds, chunk, dst, holds, messages, src, steps, who

__all__ = ["adds", "chunk", "dst", "holds", "messages", "src", "steps", "who"]  # the dense one's
__all__ += ["encoded", "full", "octets", "sends"]  # the sparse ring's

data = "sparse"
