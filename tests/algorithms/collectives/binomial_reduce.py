"""What the tests know of binomial_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs, turned

KNOWN = Collective(
    peers=lambda p: turned(pairs(lowest, p)),
    wrong_texts=[("both(zeros(r, t), negate", "both(zeros(r, t - t), negate")],
    steps_forms=("ceil(log2(p))", "Min(1, p - 1)", None, "ceil(log2(p))", "ceil(log2(p))"),
)
