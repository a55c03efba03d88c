"""What the tests know of binomial_gather."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import lowest, pairs, turned

KNOWN = Collective(
    peers=lambda p: turned(pairs(lowest, p)),
    wrong_texts=[("where(r + (1 << t) < p, 1 << t, p - r)", "1")],
    forms=("p | n", "ceil(log2(p))", "n*Max(2**ceil(log2(p))/4, -2**ceil(log2(p))/2 + p)*Min(1, p - 1)/p"),
)
