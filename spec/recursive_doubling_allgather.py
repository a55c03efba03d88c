"""Allgather of sparse vectors by recursive doubling [TRG05]_.

Every rank has a sparse vector: a list of indices and values.  In round ``i`` the ranks whose numbers differ
in bit ``i`` alone exchange all lists that they have, those of ``2**i`` neighbouring numbers.  Where ``p`` is
no power of two, each even rank below ``2 rem(p)`` first gives its list to the next rank, which numbers the
two of them as one; then it is silent until that rank hands it all other lists.  Then every rank adds all
lists, in the order of the ranks.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.  Lists may be empty,
and of any sizes.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, its support the union of all supports.

Of the largest entries of all ranks this is TopkA, as papers call the allgather that they compare with.
With lists of ``k`` entries each rank sends ``2 (p - 1) k`` words where ``p`` is a power of two, as in the
ring and in Bruck's, which needs ``ceil(log2 p)`` steps for every ``p``; here a fold takes two more than
``log2 p`` rounded down, and ranks that hand back send nearly all lists twice.  MPICH's, for powers of
two, has these rounds; that others fold as in its allreduce, that lists which the receiver has are
not handed back, and the order of addition are this page's own.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> lists = [(0,), ("a",)], [(0,), ("b",)], [(2,), ("c",)], [(), ()], [(1, 2), ("e", "E")]
>>> ran = run("recursive_doubling_allgather", [SparseVector(*x, 3) for x in lists])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:a]
1 1->2:[0:a 0:b] 2->1:[2:c] 3->4:[] 4->3:[1:e 2:E]
2 1->3:[0:a 0:b 2:c] 2->4:[0:a 0:b 2:c] 3->1:[1:e 2:E] 4->2:[1:e 2:E]
3 1->0:[0:b 2:c 1:e 2:E]
>>> ran.results[1]
[0:ab 1:e 2:cE]

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from sparring.spec import recursive_doubling
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.recursive_doubling import active, dst, folds, log, mask, number, rem, src, steps

__all__ = ["active", "dst", "folds", "log", "mask", "number", "rem", "src", "steps"]  # recursive doubling's own

kind = "allgather"
data = "lists"
encoding = "bits"


def first(v: Int, p: Int) -> Int:
    """The first rank of number ``v``."""
    return where(v < rem(p), 2 * v, v + rem(p))


def begins(r: Int, t: Int, p: Int) -> Int:
    """The first of the numbers whose lists rank ``r`` has in a round: its own without the bits below this one."""
    bits = where(t < folds(p), 0, t - folds(p))
    return (number(r, p) >> bits) << bits


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """Its own list; or those of all numbers that it has; or, in the end, all but the receiver's."""
    start, end = first(begins(r, t, p), p), first(begins(r, t, p) + mask(t, p), p)
    inside, alone = both(folds(p) <= t, t < folds(p) + log(p)), where(t < folds(p), 1, p - 1)
    return where(inside, start, r), where(inside, end - start, alone)


def adds(t: Int, p: Int) -> Bool:
    return False  # lists are kept apart until all are there


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has list ``c``, which is ``q``'s contribution alone."""
    return both(q == c, recursive_doubling.holds(c, r, 0, t, p))
