"""Allgather of chunks by neighbour exchange [CZ05]_.

Ranks ``2 i`` and ``2 i + 1`` are a pair.  First the two of each pair exchange their chunks.  Then every rank
exchanges, in turns, with its other neighbour and with its partner: it sends the two chunks that came last, in the
first of these turns those of its own pair.  So two chunks come with each message, and ``p / 2`` steps do.  Where ``p``
is odd there are no such pairs, and chunks go round in a ring.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

Peers and chunks are those of Open MPI's ``ompi_coll_base_allgather_intra_neighborexchange``
(``ompi/mca/coll/base/coll_base_allgather.c``), which goes over to its ring where ``p`` is odd.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.neighbor_exchange_allgather", [[*"abcdef"]] * 6):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a 1->0:b 2->3:c 3->2:d 4->5:e 5->4:f
1 0->5:a|b 1->2:a|b 2->1:c|d 3->4:c|d 4->3:e|f 5->0:e|f
2 0->1:e|f 1->0:c|d 2->3:a|b 3->2:e|f 4->5:c|d 5->4:a|b

.. [CZ05] J. Chen, L. Zhang, Y. Zhang and W. Yuan, "Performance evaluation of allgather algorithms on
   terascale Linux cluster with fast Ethernet", HPC Asia 2005.
"""

from sparring.spec import ring_allgather
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.ring_allgather import adds

__all__ = ["adds"]  # nothing is ever added

kind = "allgather"


def paired(p: Int) -> Bool:             return p % 2 == 0
def down(x: Int) -> Int:                return x - x % 2  # to an even number; of a rank, to the first of its pair
def turn(r: Int, t: Int) -> Bool:       return r % 2 == t % 2  # it is the turn of the rank after it
def steps(p: Int) -> Int:               return where(paired(p), p // 2, ring_allgather.steps(p))


def dst(r: Int, t: Int, p: Int) -> Int:
    return (r + where(either(turn(r, t), negate(paired(p))), 1, -1)) % p


def src(r: Int, t: Int, p: Int) -> Int:
    return (r + where(both(turn(r, t), paired(p)), 1, -1)) % p


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """Its own chunk; later a pair, which lies as far from its own as there were steps, rounded down."""
    pair = (down(r) + where(turn(r, t), -down(t), down(t))) % p
    mine = where(t == 0, r, pair)
    return where(paired(p), mine, ring_allgather.chunk(r, t, p)), where(both(paired(p), t > 0), 2, 1)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has chunk ``c``, which is ``q``'s contribution alone."""
    far, near = down(t), down(t - 1)  # how far off pairs may be, on one side and on the other
    after, before = where(r % 2 == 0, near, far), where(r % 2 == 0, far, near)
    come = either((down(c) - down(r)) % p <= after, (down(r) - down(c)) % p <= before)
    mine = where(t == 0, c == r, come)
    return both(q == c, where(paired(p), mine, ring_allgather.holds(q, r, c, t, p)))
