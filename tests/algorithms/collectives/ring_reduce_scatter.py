"""What the tests know of ring_reduce_scatter."""

from tests.algorithms.collectives import Collective


def ring_sums(p):
    """A reduce-scatter in a ring: a sum that a rank sends is the next one's own last, and began one after its own."""
    last = [(r - 1) % p for r in range(p)]
    for _ in range(p - 1):
        yield {(r, (r + 1) % p, (last[r],)) for r in range(p)}
        last = [last[-1], *last[:-1]]


KNOWN = Collective(messages=ring_sums, forms=("", "p - 1", "n - floor(n/p)"))
