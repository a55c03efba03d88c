"""What the tests know of ef21_m."""

from tests.algorithms import TEXTS, Fault, Known

KNOWN = Known(
    alike=("means are halved", "/ kind(WHOLE)", "/ kind(2 * WHOLE)"),
    faults=[
        Fault(
            "the mean begins as zeros",
            "x.copy() if self._mean is None else",
            "mixed(x * 0, x, kind(self._momentum)) / kind(WHOLE) if False else",
            also={"self._mean: Any = None": "self._mean: Any = 0"},
            params={"k": 2},
        )
    ],
    made_with={"k": 2},
    refused=[
        ({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
        ({"momentum": 0.5}, "momentum = 0.5: it must be a whole number, 0 or more"),
    ],
    different=[({"momentum": 3}, "rank 2 has momentum=3, rank 0 momentum=100")],
    theorems=[*TEXTS, "claim: result"],
    wrong_texts=[
        ("/ WHOLE if call else x", "/ WHOLE", "claim: result", "the first mean"),
        ("near.seen, mean)", "near.seen, x)", "result", "mean is what a call leaves"),
    ],
)
