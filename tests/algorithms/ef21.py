"""What the tests know of ef21."""

from tests.algorithms import OTHER, TEXTS, Fault, Known

KNOWN = Known(
    alike=("what is not sent is forgotten", "estimate[nearer.indices] += nearer.values", "pass"),
    faults=[
        Fault(
            "of the vector entries are sent, not of the difference",
            "self._select(self._aim(x) - estimate)",
            "self._select(self._aim(x))",
            params={"k": 2},
        ),
        Fault(
            "an estimate becomes what is sent",
            "estimate[nearer.indices] += nearer.values",
            "estimate[nearer.indices] = nearer.values",
            params={"k": 2},
        ),
    ],
    made_with={"k": 2},
    theorems=TEXTS,
    wrong_texts=[
        ("where(sent, state.estimate + change, state.estimate)", "x", "result", "estimate is what a call leaves"),
        ("state.sums + (yield", "(yield", "result", OTHER),
    ],
)
