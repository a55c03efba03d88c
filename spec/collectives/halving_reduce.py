"""Reduction along a binomial tree, from far to near: the upper half of the ranks sends its sums to the lower [OMPI]_.

In each step, from the highest bit on, a rank that has this bit as its highest sends what it has to that rank without
it, which adds.  So half as many ranks are left each time, those from 0 on.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The tree is that of ``binomial_bcast``, backwards, and that of the reduction of Open MPI's component ``adapt``, which
adds what comes in the order in which it comes.  The tree of ``binomial_reduce`` is another one: there near ranks add
first.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.halving_reduce", [["a"], ["b"], ["c"], ["d"], ["e"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 4->0:e
1 2->0:c 3->1:d
2 1->0:db

.. [OMPI] ``ompi_coll_adapt_ireduce`` and ``ompi_coll_base_topo_build_bmtree`` in open-mpi/ompi 5.0, which are in
   ompi/mca/coll/adapt/coll_adapt_ireduce.c and ompi/mca/coll/base/coll_base_topo.c.
"""

from sparring.spec.collectives.binomial_bcast import chunk, chunks, rounds
from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, where

__all__ = ["chunk", "chunks", "goal", "kind", "rounds", "start", "wanted"]

encoding = "bits"


def bit(t: Int, p: Int) -> Int:              return where(t < rounds(p), rounds(p) - 1 - t, 0)  # the senders' highest


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank that differs from ``r`` in this bit, itself if there is none."""
    found = r ^ (1 << bit(t, p))
    return where(found < p, found, r)


def steps(p: Int) -> Int:                    return rounds(p)
def src(r: Int, t: Int, p: Int) -> Int:      return dst(r, t, p)
def adds(t: Int, p: Int) -> Bool:            return True
def active(r: Int, t: Int, p: Int) -> Bool:  return both(1 << bit(t, p) <= r, r < 1 << (bit(t, p) + 1))


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """A rank that has sent what it has does no more."""
    return r < 1 << (rounds(p) - t)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, a rank that is left has the contributions of those whose last bits are its own."""
    left = rounds(p) - t
    return q - ((q >> left) << left) == r
