"""What the tests know of dense_bruck_allgather."""

from tests.algorithms.collectives import Collective


def bruck(p):
    """Bruck's, with its buffer."""
    buffers, many = [[r] for r in range(p)], 1
    while many < p:
        count = min(many, p - many)
        yield {(r, (r - many) % p, (*buffers[r][:count],)) for r in range(p)}
        buffers = [buffers[r] + buffers[(r + many) % p][:count] for r in range(p)]
        many *= 2


KNOWN = Collective(messages=bruck, forms=("p | n", "ceil(log2(p))", "n*(p - 1)/p"))
