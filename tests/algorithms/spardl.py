"""What the tests know of spardl."""

from tests.algorithms import Fault, Known


def distances(p, **_):
    """Gaps and numbers of blocks that ``init_send_info`` of SparDL's public code has for one team."""
    gap = 1 << (p - 1).bit_length() - 1 if p > 1 else 0
    ways = []
    while gap:
        ways.append((gap, min(gap, p - gap)))
        gap //= 2
    yield from [{(r, (r + gap) % p, tuple((r + gap + j) % p for j in range(n))) for r in range(p)} for gap, n in ways]
    yield from [{(r, (r - gap) % p, tuple((r + j) % p for j in range(n))) for r in range(p)} for gap, n in ways[::-1]]


KNOWN = Known(
    alike=(
        "a part is not delivered",
        "parts = [every.entries(place(c, r, p)) for c in range(p)]",
        "parts = [every.entries(place(c, r, p)) for c in range(min(p, 2))]",
    ),
    faults=[
        Fault(
            "residuals are of the vector, not of what was cut off",
            "x[y.indices] = cut_off[y.indices]",
            "x[y.indices] = 0",
            breaks={"conservation", "result"},
        )
    ],
    aimed=[
        Fault(
            "a receive of the caller's own",
            "return kept(comm).comm",
            "return comm",
            module="core.transport",
        ),
        Fault("many ranks", "begun(rounds(p) - 1 - i)", "begun(min(rounds(p), 3) - 1 - i)"),
    ],
    made_with={"k": 2, "allow_nan": False},
    messages=distances,
    no_pattern="partners do not differ in one bit",
)
