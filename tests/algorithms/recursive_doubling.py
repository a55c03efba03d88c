"""What the tests know of recursive_doubling."""

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known

KNOWN = Known(
    alike=Fault(
        "a rank's vector is left out",
        {"sums = np.add(spare, sums, out=y)": "sums = np.add(spare * (i < 1), sums, out=y)"},
    ),
    theorems=[*FORMULAS, FREE, *MEETING],
)
