"""What the tests know of split_binary_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import binary, pairs


def swapped(p):
    """Of the split binary tree: along it, then odd ranks and even ones after them both ways; the root only sends."""
    swaps = [(r, r + 1) for r in range(1, p - 1, 2)]
    last = [(0, p - 1)] if p % 2 == 0 else []
    return pairs(binary, p) + Counter([*swaps, *((b, a) for a, b in swaps), *last])


OTHERS = "Min(1, floor(p/6)) + Min(1, floor(p/4)) + Min(1, floor(p/3))"  # rank 1: two children, and the swap
ROOT = "-ceiling(p/2) + floor(p/2) + Min(2, p - 1) + 1"  # a swap where a last rank is odd, and two children
KNOWN = Collective(
    peers=swapped,
    wrong_texts=[("either(p % 2 == 0, r > 0)", "r > 0")],
    forms=(
        "2 | n",
        "ceil(log2(floor(p/3) + 1)) + floor(log2(p)) + Min(1, p - 1)",  # levels as in binary_bcast, and the swap
        f"n*Max({OTHERS}, {ROOT})/2",
    ),
    slow_forms=True,
)
