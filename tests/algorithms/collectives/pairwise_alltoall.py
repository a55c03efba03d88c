"""What the tests know of pairwise_alltoall."""

from tests.algorithms.collectives import Collective


def turns(p):
    """One after the other."""
    yield from [{(r, (r + i) % p, ((r + i) % p,)) for r in range(p)} for i in range(1, p)]


KNOWN = Collective(messages=turns, forms=("", "p - 1", "n - floor(n/p)"))
