"""What the tests know of swing."""

from tests.algorithms import FREE, MEETING, Fault, Known
from tests.algorithms.recursive_doubling import folded


def swung(p):
    """By its sums of powers of -2, added up one after the other, among the numbers that folding leaves."""
    pof2, rem, rank = folded(p)
    fold = {(2 * v, 2 * v + 1, (0,)) for v in range(rem)}
    yield from [fold] if fold else []
    rho, power = 0, 1
    for _ in range(pof2.bit_length() - 1):
        rho, power = rho + power, -2 * power
        yield {(rank[v], rank[(v - rho if v % 2 else v + rho) % pof2], (0,)) for v in range(pof2)}
    yield from [{(b, a, c) for a, b, c in fold}] if fold else []


KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "sums = np.add(part, sums)",
        "sums = np.add(part * (i < 1), sums)",
    ),
    faults=[
        Fault("it never swings back", "back(v, i)) % (", "ahead(v, i)) % (", breaks={"deadlock"}, ranks=4),
        Fault(
            "partners of recursive doubling",
            ") % (1 << rounds(p))",
            ") * 0 + v ^ (1 << i)",
            breaks={"steps"},
            ranks=4,
        ),
    ],
    theorems=["result", "economy", "deadlock", "peers", FREE, *MEETING],
    messages=swung,
    words=lambda p, n, k: (p.bit_length() - 1) * n,
    no_pattern="partners do not differ in one bit, from the lowest to the highest or back",
)
