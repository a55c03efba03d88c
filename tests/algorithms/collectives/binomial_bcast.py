"""What the tests know of binomial_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import highest, pairs

KNOWN = Collective(
    peers=lambda p: pairs(highest, p),
    wrong_texts=[("both(r < 1 << t, other", "both(r < 2 << t, other")],
    steps_forms=("ceil(log2(p))", "ceil(log2(p))", "ceil(log2(p))", "0", "0"),
)
