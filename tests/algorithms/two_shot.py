"""What the tests know of two_shot."""

from tests.algorithms import FORMULAS, MEETING, Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for q in range(p)], r)": "for q in range(p - (p > 2))], r)"}),
    theorems=[*FORMULAS, "partition", "lock step on crossbar", "lock step on fat_tree", *MEETING],
    open_costs=("ring", "tree", "torus", "torus:k=2"),
)
