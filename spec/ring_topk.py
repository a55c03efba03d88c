"""Ring allreduce with selection at every hop.

The schedule is the dense ring's.  Of every chunk that a rank sends it keeps the largest entries
only, as many as the chunk's part of ``k``; what it leaves out stays behind as its residual, and
is added to its next vector.  So sums do not fill in: every message has at most ``k / p`` entries.

Requires: ``p >= 1``; whole vectors of one length ``n``; ``k >= 0``, where more than ``n`` counts as ``n``.
Ensures:  all ranks hold the same at most ``k`` entries; in exact arithmetic what they hold and all
residuals add up to ``x[0] + ... + x[p-1]``.

Selecting again before each block is sent is SparDL's rule [ZY24]_, for a schedule of its own; on
the ring, and with floor bounds for the parts of ``k``, it is this page's own.  Each rank sends
``4 k (p - 1) / p`` words where ``p`` divides ``k``, whatever the vectors are.

>>> from sparring import run
>>> ran = run("ring_topk", [[5, 1, 0, 2], [1, 4, 2, 0]], k=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:5] 1->0:[0:2]
1 0->1:[0:2] 1->0:[0:6]
>>> ran.results[1], ran.residuals
([0:6 2:2], [[1:1 3:2], [1:4 3:0]])

.. [ZY24] M. Zhao, Y. Yin, Y. Mao, Q. Liu, L. Chen and Y. Gao, "SparDL: distributed deep learning
   training with efficient sparse communication", ICDE 2024, arXiv:2304.00737.
"""

from typing import NamedTuple

from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.sparse import SparseVector
from sparring.spec.ring import adds, chunk, dst, holds, src, steps

__all__ = ["adds", "chunk", "dst", "holds", "src", "steps"]  # the ring's own

data = "selected"


class Params(NamedTuple):
    """``k``: how many entries the result has at most."""

    k: int = 100


def part(c: Int, p: Int, k: Int) -> Int:
    """How many of the ``k`` entries are chunk ``c``'s."""
    return bound(c + 1, k, p) - bound(c, k, p)


def words(c: Int, p: Int, k: Int) -> Int:
    return 2 * part(c, p, k)  # fewer where the chunk itself has fewer entries


def added(c: Int, p: Int, k: Int) -> Int:
    return part(c, p, k)  # the other words are indices


def octets(m: Int, w: Int) -> Int:
    return m * (w + 4)


def sends(x: SparseVector, c: Int, p: Int, n: Int, k: Int) -> SparseVector:
    return x.largest(part(c, p, where(k <= n, k, n)))
