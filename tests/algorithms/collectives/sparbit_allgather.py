"""What the tests know of sparbit_allgather."""

from tests.algorithms.collectives import Collective


def sparbit(p):
    """Sparbit with a list of how far before it a rank has chunks; the last is left out where all would be too many."""
    far, distance = [0], 1 << (p - 1).bit_length() >> 1
    while distance:
        some = far[: -(-p // distance) - len(far)]
        yield {(r, (r + distance) % p, (*sorted((r - one) % p for one in some),)) for r in range(p)}
        far = sorted(far + [one + distance for one in some])
        distance >>= 1
    assert far == [*range(p)], "this is no allgather"


KNOWN = Collective(
    messages=sparbit,
    wrong_texts=[
        ("zeros(far, bit(t, p) + 1), far", "zeros(far, bit(t, p)), far"),
        ("far + (1 << bit(t, p)) < p", "far + (1 << bit(t, p)) < p - 1"),
        ("rounds(p) - 1 - t", "t"),
    ],
    forms=("p | n", "ceil(log2(p))", "n*(p - 1)/p"),
)
