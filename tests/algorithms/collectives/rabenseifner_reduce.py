"""What the tests know of rabenseifner_reduce."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import folds, highest


def gathered(p):
    """Of Rabenseifner's reduction: pairs fold, all exchange in each round, then sums go along the binomial tree."""
    rounds = p.bit_length() - 1
    rem = p - (1 << rounds)
    rank = [*range(0, 2 * rem, 2), *range(2 * rem, p)]
    exchanges = [(rank[v], rank[v ^ 1 << i]) for i in range(rounds) for v in range(1 << rounds)]
    return Counter([*folds(rem), *exchanges, *((rank[v], rank[highest(v)]) for v in range(1, 1 << rounds))])


KNOWN = Collective(
    peers=gathered,
    wrong_texts=[("1 << bit(t, p) <= number(r, p)", "1 < number(r, p)")],
    slow=True,
    forms=("p = 2^m, 2^floor(log2 p) | n", "2*log2(p)", "n*Min(1, p - 1)/2 + n - n/p"),
    slow_forms=True,
)
