"""What the tests know of linear_alltoall."""

from tests.algorithms.collectives import Collective


def at_once(p):
    """All in one step."""
    yield from [{(r, d, (d,)) for r in range(p) for d in range(p) if r != d}] if p > 1 else []


KNOWN = Collective(messages=at_once, forms=("", "p - 1", "n - floor(n/p)"))
