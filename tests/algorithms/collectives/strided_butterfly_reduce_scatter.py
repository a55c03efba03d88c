"""What the tests know of strided_butterfly_reduce_scatter."""

from tests.algorithms.collectives import Collective


def strided(p):
    """The butterfly with lists of what each still has; where ``p`` is no power of two, two ranks have one number."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    chunks = [(2 * v, 2 * v + 1) if v < rest else (v + rest,) for v in range(half)]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    held, mask = [[*range(half)] for _ in range(half)], 1
    while mask < half:
        given = [[w for w in held[v] if (w ^ v) & mask] for v in range(half)]
        yield {(rank[v], rank[v ^ mask], tuple(c for w in given[v] for c in chunks[w])) for v in range(half)}
        held = [[w for w in held[v] if not (w ^ v) & mask] for v in range(half)]
        mask *= 2
    assert held == [[v] for v in range(half)], "this is no reduce-scatter"
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


KNOWN = Collective(
    messages=strided,
    wrong_texts=[
        ("1 << (log(p) - bits)", "1 << bits"),
        ("c == partner", "c == r"),
        ("where(t < folds(p), True,", "where(t < folds(p), c == partner,"),
    ],
    slow=True,
    forms=("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"),
    slow_forms=True,
)
