"""What the tests know of scatter_ring_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs


def ringed(p):
    """Of scatter and ring: along the in-order binomial tree, then ``p - 1`` times around."""
    return pairs(lowest, p) + Counter({(r, (r + 1) % p): p - 1 for r in range(p) if p > 1})


KNOWN = Collective(
    peers=ringed,
    wrong_texts=[("rounds(p) + p - 1", "rounds(p) + p - 2")],
    in_vain=True,
    slow=True,
    forms=("p | n", "p + ceil(log2(p)) - 1", "2*n*(p - 1)/p"),
)
