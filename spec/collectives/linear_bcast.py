"""Broadcast in one step: the root sends its vector to each other rank [OMPI]_.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

Message ``j`` goes to rank ``j + 1``.  The peers are those of Open MPI's basic linear broadcast.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.linear_bcast", [["a"], ["b"], ["c"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a 0->2:a

.. [OMPI] ``ompi_coll_base_bcast_intra_basic_linear`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_bcast.c.
"""

from sparring.spec.core.numbers import Bool, Int, where

kind = "bcast"


def start(q: Int, r: Int) -> Bool:                 return q == r  # every rank has its own vector
def goal(q: Int) -> Bool:                          return q == 0  # and ends with the root's


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def active(r: Int) -> Bool:                        return r == 0
def chunks(p: Int) -> Int:                         return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return 0
def adds(t: Int, p: Int) -> Bool:                  return False
def who(r: Int, p: Int) -> Int:                    return (r - 1) % p  # which message comes to rank r


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(t > 0, 0, r)
