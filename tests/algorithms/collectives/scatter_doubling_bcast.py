"""What the tests know of scatter_doubling_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs


def doubled(p):
    """Of scatter and doubling: along the in-order binomial tree, exchanges in each round, and to those left over."""
    many = 1 << p.bit_length() - 1
    exchanges = Counter((r, r ^ 1 << i) for i in range(p.bit_length() - 1) for r in range(many))
    return pairs(lowest, many) + exchanges + Counter((r - many, r) for r in range(many, p))


KNOWN = Collective(
    peers=doubled,
    wrong_texts=[("where(last(t, p), r < rem(p), ", "where(last(t, p), r + 1 < rem(p), ")],
    in_vain=True,
    forms=(
        "2^floor(log2 p) | n",
        "ceil(log2(p)) + floor(log2(p))",
        "n*ceil(log2(p)) - n*floor(log2(p)) + 2*n - 2*n/2**floor(log2(p))",
    ),
)
