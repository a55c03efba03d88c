"""What the tests know of binomial_scatter."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs

KNOWN = Collective(
    peers=lambda p: pairs(lowest, p),
    wrong_texts=[("where(first + size < p, size, p - first)", "1")],
    forms=("p | n", "ceil(log2(p))", "n*(p - 1)/p"),
)
