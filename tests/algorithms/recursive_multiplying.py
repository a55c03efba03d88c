"""What the tests know of recursive_multiplying."""

from tests.algorithms import FORMULAS, MEETING, Fault, Known


def multiplied(p, radix):
    """MPICH's recursive multiplying, as loops over ranks send, by stage and distance."""
    core, distance = 1, 1
    while core * radix <= p:
        core *= radix
    fold = {(r, r % core, (0,)) for r in range(core, p)}
    yield from [fold] if fold else []
    while distance < core:
        following = distance * radix
        starts = {r: r // following * following for r in range(core)}
        groups = {r: range(first + r % distance, first + following, distance) for r, first in starts.items()}
        yield {(r, other, (0,)) for r, group in groups.items() for other in group if other != r}
        distance = following
    yield from [{(b, a, c) for a, b, c in fold}] if fold else []


KNOWN = Known(
    alike=("a rank's vector is left out", "for part in rest[1:]:", "for part in rest[2:]:"),
    aimed=[Fault("a bad argument", "radix < 2:", "radix < 0:")],
    refused=[({"radix": 2.5}, "radix is 2.5: it must be an integer of at least 2")],
    different=[({"radix": 3}, "rank 2 has float64, 5 entries and radix 3, rank 0 float64, 5")],
    refused_by_all=[({"radix": 2**31}, "radix is 2147483648: it must be below 2^31")],
    theorems=[*FORMULAS, "lock step on crossbar", "lock step on fat_tree", *MEETING],
    gone_through=True,
    formulas_with=[{"radix": 2}, {"radix": 3}, {"radix": 4}, {"radix": 5}, {"radix": 8}],
    messages=multiplied,
    words=lambda p, n, k: 3 * (p.bit_length() - 1) // 2 * n,
    open_costs=("ring",),
)
