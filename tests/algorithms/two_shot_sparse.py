"""What the tests know of two_shot_sparse."""

from sparring.spec.core.numbers import where
from tests.algorithms import Fault, Known
from tests.algorithms.two_shot import direct

KNOWN = Known(
    alike=("a rank's vector is left out", "for q in range(p)))", "for q in range(p) if q < 2))"),
    faults=[
        Fault(
            "without zeros",
            "shown = encoded(total)",
            (
                "held = np.flatnonzero(total.values)\n"
                "    places = held if total.positions is None else total.positions[held]\n"
                "    total = type(total)(places, total.values[held], total.length)\n"
                "    shown = encoded(total)"
            ),
            ranks=2,
        )
    ],
    aimed=[Fault("turns dense", "return length - ceil(", "return 1 + length - ceil(", module="core.encodings")],
    messages=direct,
    wrong_contributions=[
        {"contributions": lambda t, p: 1},
        {"contributions": lambda t, p: p},
        {"contributor": lambda r, c, t, p: c},
        {"contributor": lambda r, c, t, p: where(t < 1, (r + 1) % p, c)},
    ],
    no_pattern="of sparse chunks only shifts are summed",
)
