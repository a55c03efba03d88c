"""What the tests know of dense_ring_allgather."""

from tests.algorithms.collectives import Collective


def ring_chunks(p):
    """The ring, by what came last."""
    last = [*range(p)]
    for _ in range(p - 1):
        yield {(r, (r + 1) % p, (last[r],)) for r in range(p)}
        last = [last[-1], *last[:-1]]


KNOWN = Collective(messages=ring_chunks, forms=("", "p - 1", "n - floor(n/p)"))
