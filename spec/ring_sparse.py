"""Sparse ring allreduce.

The schedule is the dense ring's [PY09]_: chunk ``c`` leaves rank ``c``, takes up one contribution
at each rank and is complete after ``p - 1`` hops; ``p - 1`` more hops show it to everybody.  But
a chunk holds only the entries that some rank had, and each message is encoded as is cheapest for
the ``m`` entries that it has of the chunk's ``size``:

- *pairs*: a 32-bit index and a value for each entry;
- *offsets*: the same with 16 bits, the place within a block of 2^16, and how many each block has;
- *bitmap*: one bit for each place of the chunk, and the values;
- *dense*: all ``size`` values and no index.

A chunk for which dense is the cheapest is *full* from then on: it has an entry at every index,
which adds nothing where no rank had one.  Since that depends on ``m`` and ``size`` alone, and ``m``
only grows, a chunk ends full or not whatever way it went.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``; its support is the union of all supports, and
the whole of each chunk that is full.  No message is longer than the dense ring's and its header.

A ring over sparse chunks that may turn dense is SparCML's [RA19]_; the encodings, the header and
the rule are this page's own.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> a, b, c = [(0, 2), ("a", "c"), 4], [(2, 3), ("C", "D"), 4], [(), (), 4]
>>> ran = run("ring_sparse", [SparseVector(*x) for x in (a, b, c)])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:a] 1->2:[] 2->0:[]
1 0->1:[0:c] 1->2:[0:a] 2->0:[]
2 0->1:[] 1->2:[0:cC 1:D] 2->0:[0:a]
3 0->1:[0:a] 1->2:[] 2->0:[0:cC 1:D]
>>> ran.results[1]
[0:a 2:cC 3:D]

.. [PY09] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
   workstations", J. Parallel Distrib. Comput. 69(2), 2009.
.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from sparring.spec.core.numbers import Bool, Int, where
from sparring.spec.core.sparse import SparseVector
from sparring.spec.ring import adds, chunk, dst, holds, src, steps

__all__ = ["adds", "chunk", "dst", "holds", "src", "steps"]  # the ring's own

data = "sparse"

HEADER = 8
BLOCK = 2**16


def pairs(m: Int, size: Int, w: Int) -> Int:
    return m * (w + where(size <= 2**32, 4, 8))


def offsets(m: Int, size: Int, w: Int) -> Int:
    return m * (w + 2) + where(size <= BLOCK, 0, 4 * ((size - 1) // BLOCK))


def bitmap(m: Int, size: Int, w: Int) -> Int:
    return m * w + (size + 7) // 8


def dense(size: Int, w: Int) -> Int:
    return size * w


def least(a: Int, b: Int) -> Int:
    return where(a <= b, a, b)


def sparse(m: Int, size: Int, w: Int) -> Int:
    """The bytes of the cheapest encoding that has indices."""
    return least(pairs(m, size, w), least(offsets(m, size, w), bitmap(m, size, w)))


def full(m: Int, size: Int, w: Int) -> Bool:
    """Dense is the cheapest."""
    return dense(size, w) <= sparse(m, size, w)


def octets(m: Int, size: Int, w: Int) -> Int:
    return HEADER + least(dense(size, w), sparse(m, size, w))


def encoded(m: Int, size: Int, w: Int) -> str:
    """The first of the shortest."""
    listed = where(offsets(m, size, w) <= bitmap(m, size, w), "offsets", "bitmap")
    return where(full(m, size, w), "dense", where(pairs(m, size, w) <= sparse(m, size, w), "pairs", listed))


def sends(x: SparseVector, w: Int) -> SparseVector:
    return x.full(full(x.m, x.n, w))
