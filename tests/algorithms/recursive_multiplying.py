"""What the tests know of recursive_multiplying."""

from tests.algorithms import FORMULAS, MEETING, Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for part in rest[1:]:": "for part in rest[2:]:"}),
    refused=[({"radix": 2.5}, "radix is 2.5: it must be an integer of at least 2")],
    different=[({"radix": 3}, "rank 2 has float64, 5 entries and radix 3, rank 0 float64, 5")],
    refused_by_all=[({"radix": 2**31}, "radix is 2147483648: it must be below 2^31")],
    theorems=[*FORMULAS, "lock step on crossbar", "lock step on fat_tree", *MEETING],
    formulas_with=[{"radix": 2}, {"radix": 3}, {"radix": 4}, {"radix": 5}, {"radix": 8}],
    open_costs=("ring",),
)
