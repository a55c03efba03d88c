"""What the tests know of binary_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import binary, pairs

LEVELS = "ceil(log2(floor(p/3) + 1)) + floor(log2(p))"  # levels with a first child, and those with a second one
KNOWN = Collective(
    peers=lambda p: pairs(binary, p),
    wrong_texts=[("r + (1 << (t + j))", "r + (1 << t) + j")],
    steps_forms=(LEVELS, "Min(2, p - 1)", LEVELS, "0", "0"),
    slow_forms=True,
)
