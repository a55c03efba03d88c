"""Alltoall by Bruck's algorithm [BH97]_.

Chunk ``c`` of rank ``r`` is, to begin with, its part for the rank ``c`` further.  In step ``t`` every rank sends the
chunks whose number has bit ``t`` to the rank ``2**t`` further, all in one message.  So a part goes as far as its number
says, a bit in each step, and after ``ceil(log2 p)`` steps it is there: about ``p / 2`` parts in each message, some of
them on their way through others, in the place of ``p - 1`` messages.

Requires: ``p >= 1``; chunks of one length.
Ensures:  chunk ``c`` of rank ``r`` is the part that the rank ``c`` before it had for ``r``.

Peers and parts are those of Open MPI's ``ompi_coll_base_alltoall_intra_bruck``
(``ompi/mca/coll/base/coll_base_alltoall.c``), which rotates its parts before and after, so that they are called by
ranks there and by distances here.

>>> from sparring import run
>>> given = [["aa", "ab", "ac"], ["bb", "bc", "ba"], ["cc", "ca", "cb"]]
>>> ran = run("sparring.spec.collectives.bruck_alltoall", given)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:ab 1->2:bc 2->0:ca
1 0->2:ac 1->0:ba 2->1:cb
>>> ran.results
[['aa', 'ca', 'ba'], ['bb', 'ab', 'cb'], ['cc', 'bc', 'ac']]

.. [BH97] J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient algorithms for
   all-to-all communications in multiport message-passing systems", IEEE Trans. Parallel Distrib.
   Syst. 8(11), 1997.
"""

from sparring.spec.bruck_allgather import steps
from sparring.spec.core.numbers import Bool, Int, where

__all__ = ["steps"]

kind = "alltoall"
encoding = "bits"


def start(q: Int, r: Int) -> Bool:                    return q == r  # its own parts
def goal(q: Int, r: Int, c: Int, p: Int) -> Bool:     return q == (r - c) % p  # the part from that far


def dst(r: Int, t: Int, p: Int) -> Int:               return (r + (1 << t)) % p
def src(r: Int, t: Int, p: Int) -> Int:               return (r - (1 << t)) % p
def adds(t: Int, p: Int) -> Bool:                     return False


def low(c: Int, t: Int) -> Int:
    """How far chunk ``c`` has gone after ``t`` steps: its number's lowest ``t`` bits."""
    return c - ((c >> t) << t)


def carries(c: Int, t: Int) -> Bool:
    """Those whose number has bit ``t``."""
    return (c >> t) % 2 == 1


def below(c: Int, t: Int) -> Int:
    """Every other ``2**t`` of them, and of the rest all or none."""
    return ((c >> t >> 1) << t) + where(carries(c, t), low(c, t), 0)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s chunk ``c`` is the part from as far as it has gone."""
    return q == (r - low(c, t)) % p
