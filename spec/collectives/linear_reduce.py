"""Reduction in one step: every other rank sends its vector to the root [OMPI]_.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

Message ``j`` of a rank would go to the rank ``j + 1`` further; only the one to rank 0 is sent.  The peers are those of
Open MPI's basic linear reduction.  It adds from the last rank to the first, the page in the order of ranks.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.linear_reduce", [["a"], ["b"], ["c"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 1->0:b 2->0:c

.. [OMPI] ``ompi_coll_base_reduce_intra_basic_linear`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_reduce.c.
"""

from sparring.spec.core.numbers import Bool, Int, either, where

kind = "reduce"


def start(q: Int, r: Int) -> Bool:                 return q == r  # every rank has its own vector
def goal(q: Int) -> Bool:                          return True  # and the sum of all
def wanted(r: Int) -> Bool:                        return r == 0  # is the root's in the end


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def chunks(p: Int) -> Int:                         return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return 0
def adds(t: Int, p: Int) -> Bool:                  return True
def who(q: Int, r: Int, p: Int) -> Int:            return (r - q - 1) % p  # the message from rank q


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    return dst(r, t, j, p) == 0


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector contains ``q``'s contribution."""
    return either(q == r, where(r == 0, t > 0, False))
