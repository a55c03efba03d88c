"""What the tests know of spardl."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault(
        "a part is not delivered",
        {
            "parts = [every.entries(place(c, r, p)) for c in range(p)]": (
                "parts = [every.entries(place(c, r, p)) for c in range(min(p, 2))]"
            )
        },
    ),
    faults=[
        Fault(
            "residuals are of the vector, not of what was cut off",
            {"x[y.indices] = cut_off[y.indices]": "x[y.indices] = 0"},
            breaks={"conservation", "result"},
        )
    ],
    made_with={"k": 2, "allow_nan": False},
    no_pattern="partners do not differ in one bit",
)
