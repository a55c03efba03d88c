"""What the tests know of rabenseifner."""

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known

KNOWN = Known(
    alike=Fault(
        "a part is not delivered",
        {"for i in reversed(range(rounds(p))):": "for i in reversed(range(min(1, rounds(p)))):"},
    ),
    faults=[
        Fault(
            "other halves",
            {
                "if not low(v, i):": "if low(v, i):",
                "above(first, i, p) if low(v, i) else below(first, i, p)": (
                    "below(first, i, p) if low(v, i) else above(first, i, p)"
                ),
            },
            breaks={"steps"},
            ranks=2,
        )
    ],
    theorems=[*FORMULAS, "partition", FREE, *MEETING],
)
