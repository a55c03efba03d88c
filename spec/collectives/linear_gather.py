"""Gather in one step: every other rank sends its block to the root [OMPI]_.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  rank 0 holds all blocks, block ``c`` being rank ``c``'s.

Message ``j`` of a rank would go to the rank ``j + 1`` further; the one to rank 0 is sent.  The peers are those of Open
MPI's basic linear gather.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.linear_gather", [[*"abc"], [*"ABC"], [*"123"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 1->0:B 2->0:3

.. [OMPI] ``ompi_coll_base_gather_intra_basic_linear`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_gather.c.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, where

kind = "gather"


def start(q: Int, r: Int, c: Int) -> Bool:         return both(q == r, r == c)  # every rank has its own block
def goal(q: Int, c: Int) -> Bool:                  return q == c  # and all blocks
def wanted(r: Int) -> Bool:                        return r == 0  # are the root's in the end


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def active(r: Int, t: Int, j: Int, p: Int) -> Bool:  return dst(r, t, j, p) == 0
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return r
def adds(t: Int, p: Int) -> Bool:                  return False
def who(r: Int, c: Int, p: Int) -> Int:            return (r - c - 1) % p  # the message from c's rank


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r`` has block ``c``, which is ``q``'s."""
    return both(q == c, either(r == c, where(r == 0, t > 0, False)))
