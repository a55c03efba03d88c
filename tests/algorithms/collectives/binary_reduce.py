"""What the tests know of binary_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import binary, pairs, turned

LEVELS = "ceil(log2(floor(p/3) + 1)) + floor(log2(p))"  # levels with a first child, and those with a second one
KNOWN = Collective(
    peers=lambda p: turned(pairs(binary, p)),
    wrong_texts=[("both(on(r, level(t, p)), j == side(r, t, p))", "on(r, level(t, p))")],
    slow=True,
    steps_forms=("floor(log2(p))", "Min(1, p - 1)", "floor(log2(p))", "Min(2, p - 1)", LEVELS),
    slow_forms=True,
)
