"""What the tests know of linear_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs, turned

KNOWN = Collective(
    peers=lambda p: turned(pairs(lambda r: 0, p)),
    wrong_texts=[("dst(r, t, j, p) == 0", "dst(r, t, j, p) == 1")],
    steps_forms=("Min(1, p - 1)", "Min(1, p - 1)", "Min(1, p - 1)", "p - 1", "p - 1"),
)
