"""What the tests know of bidirectional_ring."""

from collections import Counter

from tests.algorithms.collectives import Collective


def both_ways(p):
    """A ring in each direction; of two ranks, and of one, no more than one."""
    ways = (1, -1) if p > 2 else (1,)
    return Counter({(r, (r + way) % p): 2 * (p - 1) for r in range(p) for way in ways if p > 1})


KNOWN = Collective(peers=both_ways, wrong_texts=[("p + (r + t) % p)", "p + (r - t) % p)")])
