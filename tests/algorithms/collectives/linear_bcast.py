"""What the tests know of linear_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs

KNOWN = Collective(
    peers=lambda p: pairs(lambda r: 0, p),
    wrong_texts=[("return r == 0", "return r == 1")],
    steps_forms=("p - 1", "p - 1", "p - 1", "0", "0"),
)
