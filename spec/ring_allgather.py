"""Ring allgather of sparse vectors.

Every rank has a sparse vector: a list of indices and values.  Each list travels once around the
ring, one hop a step, and is passed on as it came.  After ``p - 1`` hops every rank has all lists
and adds them, in the order of the ranks.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.  Lists may be empty,
and of any sizes.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, its support the union of all supports.

It is the baseline of sparse allreduce: with lists of ``k`` entries each rank sends ``(p - 1) k``
of them, hence ``2 (p - 1) k`` words [SW19]_.  The order of addition is this page's own choice.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> a, b, c = [(0, 2), ("a", "c"), 4], [(2, 3), ("C", "D"), 4], [(), (), 4]
>>> ran = run("ring_allgather", [SparseVector(*x) for x in (a, b, c)])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:a 2:c] 1->2:[2:C 3:D] 2->0:[]
1 0->1:[] 1->2:[0:a 2:c] 2->0:[2:C 3:D]
>>> ran.results[1]
[0:a 2:cC 3:D]

.. [SW19] S. Shi, Q. Wang, K. Zhao, Z. Tang, Y. Wang, X. Huang and X. Chu, "A distributed
   synchronous SGD algorithm with global top-k sparsification for low bandwidth networks", ICDCS 2019.
"""

from sparring.spec.core.numbers import Bool, Int, both

kind = "allgather"
data = "lists"


def steps(p: Int) -> Int:
    return p - 1


def dst(r: Int, t: Int, p: Int) -> Int:
    return (r + 1) % p


def src(r: Int, t: Int, p: Int) -> Int:
    return (r - 1) % p


def chunk(r: Int, t: Int, p: Int) -> Int:
    return (r - t) % p  # whose list rank r sends in step t


def adds(t: Int, p: Int) -> Bool:
    return False  # lists are kept apart until all are there


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has list ``c``, which is ``q``'s contribution alone."""
    return both(q == c, (r - c) % p <= t)
