"""What the tests know of rabenseifner."""

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known
from tests.algorithms.recursive_doubling import folded


def halved(p):
    """MPIR_Allreduce_intra_reduce_scatter_allgather, by what begins and ends a rank's part."""
    pof2, rem, rank = folded(p)
    parts, mask, every = dict.fromkeys(range(pof2), (0, pof2)), 1, (*range(pof2),)
    if rem:
        yield {(2 * v, 2 * v + 1, every) for v in range(rem)}
    while mask < pof2:
        sent, kept = set(), {}
        for v, (begin, end) in parts.items():
            middle = (begin + end) // 2
            kept[v], given = ((begin, middle), (middle, end)) if v < v ^ mask else ((middle, end), (begin, middle))
            sent.add((rank[v], rank[v ^ mask], (*range(*given),)))
        parts, mask = kept, mask * 2
        yield sent
    while mask > 1:
        mask //= 2
        yield {(rank[v], rank[v ^ mask], (*range(*part),)) for v, part in parts.items()}
        ends = {v: sorted({*part, *parts[v ^ mask]}) for v, part in parts.items()}
        parts = {v: (both[0], both[-1]) for v, both in ends.items()}
    if rem:
        yield {(2 * v + 1, 2 * v, every) for v in range(rem)}


KNOWN = Known(
    alike=(
        "a part is not delivered",
        "for i in reversed(range(rounds(p))):",
        "for i in reversed(range(min(1, rounds(p)))):",
    ),
    faults=[
        Fault(
            "other halves",
            "if not low(v, i):",
            "if low(v, i):",
            also={
                "above(first, i, p) if low(v, i) else below(first, i, p)": (
                    "below(first, i, p) if low(v, i) else above(first, i, p)"
                )
            },
            breaks={"steps"},
            ranks=2,
        )
    ],
    aimed=[
        Fault(
            "a receive of the caller's own",
            "return kept(comm).comm",
            "return comm",
            module="core.transport",
        )
    ],
    theorems=[*FORMULAS, "partition", FREE, *MEETING],
    messages=halved,
    words=lambda p, n, k: 2 * (n - n // p),
)
