"""What the tests know of rabenseifner_halves."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import folds


def halves(p):
    """Of Rabenseifner's allreduce: pairs fold, all exchange in each round, and again backwards, and pairs unfold."""
    rounds = p.bit_length() - 1
    rem = p - (1 << rounds)
    rank = [*range(0, 2 * rem, 2), *range(2 * rem, p)]
    exchanges = [(rank[v], rank[v ^ 1 << i]) for i in range(rounds) for v in range(1 << rounds)] * 2
    return Counter([*folds(rem), *exchanges, *((2 * v, 2 * v + 1) for v in range(rem))])


KNOWN = Collective(
    peers=halves,
    wrong_texts=[("where(either(r % 2 == 0, t == 1), half(p), 0)", "where(r % 2 == 0, half(p), 0)")],
    slow=True,
    forms=(
        "2^floor(log2 p) | n",
        "3*ceil(log2(p)) - floor(log2(p))",
        "3*n*ceil(log2(p))/2 - 3*n*floor(log2(p))/2 + 2*n - 2*n/2**floor(log2(p))",
    ),
    slow_forms=True,
)
