"""What the tests know of chain_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs, turned

KNOWN = Collective(
    peers=lambda p: turned(pairs(lambda r: r - 1, p)),
    wrong_texts=[("return r == p - 1 - t", "return r == p - 2 - t")],
    steps_forms=("p - 1", "Min(1, p - 1)", "p - 1", "Min(1, p - 1)", "p - 1"),
)
