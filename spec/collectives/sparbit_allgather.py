"""Allgather of chunks by Sparbit [LK21]_.

Chunks go half the next power of two far, then half as far each time, down to the next rank.  In each step every rank
sends all that it has, but for a chunk that would come back to its own rank or beyond.  So once chunks have gone
``2**e`` far, every rank has those of the ranks a multiple of ``2**e`` before it, and after ``ceil(log2 p)`` steps all.
Few chunks go far and many to the next rank, which as a rule is near.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

Peers and chunks are those of Open MPI's ``ompi_coll_base_allgather_intra_sparbit``
(``ompi/mca/coll/base/coll_base_allgather.c``).  There each chunk of a step is a message of its own, as they lie in no
row; here they are one message.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.sparbit_allgather", [[*"abcde"]] * 5):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->4:a 1->0:b 2->1:c 3->2:d 4->3:e
1 0->2:a 1->3:b 2->4:c 3->0:d 4->1:e
2 0->1:a|d 1->2:b|e 2->3:a|c 3->4:b|d 4->0:c|e

.. [LK21] W. J. Loch and G. P. Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather
   algorithm", arXiv:2109.08751, 2021.
"""

from sparring.spec import pat
from sparring.spec.bruck_allgather import adds
from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.core.numbers import Bool, Int, both
from sparring.spec.gtopk import zeros

__all__ = ["adds", "rounds", "zeros"]

kind = "allgather"
encoding = "bits"


def bit(t: Int, p: Int) -> Int:            return rounds(p) - 1 - t  # step t goes 2**bit far


def steps(p: Int) -> Int:                  return rounds(p)
def dst(r: Int, t: Int, p: Int) -> Int:    return (r + (1 << bit(t, p))) % p
def src(r: Int, t: Int, p: Int) -> Int:    return (r - (1 << bit(t, p))) % p


def carries(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Those that it has, unless they would have gone around."""
    far = (r - c) % p
    return both(zeros(far, bit(t, p) + 1), far + (1 << bit(t, p)) < p)


def below(r: Int, c: Int, t: Int, p: Int) -> Int:
    """How many of the chunks before ``c``: those that the second half of an allreduce by PAT sends."""
    return pat.below(r, c, t + rounds(p), p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r`` has the chunks of the ranks a multiple of so much before it."""
    return both(q == c, zeros((r - c) % p, rounds(p) - t))
