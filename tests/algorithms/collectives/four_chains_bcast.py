"""What the tests know of four_chains_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import chained, pairs

HEADS = "ceiling(p/4 - 1/4) - Min(1, p - 1) + Min(4, p - 1)"  # a chain's steps; all four heads take part in one
KNOWN = Collective(
    peers=lambda p: pairs(lambda r: chained(r, p), p),
    wrong_texts=[("where(j < longer(p), j, longer(p))", "j")],
    steps_forms=(HEADS, "Min(4, p - 1)", HEADS, "0", "0"),
)
