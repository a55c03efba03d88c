"""gTop-k: a tree of pairwise top-k sums [SH19]_.

Every rank selects its ``k`` largest entries.  In step ``i`` each rank whose number has ``i`` zero bits
and then a one sends what it has to the rank ``2**i`` before it, which adds and selects the ``k`` largest
again.  After ``ceil(log2 p)`` steps rank 0 has the result, and the tree is gone through backwards.

Requires: ``p >= 1``; whole vectors of one length ``n``; ``k >= 0``, where more than ``n`` counts as ``n``.
Ensures:  all ranks hold the same at most ``k`` entries; in exact arithmetic what they hold and all
residuals add up to ``x[0] + ... + x[p-1]``.  They are not the largest of the sum, but of sums of sums.

The published algorithm has ``p = 2**m``, and rank 0 broadcasts; that a rank whose partner is missing
just goes on, and that the way back is the same tree, is this page's own.  For ``p = 2**m`` a path from a
rank to rank 0 and back has ``2 log2(p)`` messages, ``4 k log2(p)`` words.

What stays behind is this page's own, too: whoever cuts an entry keeps it as a residual, which is added
to its next vector.  In the published code a rank takes back what it selected where the result has *no*
entry, and nothing else.  So what one half of the tree cuts is lost where the same index
comes through the other half, here rank 0's 5:

>>> from sparring import run
>>> xs = [[0, 5, 0, 0], [0, 0, 6, 0], [0, 9, 0, 0], [0, 0, 0, 1]]
>>> ran = run("gtopk", xs, k=1)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 1->0:[2:6] 3->2:[3:1]
1 2->0:[1:9]
2 0->2:[1:9]
3 0->1:[1:9] 2->3:[1:9]
>>> published = [x.without(selects(x, k=1).meeting(ran.results[0])) for x in ran.whole]
>>> [sum(left.values) for left in ran.residuals], [sum(left.values) for left in published]
([11, 0, 1, 0], [0, 6, 0, 1])

.. [SH19] S. Shi, Q. Wang, K. Zhao, Z. Tang, Y. Wang, X. Huang and X. Chu, "A distributed synchronous
   SGD algorithm with global top-k sparsification for low bandwidth networks", ICDCS 2019.
"""

from typing import NamedTuple

from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.core.sparse import SparseVector
from sparring.spec.recursive_doubling import log, rem

data = "selected"
encoding = "bits"


class Params(NamedTuple):
    """``k``: how many entries the result has at most."""

    k: int = 100


def rounds(p: Int) -> Int:                 return log(p) + where(rem(p) > 0, 1, 0)  # log2 p, rounded up
def zeros(r: Int, e: Int) -> Bool:         return (r >> e) << e == r  # r ends with e zero bits or more


def depth(t: Int, p: Int) -> Int:
    """After ``t`` steps the ranks that end with so many zero bits are in the tree."""
    return where(adds(t, p), t, steps(p) - t)


def other(r: Int, t: Int, p: Int) -> Int:
    """The number with which rank ``r`` has to do in step ``t``; there may be no such rank."""
    return r ^ (1 << where(adds(t, p), t, steps(p) - 1 - t))


def steps(p: Int) -> Int:                  return 2 * rounds(p)
def chunks(p: Int) -> Int:                 return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:  return 0
def adds(t: Int, p: Int) -> Bool:          return t < rounds(p)  # then it is shown to all


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends: down to a lower rank, then back to a higher one."""
    return both(zeros(r, depth(t, p)), other(r, t, p) < where(adds(t, p), r, p))


def dst(r: Int, t: Int, p: Int) -> Int:    return where(other(r, t, p) < p, other(r, t, p), r)
def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Rank ``r`` has all in the end; before, those that differ from it in bits that are zero in it, up to bit ``t``."""
    bits = (q ^ r).bit_length()
    shown = both(rounds(p) <= t, zeros(r, depth(t, p)))
    return either(shown, both(bits <= t, zeros(r, bits)))


def words(k: Int) -> Int:                  return 2 * k  # fewer where the vector itself has fewer entries
def added(k: Int) -> Int:                  return k  # the other words are indices
def octets(m: Int, w: Int) -> Int:         return m * (w + 4)


def selects(x: SparseVector, k: Int) -> SparseVector:
    return x.largest(k)


def keeps(x: SparseVector, k: Int) -> SparseVector:
    return selects(x, k)
