"""What the tests know of recursive_doubling_allgather."""

from tests.algorithms import Known


def doubled(p):
    """MPIR_Allgather_intra_recursive_doubling, for powers of two."""
    mask = 1
    while mask < p:
        yield {(r, r ^ mask, tuple(range(r // mask * mask, r // mask * mask + mask))) for r in range(p)}
        mask *= 2


KNOWN = Known(
    alike=("a rank's vector is left out", "for q in range(p)]\n", "for q in range(max(1, p - 1))]\n"),
    messages=doubled,
    powers=True,
)
