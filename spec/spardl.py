"""SparDL's sparse allreduce, with global residual collection [ZY24]_.

Cut every vector into ``p`` chunks.  With ``d`` halving from the largest power of two below ``p``
down to 1, each rank sends the rank ``d`` after it what it has summed of ``d`` chunks, those that
begin with the receiver's own, and adds what it receives to its own copies; in the first round it
sends only as many chunks as there are beyond ``d``.  So chunk ``c``'s sum comes together at rank
``c``, and Bruck's allgather shows it to all.  Of every chunk that a rank sends it keeps the largest
entries only, as many as the chunk's part of ``k``, and so sums do not fill in.

What is added to a rank's next vector is decided in the end, entry by entry: where the result has
an entry, what the rank left out of it on the way; everywhere else the rank's own value, as it
was before the first step, since what was sent of it has been dropped by some rank.

Requires: ``p >= 1``; whole vectors of one length ``n``; ``k >= 0``, where more than ``n`` counts as ``n``.
Ensures:  all ranks hold the same at most ``k`` entries; in exact arithmetic what they hold and all
residuals add up to ``x[0] + ... + x[p-1]``.

Each rank sends ``2 ceil(log2 p)`` messages, and ``4 k (p - 1) / p`` words where ``p`` divides ``k``.
Rounds, peers and the collection of residuals are those of the paper's public code, with its one
team; it sends each chunk as a message of its own, and divides sums by ``p``.  Floor bounds for
chunks and for their parts of ``k``, and that of equal entries the first is sent, are this page's own.

>>> from sparring import run
>>> ran = run("spardl", [[5, 1, 0, 2], [1, 4, 2, 0]], k=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1:2] 1->0:[1:4]
1 0->1:[0:5] 1->0:[0:2]
>>> ran.results[1], ran.residuals
([0:5 2:2], [[1:1 2:0 3:2], [0:1 1:4 3:0]])

.. [ZY24] M. Zhao, Y. Yin, Y. Mao, Q. Liu, L. Chen and Y. Gao, "SparDL: distributed deep learning
   training with efficient sparse communication", ICDE 2024, arXiv:2304.00737.
"""

from sparring.spec import bruck_allgather
from sparring.spec.core.model import chunk_words
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.core.sparse import SparseVector
from sparring.spec.ring_topk import Params, octets, part, sends

__all__ = ["Params", "octets", "part", "sends"]  # those of the ring that selects at every hop

data = "selected"
encoding = "bits"


def rounds(p: Int) -> Int:                  return bruck_allgather.steps(p)  # log2 p, rounded up
def steps(p: Int) -> Int:                   return 2 * rounds(p)
def adds(t: Int, p: Int) -> Bool:           return t < rounds(p)  # then chunks are complete


def depth(t: Int, p: Int) -> Int:
    """After ``t`` steps a rank looks after the ``2**depth`` chunks that begin with its own, or all."""
    return where(t < rounds(p), rounds(p) - t, t - rounds(p))


def gap(t: Int, p: Int) -> Int:
    """How far apart are those who send to one another."""
    return 1 << where(t < rounds(p), rounds(p) - 1 - t, t - rounds(p))


def many(t: Int, p: Int) -> Int:
    """How many chunks a message has: as many as senders are apart, or those that are still missing."""
    return where(gap(t, p) <= p - gap(t, p), gap(t, p), p - gap(t, p))


def dst(r: Int, t: Int, p: Int) -> Int:
    return where(adds(t, p), (r + gap(t, p)) % p, (r - gap(t, p)) % p)


def src(r: Int, t: Int, p: Int) -> Int:
    return where(adds(t, p), (r - gap(t, p)) % p, (r + gap(t, p)) % p)


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """First what the receiver looks after next; then what the rank itself has complete, as far as it lacks there."""
    return where(adds(t, p), (r + gap(t, p)) % p, r), many(t, p)


def words(t: Int, c: Int, p: Int, k: Int) -> Int:
    return 2 * chunk_words(c, p, k, many(t, p))  # fewer where a chunk has fewer entries than its part


def added(t: Int, c: Int, p: Int, k: Int) -> Int:
    return chunk_words(c, p, k, many(t, p))  # the other words are indices


def left(x: SparseVector, cut: SparseVector, y: SparseVector) -> SparseVector:
    """Global residual collection: ``cut`` where the result ``y`` has entries, else ``x`` as it was."""
    return x.without(y) + cut.meeting(y)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution.

    On its way to rank ``c`` that goes by the distances whose bits are set in ``(c - q) % p``, the highest first.
    """
    here, whole = (c - r) % p, (c - q) % p
    still = here < 1 << depth(t, p)
    gone = where(still, depth(t, p), here.bit_length())  # since when the copy stays as it is
    return either(both(negate(adds(t, p)), still), whole - ((whole >> gone) << gone) == here)
