"""Recursive doubling of sparse vectors.

The schedule is the dense recursive doubling's: in round ``i`` the ranks whose numbers differ in bit
``i`` alone exchange all that they have and add; where ``p`` is no power of two, ranks fold.  But a
vector holds only the entries that some rank had, and each message is encoded as the sparse ring's
are, as is cheapest for the entries that it has.  A vector for which dense is the cheapest is full
from then on.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``; its support is the union of all supports, or the
whole vector where that is full.  No message is longer than the dense one and its header.

After ``i`` rounds a message has the union of ``2**i`` ranks' supports, where ``p`` is a power of two:
as many entries as one rank has where all supports are the same, ``2**i`` times as many where no two
meet.  So it takes few messages for few entries.  This is SparCML's ``SSAR_Recursive_double`` [RA19]_,
fold included, whose vectors turn dense, too; encodings, header and the rule are this page's own.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> lists = [(0, 2), ("a", "c")], [(2, 5), ("C", "F")], [(), ()]
>>> ran = run("ssar_recursive_doubling", [SparseVector(*x, 9) for x in lists])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:a 2:c]
1 1->2:[0:a 2:cC 5:F] 2->1:[]
2 1->0:[0:a 2:cC 5:F]
>>> ran.results[2]
[0:a 2:cC 5:F]

.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from sparring.spec.recursive_doubling import active, adds, chunk, chunks, dst, encoding, holds, src, steps
from sparring.spec.ring_sparse import encoded, full, octets, sends

__all__ = ["active", "adds", "chunk", "chunks", "dst", "encoding", "holds", "src", "steps"]  # the dense one's
__all__ += ["encoded", "full", "octets", "sends"]  # the sparse ring's

data = "sparse"
