"""Dense allreduce by two rings at once, one in each direction [PY09]_.

Cut every vector into ``2 p`` chunks.  The first ``p`` go upwards, as in ``ring``; the other ``p`` go downwards in the
same steps, chunk ``p + c`` from rank ``c``.  So each rank sends one chunk to either neighbour in each step, and uses
both directions of its links: the ring's steps, with messages of half its length.  Two ranks, which have one neighbour
each, have the ring alone.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

The paper has one ring; that a second one carries half of the vector the other way, and which chunk begins where, is
this page's own.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.bidirectional_ring", [[*"abcdef"], [*"ABCDEF"], [*"123456"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a 0->2:d 1->2:B 1->0:E 2->0:3 2->1:6
1 0->1:3c 0->2:Ee 1->2:aA 1->0:6F 2->0:B2 2->1:d4
2 0->1:B2b 0->2:6Ff 1->2:3cC 1->0:d4D 2->0:aA1 2->1:Ee5
3 0->1:aA1 0->2:d4D 1->2:B2b 1->0:Ee5 2->0:3cC 2->1:6Ff

.. [PY09] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for
   clusters of workstations", J. Parallel Distrib. Comput. 69(2), 2009.
"""

from sparring.spec import ring
from sparring.spec.core.numbers import Bool, Int, where
from sparring.spec.ring import adds, steps

__all__ = ["adds", "steps"]  # the ring's own


def messages(t: Int, p: Int) -> Int:               return where(p > 2, 2, 1)  # message 0 goes upwards, 1 downwards
def chunks(p: Int) -> Int:                         return where(p > 2, 2 * p, p)
def way(j: Int) -> Int:                            return where(j == 0, 1, -1)
def who(c: Int, p: Int) -> Int:                    return where(c < p, 0, 1)  # by this message chunk c goes


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + way(j)) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - way(j)) % p
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return where(j == 0, (r - t) % p, p + (r + t) % p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution: downwards in a mirror."""
    return where(c < p, ring.holds(q, r, c, t, p), ring.holds(-q, -r, -c, t, p))
