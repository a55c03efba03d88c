"""What the tests know of four_chains_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import chained, pairs, turned

CHAIN = "ceiling(p/4 - 1/4)"  # the steps of a chain; all four heads take part in the last
KNOWN = Collective(
    peers=lambda p: turned(pairs(lambda r: chained(r, p), p)),
    wrong_texts=[("r == lower(back(t, p), j, p)", "r > 0")],
    steps_forms=(CHAIN, "Min(1, p - 1)", CHAIN, "Min(4, p - 1)", f"{CHAIN} - Min(1, p - 1) + Min(4, p - 1)"),
    slow_forms=True,
)
