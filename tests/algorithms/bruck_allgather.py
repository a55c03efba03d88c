"""What the tests know of bruck_allgather."""

from tests.algorithms import Fault, Known


def bruck(p):
    """MPIR_Allgather_intra_brucks, with its buffer."""
    buffer, pof2 = [[r] for r in range(p)], 1
    while pof2 <= p // 2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r])) for r in range(p)}
        buffer = [buffer[r] + buffer[(r + pof2) % p] for r in range(p)]
        pof2 *= 2
    if p > pof2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r][: p - pof2])) for r in range(p)}


KNOWN = Known(
    alike=("a rank's vector is left out", "for q in range(p)]\n", "for q in range(min(p, 3))]\n"),
    faults=[
        Fault(
            "the other way",
            "outgoing, before(r, d, p), incoming, after(r, d, p)",
            "outgoing, after(r, d, p), incoming, before(r, d, p)",
            breaks={"hygiene"},
        )
    ],
    gone_through=True,
    open_obligations={"shifts of holds", "shifts of the schedule"},
    messages=bruck,
    no_pattern="partners do not differ in one bit",
)
