"""Broadcast by a scatter along a binomial tree and an allgather by recursive doubling [OMPI]_.

Cut the root's vector into as many chunks as the largest power of two in ``p``, and scatter them to as many ranks along
a tree, as in ``binomial_scatter``.  Then in round ``i`` the ranks that differ in bit ``i`` alone exchange the chunks of
their blocks: a block are the ``2**i`` ranks that have all bits from ``i`` on in common.  Where ``p`` is no power of
two, the first of these ranks then hand the whole vector to the others, one each.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

Where ``p`` is a power of two, peers and chunks are those of Open MPI's scatter-allgather broadcast, which leaves out
messages along the tree that would be empty.  For other ``p`` it has a chunk for each rank, see ``scatter_relay_bcast``;
here the last step is this page's own choice.  All that comes to the root is in vain: so ``economy`` is refuted, and
rightly.

>>> from sparring import run
>>> xs = [["a", "b", "c", "d"], *[["-"] * 4] * 4]
>>> for t, wire, _ in run("sparring.spec.collectives.scatter_doubling_bcast", xs):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->2:c|d
1 0->1:b 2->3:d
2 0->1:a 1->0:b 2->3:c 3->2:d
3 0->2:a|b 1->3:a|b 2->0:c|d 3->1:c|d
4 0->4:a|b|c|d

.. [OMPI] ``ompi_coll_base_bcast_intra_scatter_allgather`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_bcast.c.
"""

from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.gtopk import zeros
from sparring.spec.recursive_doubling import folds, log, rem

__all__ = ["folds", "goal", "kind", "log", "rem", "start", "zeros"]

encoding = "bits"


def scatter(t: Int, p: Int) -> Bool:       return t < log(p)  # the steps along the tree
def last(t: Int, p: Int) -> Bool:          return 2 * log(p) <= t  # the step after the rounds


def bit(t: Int, p: Int) -> Int:
    """Partners differ in this bit; in the last step in the highest of all."""
    return where(scatter(t, p), where(scatter(t, p), log(p) - 1 - t, 0), t - log(p))


def steps(p: Int) -> Int:                  return 2 * log(p) + folds(p)
def chunks(p: Int) -> Int:                 return 1 << log(p)
def adds(t: Int, p: Int) -> Bool:          return False
def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    whole = where(r < rem(p), r + chunks(p), where(chunks(p) <= r, r - chunks(p), r))
    return where(last(t, p), whole, where(r < chunks(p), r ^ (1 << bit(t, p)), r))


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends: along the tree who has chunks for its partner, in a round all that have a partner."""
    given = both(zeros(r, bit(t, p) + 1), r < chunks(p))
    return where(last(t, p), r < rem(p), where(scatter(t, p), given, r < chunks(p)))


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The chunks of the receiver and of those below it; then those of the sender's block, which is all in the end."""
    first = where(scatter(t, p), dst(r, t, p), (r >> bit(t, p)) << bit(t, p))
    return where(active(r, t, p), first, 0), 1 << bit(t, p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s chunk ``c`` is ``q``'s: the root's if it came, on either way or at last."""
    left = where(scatter(t, p), log(p) - t, 0)
    far = (c ^ r).bit_length()
    came = either(both(zeros(r, left), zeros(r, far)), both(log(p) <= t, far <= t - log(p)))
    return q == where(either(both(r < chunks(p), came), 2 * log(p) < t), 0, r)
