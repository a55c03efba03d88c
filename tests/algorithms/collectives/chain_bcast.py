"""What the tests know of chain_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs

KNOWN = Collective(
    peers=lambda p: pairs(lambda r: r - 1, p),
    wrong_texts=[("return r == t", "return r == t + 1")],
    steps_forms=("p - 1", "Min(1, p - 1)", "p - 1", "0", "0"),
)
