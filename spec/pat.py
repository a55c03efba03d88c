"""Dense allreduce by parallel aggregated trees: the reduce-scatter of PAT, then its allgather [J25]_.

Cut every vector into ``p`` chunks, of which rank ``r`` looks after chunk ``r``.  Each chunk has a binomial tree of its
own, whose root is its rank: in step ``t`` of the reduce-scatter a rank sends what it has of a chunk if its distance
from the chunk's rank is an odd multiple of ``2**t``, to the rank ``2**t`` before it, which adds.  All chunks that it
sends in a step go to one rank, in one message.  The allgather is the same steps backwards: from the root of each tree
the sum goes down.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

So there are ``ceil(log2 p)`` messages a rank each way, as in Bruck's allgather, for any ``p``; but the distance is the
longest where a message is the shortest: one chunk goes about ``p / 2`` ranks far, and half of all chunks go to the next
rank.  Here all that goes to one rank in a step is one message; NCCL, which has PAT since 2.23 as two collectives, cuts
it where its buffers are full.  The direction, and where chunks begin, are this page's own.

>>> from sparring import run
>>> for t, wire, _ in run("pat", [[*"abc"], [*"ABC"], [*"123"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->2:c 1->0:A 2->1:2
1 0->1:b 1->2:C 2->0:1
2 0->2:1Aa 1->0:b2B 2->1:Cc3
3 0->1:1Aa 1->2:b2B 2->0:Cc3

.. [J25] S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", 2025,
   arXiv:2506.20252.
"""

from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.gtopk import zeros

__all__ = ["rounds", "zeros"]

encoding = "bits"


def steps(p: Int) -> Int:                            return 2 * rounds(p)
def adds(t: Int, p: Int) -> Bool:                    return t < rounds(p)  # the reduce-scatter
def last(t: Int, p: Int) -> Int:                     return where(t < steps(p), steps(p) - 1 - t, 0)
def bit(t: Int, p: Int) -> Int:                      return where(adds(t, p), t, last(t, p))
def leap(t: Int, p: Int) -> Int:                     return 1 << bit(t, p)  # how far messages go
def back(r: Int, t: Int, p: Int) -> Int:             return (r - leap(t, p)) % p
def ahead(r: Int, t: Int, p: Int) -> Int:            return (r + leap(t, p)) % p
def dst(r: Int, t: Int, p: Int) -> Int:              return where(adds(t, p), back(r, t, p), ahead(r, t, p))
def src(r: Int, t: Int, p: Int) -> Int:              return where(adds(t, p), ahead(r, t, p), back(r, t, p))
def child(r: Int, t: Int, p: Int) -> Int:            return where(adds(t, p), r, dst(r, t, p))  # of r and its receiver


def carries(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Those from whose rank the child is an odd multiple of the leap away."""
    x, e = (child(r, t, p) - c) % p, bit(t, p)
    return both(zeros(x, e), (x >> e) % 2 == 1)


def before(x: Int, t: Int, p: Int) -> Int:           return (x - 1 + leap(t, p)) >> (bit(t, p) + 1)  # odd multiples


def below(r: Int, c: Int, t: Int, p: Int) -> Int:
    """How many of the chunks before ``c``: their distances from the child go down to 0, and on from ``p - 1``."""
    here = child(r, t, p) + 1
    first = before(here, t, p)
    return where(c <= here, first - before(here - c, t, p), first + before(p, t, p) - before(p + here - c, t, p))


def told(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has the finished chunk."""
    return both(rounds(p) <= t, zeros((r - c) % p, steps(p) - t))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r``'s copy of chunk ``c`` has what is below ``r`` in its tree, as far as it has come."""
    x, w = (r - c) % p, (q - c) % p
    e = (x ^ w).bit_length()
    return either(told(r, c, t, p), both(e <= t, zeros(x, e)))
