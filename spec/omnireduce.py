"""OmniReduce: allreduce that sends only blocks with something in them [FH21]_.

Cut every vector into ``p`` chunks, of which rank ``c`` adds up chunk ``c``, and each chunk into blocks of ``block``
entries.  In the first step every rank sends each other rank those blocks of the other's chunk that are not all zero.
A rank adds up the ``p`` copies of its chunk, in the order of the ranks; blocks of which nothing came are zero.  In the
second step it sends those blocks of the sum that are not all zero to everybody.  No entry has an index: a message tells
with one bit a block which blocks it has (``spec/codecs/nonzero_blocks.py``).

This is a reading of the paper, whose ranks stream: a worker sends a block together with where its next one begins, an
aggregator waits for all whose next block is this one, and answers with the sum and with the block that anybody has
next.  That look-ahead decides when blocks are sent, and not which: here a step has all that a rank knows to be wanted.
Aggregators are the ranks themselves, each for one chunk.  In the paper all blocks come back that some worker sent; here
a block whose sums are all zero does not, which its receivers cannot tell apart.  Nor are slots, packets and loss here.

Requires: ``p >= 1``; vectors of one length; ``block >= 1``.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, added up in the order of the ranks.

Where a block has an entry, all its entries are sent: with one non-zero entry a block the messages are ``block`` times
as long as the entries, and where all blocks have one they are longer than dense ones, by one bit a block.

>>> from sparring import run
>>> ran = run("omnireduce", [[0, 0, 3, 0, 0, 0, 0, 0], [0, 0, 4, 1, 0, 0, 0, 5]], block=2)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0] 1->0:[2, 4, 1]
1 0->1:[2, 7, 1] 1->0:[2, 0, 5]
>>> ran.results[0]
[0, 0, 7, 1, 0, 0, 0, 5]

.. [FH21] J. Fei, C.-Y. Ho, A. N. Sahu, M. Canini and A. Sapio, "Efficient sparse collective communication and its
   application to accelerate distributed deep learning", SIGCOMM 2021, doi:10.1145/3452296.3472904.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.codecs.nonzero_blocks import NonzeroBlocks
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, reduce_scatter
from sparring.spec.core.vectors import Vector, plain, total

data = "dense"


class Params(NamedTuple):
    """``block``: how many entries are sent together, or not at all."""

    block: Annotated[int, Between(1, 2**32)] = 256


def program(x: Vector, params: Params) -> Text:
    code = NonzeroBlocks(params.block)
    sums = yield reduce_scatter(x, code)
    y = yield allgather(sums, code)
    return plain(y)


def ensures(x: Vector) -> Any:
    """What all ranks end with."""
    return total(x)
