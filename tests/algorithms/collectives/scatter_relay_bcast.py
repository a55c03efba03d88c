"""What the tests know of scatter_relay_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs


def relayed(p):
    """Along the in-order binomial tree; exchanges in each round; then who has them tells the first block's others."""
    sends = pairs(lowest, p)
    for mask in (1 << i for i in range((p - 1).bit_length())):
        sends += Counter((r, r ^ mask) for r in range(p) if r ^ mask < p)
        for begin in range(0, p, 2 * mask):
            informed = {r - mask for r in range(begin + mask, min(begin + 2 * mask, p))}
            sends += told(informed, begin, mask) if informed else Counter()
    return sends


def told(informed, begin, size):
    """Who tells whom until all of a block are informed: in halves of it, then in halves of these."""
    sends, half = Counter(), size // 2
    while len(informed) < size:
        news = Counter((r, r + half) for r in informed if not (r - begin) & half and r + half not in informed)
        sends, informed, half = sends + news, informed | {d for _, d in news}, half // 2
    return sends


KNOWN = Collective(
    peers=relayed,
    wrong_texts=[
        ("where(done <= upper, done, 2 * upper - done))", "where(done <= upper, done, 2 * upper + 1 - done))")
    ],
    in_vain=True,
    slow=True,
)
