"""What the tests know of streaming_diloco."""

from tests.algorithms import Fault, Known

PARAMS = {"fragments": 2}
KNOWN = Known(
    alike=Fault("means are halved", {"gradient = sums / self._comm": "gradient = sums / 2 / self._comm"}),
    faults=[
        Fault("a sum is used at once", {"before if self._delay else self._sums": "self._sums"}, params=PARAMS),
        Fault("all parts have their turn at once", {"slice(first, end)": "slice(0, self._n)"}, params=PARAMS),
        Fault(
            "a rank goes on from the point alone",
            {"y[due] * self._mix + point[due] * (WHOLE - self._mix)": "point[due] * WHOLE"},
            params=PARAMS,
        ),
        Fault(
            "it mixes the other way round",
            {
                "y[due] * self._mix + point[due] * (WHOLE - self._mix)": (
                    "y[due] * (WHOLE - self._mix) + point[due] * self._mix"
                )
            },
            params={"fragments": 2, "mix": 250},
        ),
    ],
    refused=[({"mix": 1001}, "mix = 1001: it must be 1000 or less"), ({"delay": 2}, "delay = 2: it must be 1 or less")],
    theorems=[
        "result",
        "partition",
        "deadlock",
        "contention",
        "volume",
        "peers",
        "claim: mixture",
        "claim: momentum",
        "claim: turns",
    ],
    wrong_texts=[
        (
            "plain(where(due, mixed(x, now.point",
            "plain(where(due, mixed(x, state.point",
            "result",
            "the result is what the page ensures",
        ),
        ("where(params.delay == 1, state.sums, sums), p", "sums, p", "result", "the result is what the page ensures"),
        ("allreduce(state.point - x, at=", "allreduce(x, at=", "result", "the result is what the page ensures"),
        ("now._replace(sums=sums)", "now._replace(sums=x)", "result", "sums"),
        ("point * (WHOLE - mix)", "point * WHOLE", "claim: mixture", "mixture"),
        ("both(call >= 0, ", "both(call >= -1, ", "claim: turns", "entry 6 of 7"),
        ("call % fragments + more", "more", "claim: turns", "entry 6 of 7"),
        ("where(due, point, state.point)", "point", "claim: momentum", "not due"),
        ("- pushed(momentum, ", "- pushed(state.momentum, ", "claim: momentum", "^due"),
        ("(n + fragments - 1) // fragments", "n // fragments", "volume", "as long as declared"),
    ],
)
