"""Allgather of sparse vectors by Bruck's algorithm [BH97]_.

Every rank has a sparse vector: a list of indices and values.  After ``t`` steps it has the lists of
``2**t`` ranks, from itself on, and sends them all to the rank ``2**t`` before it; in the last step
only as many as are still missing there.  After ``ceil(log2 p)`` steps every rank has all lists and
adds them, in the order of the ranks.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.  Lists may be empty,
and of any sizes.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, its support the union of all supports.

Steps and peers are those of MPICH's allgather.  With lists of ``k`` entries each rank sends
``2 (p - 1) k`` words in all, as in the ring, but in fewer messages.  Of the largest entries of all
ranks this is TopkA, as papers call the allgather that they compare with.  The order of addition, and
that after the last list comes the first, without a final rotation, is this page's own choice.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> lists = [(0,), ("a",)], [(0,), ("b",)], [(2,), ("c",)], [(), ()], [(1, 2), ("e", "E")]
>>> ran = run("bruck_allgather", [SparseVector(*x, 3) for x in lists])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->4:[0:a] 1->0:[0:b] 2->1:[2:c] 3->2:[] 4->3:[1:e 2:E]
1 0->3:[0:a 0:b] 1->4:[0:b 2:c] 2->0:[2:c] 3->1:[1:e 2:E] 4->2:[1:e 2:E 0:a]
2 0->1:[0:a] 1->2:[0:b] 2->3:[2:c] 3->4:[] 4->0:[1:e 2:E]
>>> ran.results[1]
[0:ab 1:e 2:cE]

.. [BH97] J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient algorithms for
   all-to-all communications in multiport message-passing systems", IEEE Trans. Parallel Distrib.
   Syst. 8(11), 1997.
"""

from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.recursive_doubling import log, rem

__all__ = ["log", "rem"]  # recursive doubling's own

kind = "allgather"
data = "lists"
encoding = "bits"


def steps(p: Int) -> Int:
    return log(p) + where(rem(p) > 0, 1, 0)  # log2 p, rounded up


def dst(r: Int, t: Int, p: Int) -> Int:
    return (r - (1 << t)) % p


def src(r: Int, t: Int, p: Int) -> Int:
    return (r + (1 << t)) % p


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """Its own list and those after it, as far as the receiver lacks them."""
    return r, where(1 << t <= p - (1 << t), 1 << t, p - (1 << t))


def adds(t: Int, p: Int) -> Bool:
    return False  # lists are kept apart until all are there


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has list ``c``, which is ``q``'s contribution alone."""
    return both(q == c, (c - r) % p < 1 << t)
