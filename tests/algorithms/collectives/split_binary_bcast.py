"""What the tests know of split_binary_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import binary, pairs


def swapped(p):
    """Of the split binary tree: along it, then odd ranks and even ones after them both ways; the root only sends."""
    swaps = [(r, r + 1) for r in range(1, p - 1, 2)]
    last = [(0, p - 1)] if p % 2 == 0 else []
    return pairs(binary, p) + Counter([*swaps, *((b, a) for a, b in swaps), *last])


KNOWN = Collective(peers=swapped, wrong_texts=[("either(p % 2 == 0, r > 0)", "r > 0")])
