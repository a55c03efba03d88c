"""Broadcast along four chains: the root sends to the head of each, and each rank to the next one of its chain [OMPI]_.

The other ranks are cut into four chains of ranks in a row, the first ones longer by one where they are not all equal.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The peers are those of Open MPI's chain broadcast, with the fan-out that it takes unless told another.  It cuts the
vector into segments, so that one is sent while the next one comes; here it is sent as a whole.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.four_chains_bcast", [[x] for x in "abcdefgh"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a 0->3:a 0->5:a 0->7:a
1 1->2:a 3->4:a 5->6:a

.. [OMPI] ``ompi_coll_base_bcast_intra_chain`` and ``ompi_coll_base_topo_build_chain`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_bcast.c and coll_base_topo.c.
"""

from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, where

__all__ = ["goal", "kind", "start"]  # linear broadcast's promise


def short(p: Int) -> Int:                            return (p - 1) // 4  # ranks of a chain that is not longer
def longer(p: Int) -> Int:                           return (p - 1) % 4  # so many chains are, by one rank


def head(j: Int, p: Int) -> Int:
    """The first rank of chain ``j``, one after the last rank of the chain before."""
    full = where(j == 0, 0, where(j == 1, short(p), where(j == 2, 2 * short(p), where(j == 3, 3 * short(p), p))))
    return where(j == 4, p, 1 + full + where(j < longer(p), j, longer(p)))


def chain(r: Int, p: Int) -> Int:
    """The chain on which rank ``r`` is."""
    return where(r < head(1, p), 0, where(r < head(2, p), 1, where(r < head(3, p), 2, 3)))


def there(t: Int, j: Int, p: Int) -> Bool:           return head(j, p) + t < head(j + 1, p)  # it has so many ranks
def upper(t: Int, j: Int, p: Int) -> Int:            return where(t == 0, 0, head(j, p) + t - 1)  # who sends along it
def lower(t: Int, j: Int, p: Int) -> Int:            return head(j, p) + t  # and to whom


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:
    """Of the two that have to do with one another on chain ``j`` the other one, if it is long enough; else itself."""
    other = where(r == upper(t, j, p), lower(t, j, p), where(r == lower(t, j, p), upper(t, j, p), r))
    return where(there(t, j, p), other, r)


def steps(p: Int) -> Int:                            return short(p) + where(longer(p) > 0, 1, 0)
def messages(t: Int, p: Int) -> Int:                 return 4  # message j goes along chain j
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def chunks(p: Int) -> Int:                           return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:                    return False
def who(r: Int, p: Int) -> Int:                      return chain(r, p)


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    return both(there(t, j, p), r == upper(t, j, p))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(r < head(chain(r, p), p) + t, 0, r)
