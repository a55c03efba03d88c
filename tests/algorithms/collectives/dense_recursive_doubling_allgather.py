"""What the tests know of dense_recursive_doubling_allgather."""

from tests.algorithms.collectives import Collective


def doubled(p):
    """Recursive doubling, for powers of two, by where what a rank has begins."""
    begins, distance = [*range(p)], 1
    while distance < p:
        yield {(r, r ^ distance, (*range(begins[r], begins[r] + distance),)) for r in range(p)}
        begins = [min(begins[r], begins[r ^ distance]) for r in range(p)]
        distance *= 2


KNOWN = Collective(messages=doubled, powers=True, forms=("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"))
