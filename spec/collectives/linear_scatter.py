"""Scatter in one step: the root sends each other rank its block [OMPI]_.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  rank ``r`` holds block ``r`` of ``x[0]``.

Message ``j`` goes to rank ``j + 1``.  The peers are those of Open MPI's basic linear scatter.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.linear_scatter", [[*"abc"], [*"ABC"], [*"123"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 0->2:c

.. [OMPI] ``ompi_coll_base_scatter_intra_basic_linear`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_scatter.c.
"""

from sparring.spec.core.numbers import Bool, Int, both, where

kind = "scatter"


def start(q: Int, r: Int) -> Bool:                 return q == r  # every rank has its own vector
def goal(q: Int) -> Bool:                          return q == 0  # and ends with the root's,
def wanted(r: Int, c: Int) -> Bool:                return r == c  # of which one block is its own


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def active(r: Int, t: Int, j: Int, p: Int) -> Bool:  return r == 0
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return dst(r, t, j, p)  # the receiver's
def adds(t: Int, p: Int) -> Bool:                  return False
def who(r: Int, p: Int) -> Int:                    return (r - 1) % p  # which message comes to rank r


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of block ``c`` is ``q``'s."""
    return q == where(both(t > 0, r == c), 0, r)
