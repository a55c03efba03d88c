"""What the tests know of recursive_doubling_reduce_scatter."""

from tests.algorithms.collectives import Collective


def doubled_sums(p):
    """Recursive doubling of sums, by rank the chunks that it sends: all but those of numbers that it has heard."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    chunks = [(2 * v, 2 * v + 1) if v < rest else (v + rest,) for v in range(half)]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    mask = 1
    while mask < half:
        after = [[w % half for w in range(v // mask * mask + mask, v // mask * mask + half)] for v in range(half)]
        yield {(rank[v], rank[v ^ mask], tuple(c for w in after[v] for c in chunks[w])) for v in range(half)}
        mask *= 2
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


KNOWN = Collective(messages=doubled_sums, slow=True, forms=("p = 2^m, p | n", "log2(p)", "n*(p*log2(p) - p + 1)/p"))
