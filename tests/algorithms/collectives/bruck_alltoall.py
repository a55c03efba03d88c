"""What the tests know of bruck_alltoall."""

from tests.algorithms.collectives import Collective


def bruck(p):
    """Bruck's alltoall with its buffer: what is at a place whose number has the bit goes on, all of it at once."""
    held, distance = [[(r, (r + i) % p) for i in range(p)] for r in range(p)], 1
    while distance < p:
        some = tuple(i for i in range(p) if i & distance)
        yield {(r, (r + distance) % p, some) for r in range(p)}
        held = [[held[(r - distance) % p][i] if i in some else held[r][i] for i in range(p)] for r in range(p)]
        distance *= 2
    assert all({*held[r]} == {(q, r) for q in range(p)} for r in range(p)), "this is no alltoall"


KNOWN = Collective(
    messages=bruck,
    wrong_texts=[
        ("(c >> t) % 2 == 1", "(c >> t) % 2 == 0"),
        ("(c >> t) % 2 == 1", "c % 2 == 1"),
        ("(r + (1 << t)) % p", "(r + 1) % p"),
        ("((c >> t >> 1) << t) + ", "(c >> t >> 1) + "),
    ],
    forms=("p = 2^m, p | n", "log2(p)", "n*log2(p)/2"),
)
