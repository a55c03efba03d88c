"""What the tests know of two_shot_sparse."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for q in range(p)))": "for q in range(p) if q < 2))"}),
    faults=[
        Fault(
            "without zeros",
            {
                "shown = encoded(total)": (
                    "held = np.flatnonzero(total.values)\n"
                    "    places = held if total.positions is None else total.positions[held]\n"
                    "    total = type(total)(places, total.values[held], total.length)\n"
                    "    shown = encoded(total)"
                )
            },
            ranks=2,
        )
    ],
    no_pattern="of sparse chunks only shifts are summed",
)
