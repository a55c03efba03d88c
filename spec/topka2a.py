"""Allreduce of selected entries by alltoall and dense allgather, TopKA2A [PL24]_.

Every rank cuts its vector into ``p`` shards and selects, in each, the largest entries, as many as
the shard's part of ``k``.  Shard ``d``'s go to rank ``d``, directly, which adds up what all ranks
have selected there, its own included.  The sums, no longer sparse, go round a ring as dense shards.

Requires: ``p >= 1``; whole vectors of one length ``n``; ``k >= 0``, where more than ``n`` counts as ``n``.
Ensures:  all ranks hold the sum of what the ranks have selected, with all its entries, zeros too;
in exact arithmetic it and all residuals add up to ``x[0] + ... + x[p-1]``.

Entries are selected once, so that nothing fills in, and how many there are of each shard is known:
no sizes are told, and no rank has more to do than another.  A rank sends ``(2 k + n) (p - 1) / p``
words where ``p`` divides ``n`` and ``k``, and fewer where ``k`` is so large that a shard has all of
its entries selected: these, like the sums, need no indices.

The paper selects by an approximation, here the largest entries are taken exactly; its alltoall is
its library's, here message ``t`` goes to the rank ``t + 1`` further, one after the other, so that a
shard is added up at its rank from there downwards.  The paper sends indices in messages of their
own, one more for every other rank.  What it does with the rest it does not say: that it is added to
a rank's next vector, and floor bounds for shards and parts, are this page's own.

>>> from sparring import run
>>> ran = run("topka2a", [[5, 1, 0, 2], [1, 4, 2, 0]], k=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1:2] 1->0:[1:4]
1 0->1:[0:5 1:4] 1->0:[0:2 1:2]
>>> ran.results[1], ran.residuals
([0:5 1:4 2:2 3:2], [[1:1 2:0], [0:1 3:0]])

.. [PL24] J. Peng, Z. Li, S. Shi and B. Li, "Sparse gradient communication with AlltoAll for
   accelerating distributed deep learning", ICPP 2024, pp. 148-157.
"""

from sparring.spec.core.model import chunk_words
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.core.sparse import SparseVector
from sparring.spec.ring_topk import Params, part

__all__ = ["Params", "part"]  # the ring's with selection

data = "selected"


def steps(p: Int) -> Int:                  return 2 * (p - 1)
def adds(t: Int, p: Int) -> Bool:          return t < p - 1        # the alltoall adds, the ring overwrites
def far(t: Int, p: Int) -> Int:            return where(adds(t, p), t + 1, 1)
def dst(r: Int, t: Int, p: Int) -> Int:    return (r + far(t, p)) % p
def src(r: Int, t: Int, p: Int) -> Int:    return (r - far(t, p)) % p
def chunk(r: Int, t: Int, p: Int) -> Int:  return where(adds(t, p), dst(r, t, p), (r - t - 1) % p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    came = both(r == c, (r - q) % p <= t)    # to its own shard those of the ranks up to t before
    full = (r - c) % p <= t - (p - 1)        # the ring has come by
    return either(q == r, either(came, full))


def words(t: Int, c: Int, p: Int, n: Int, k: Int) -> Int:
    return where(adds(t, p), 2 * part(c, p, k), chunk_words(c, p, n))  # fewer where all of a chunk is selected


def added(t: Int, c: Int, p: Int, n: Int, k: Int) -> Int:
    return where(adds(t, p), part(c, p, k), chunk_words(c, p, n))


def octets(m: Int, size: Int, w: Int) -> Int:
    return m * (w + where(m < size, 4, 0))  # all of a chunk's values need no indices


def encoded(m: Int, size: Int) -> str:
    return where(m < size, "pairs", "values")


def selects(x: SparseVector, c: Int, p: Int, n: Int, k: Int) -> SparseVector:
    return x.largest(part(c, p, where(k <= n, k, n)))


def sends(x: SparseVector, t: Int, p: Int) -> SparseVector:
    return x.full(negate(adds(t, p)))
