"""ZEN's balanced parallelism: a hash says which rank adds up which entry, so that sparse vectors lie evenly [WZ25]_.

Where the entries lie that are not zero, no rank can know beforehand; in embeddings they lie in heaps.  So indices are
dealt out by a hash that all ranks share, and never by where entries are.  In the first step, *push*, every rank sends
each other rank what it has at the indices that the other owns: entries that are not zero, each with its place.  An
owner adds these up, in the order of the ranks.  In the second step, *pull*, it sends the sums that are not zero to
everybody.  All know which indices it owns, so here no place is told: a bitmap has one bit for each of them.  Together
the bitmaps of all ranks have one bit for each index, however many ranks there are.

In the paper the hash gives each index its owner, and ranks own about as many.  Here it gives an order of all indices,
which is cut into ``p`` parts of one length; an index lies in each part with the same chance.  That is our reading, as
is the hash.  The paper's is a MurmurHash, as others tell, with further ones for the memory of a GPU: no message shows
those.

Requires: ``p >= 1``; vectors of one length; ``seed >= 0``.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, added up in the order of the ranks.

What is pushed is longer than dense if more than about half of the entries are there; the paper is for few.  A sum that
cancels to zero is not pulled, which its receivers cannot tell apart.

>>> from sparring import run
>>> ran = run("zen", [[0, 0, 3, 0, 6, 0], [1, 0, 4, 0, 0, 0]], seed=7)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1, 1, 6] 1->0:[1, 1, 4]
1 0->1:[2, 7] 1->0:[6, 6, 1]
>>> ran.results[0]
[1, 0, 7, 0, 6, 0]

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025, arXiv:2309.13254.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.codecs.nonzero_blocks import NonzeroBlocks
from sparring.spec.codecs.nonzero_pairs import NonzeroPairs
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, reduce_scatter
from sparring.spec.core.vectors import Vector, plain, total
from sparring.spec.library.hashed_order import hashed, restored

data = "dense"

PUSH, PULL = NonzeroPairs(), NonzeroBlocks(1)  # an entry with its place; with a bit

class Params(NamedTuple):
    """``seed``: of the hash."""

    seed: Annotated[int, Between(0)] = 0


def program(x: Vector, params: Params) -> Text:
    sums = yield reduce_scatter(hashed(x, params.seed), PUSH)
    y = yield allgather(sums, PULL)
    return plain(restored(y, params.seed))


def ensures(x: Vector, params: Params) -> Any:
    """What all ranks end with; that an entry comes back to its index is a theorem of its own."""
    return total(restored(hashed(x, params.seed), params.seed))
