"""Reduce-scatter by recursive doubling [OMPI]_.

In round ``i`` the ranks whose numbers differ in bit ``i`` alone exchange what they have: each sends all chunks but
those of the ``2**i`` numbers of which it has heard, its own among them, and adds what it receives.  So after ``log2 p``
rounds every rank has the sum of its own chunk, and sums of others' that nobody wants.  Where ``p`` is no power of two,
each even rank below ``2 rem(p)`` first gives its vector to the next rank, which numbers the two of them as one and
looks after both chunks; then it is silent until that rank hands it the sum of its chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Where ``p`` is a power of two, peers and chunks are Open MPI's.  For other ``p`` it does not fold: ranks without a
partner get what another one has just received, before it is added to anything.  Here messages are always what a rank
has, and the fold is this page's own choice.

>>> from sparring import run
>>> given = [[*"abcd"], [*"ABCD"], [*"1234"], [*"wxyz"]]
>>> for t, wire, _ in run("sparring.spec.collectives.recursive_doubling_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b|c|d 1->0:C|D|A 2->3:4|1|2 3->2:w|x|y
1 0->2:Cc|Dd 1->3:cC|dD 2->0:w1|x2 3->1:1w|2x

.. [OMPI] ``ompi_coll_base_reduce_scatter_block_intra_recursivedoubling`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_reduce_scatter_block.c.
"""

from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, kind, rounds
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.recursive_doubling import active, adds, dst, folds, idle, number, src, steps
from sparring.spec.recursive_doubling_allgather import first

__all__ = ["active", "adds", "dst", "kind", "src", "steps"]  # recursive doubling's own

encoding = "bits"
around = True  # what is sent begins after the sender's own chunks and ends before them


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The whole vector; or all chunks but those of its block of numbers; or, in the end, the receiver's chunk."""
    fold, inner = t < folds(p), inside(t, p)
    bits = where(inner, rounds(t, p), 0)
    begin = (number(r, p) >> bits) << bits
    start, end = first(begin, p), first(begin + (1 << bits), p)
    behind = where(end < p, end, 0)
    return where(fold, 0, where(inner, behind, dst(r, t, p))), where(fold, p, where(inner, p - (end - start), 1))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution, unless ``q`` keeps it back."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    comes = (number(q, p) ^ number(r, p)).bit_length()
    kept = comes == (number(c, p) ^ number(r, p)).bit_length()
    summed = either(comes == 0, both(comes <= rounds(t, p), negate(kept)))
    return where(alone, q == r, where(idle(r, p), either(q == r, r == c), summed))
