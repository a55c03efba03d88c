"""What the tests know of recursive_halving_reduce_scatter."""

from itertools import accumulate

from tests.algorithms.collectives import Collective


def halved(p):
    """Recursive halving, by the numbers between which a rank's part lies, with the sizes of parts summed up."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    at = [0, *accumulate(2 if v < rest else 1 for v in range(half))]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    low, high = [0] * half, [half] * half
    while half > 1:
        half //= 2
        sent = set()
        for v, up in [(v, bool(v & half)) for v in range(len(rank))]:
            ends = (low[v], low[v] + half) if up else (low[v] + half, high[v])
            sent.add((rank[v], rank[v ^ half], (*range(*(at[x] for x in ends)),)))
            low[v], high[v] = (low[v] + half, high[v]) if up else (low[v], low[v] + half)
        yield sent
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


KNOWN = Collective(messages=halved, forms=("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"))
