"""What the tests know of neighbor_exchange_allgather."""

from tests.algorithms.collectives import Collective
from tests.algorithms.collectives.dense_ring_allgather import ring_chunks


def neighbours(p):
    """Neighbour exchange, by what came last: first one's own chunk, then one's own pair; where p is odd, a ring."""
    if p % 2:
        yield from ring_chunks(p)
        return
    own = [tuple(sorted({r, r ^ 1})) for r in range(p)]
    last = [(r,) for r in range(p)]
    for i in range(p // 2):
        peers = [(r + (1 if (r + i) % 2 == 0 else -1)) % p for r in range(p)]
        yield {(r, peers[r], last[r]) for r in range(p)}
        last = [last[peers[r]] for r in range(p)] if i else own


KNOWN = Collective(messages=neighbours)
