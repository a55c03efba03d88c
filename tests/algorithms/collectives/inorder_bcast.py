"""What the tests know of inorder_bcast."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.algorithms.collectives.inorder_reduce import parent

KNOWN = Collective(
    peers=lambda p: Counter((parent(v, p), v) for v in range(1, p)),
    wrong_texts=[("return steps(p) - 1 - t", "return t")],
)
