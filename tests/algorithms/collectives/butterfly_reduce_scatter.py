"""What the tests know of butterfly_reduce_scatter."""

from itertools import accumulate

from tests.algorithms.collectives import Collective


def butterfly(p):
    """The butterfly, by where what a rank has begins, of so many parts, and how many of them it has."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    at = [0, *accumulate(2 if v < rest else 1 for v in range(half))]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    begins, many, mask = [0] * half, half, 1
    while mask < half:
        many //= 2
        given = [begins[v] + (0 if v & mask else many) for v in range(half)]
        yield {(rank[v], rank[v ^ mask], (*range(at[given[v]], at[given[v] + many]),)) for v in range(half)}
        begins = [begins[v] + (many if v & mask else 0) for v in range(half)]
        mask *= 2
    if half > 2:
        yield {(rank[v], rank[begins[v]], (rank[begins[v]],)) for v in range(half) if begins[v] != v}
    if rest:
        yield {(rank[v], 2 * begins[v], (2 * begins[v],)) for v in range(half) if begins[v] < rest}


KNOWN = Collective(
    messages=butterfly,
    slow=True,
    forms=("p = 2^m, p | n", "log2(p) + Min(1, floor(p/4))", "n*(p + Min(1, floor(p/4)) - 1)/p"),
    slow_forms=True,
)
