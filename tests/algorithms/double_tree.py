"""What the tests know of double_tree."""

from tests.algorithms import FORMULAS, MEETING, Fault, Known


def parents(p):
    """The tree of ``ncclGetBtree``, by number: whose parent is who, and by which lowest bit."""
    for v in range(1, p):
        bit = v & -v
        up = (v ^ bit) | (bit << 1)
        yield bit, v, up if up < p else v ^ bit


def doubled(p):
    """That tree and, for the second half, the same with all ranks one further, as ``ncclGetDtree`` has it for odd p."""
    steps = []
    for bit in (1 << i for i in range((p - 1).bit_length())):
        edges = [(v, up) for low, v, up in parents(p) if low == bit]
        steps.append({((v + c) % p, (up + c) % p, (c,)) for v, up in edges for c in (0, 1)})
    yield from steps
    yield from [{(b, a, c) for a, b, c in step} for step in reversed(steps)]


KNOWN = Known(
    alike=("a rank's vector is left out", "for part in ordered[2:]:", "for part in ordered[3:]:"),
    faults=[Fault("all parents are lesser", "return multiple(before(v, i), i + 2) and", "return v < 0 and", ranks=5)],
    theorems=[*FORMULAS, "partition", *MEETING],
    messages=doubled,
)
