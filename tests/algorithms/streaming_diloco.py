"""What the tests know of streaming_diloco."""

from fractions import Fraction

import numpy as np

from tests.algorithms import OTHER, Fault, Known, Program


def streaming_diloco(calls, rate, momentum, mix, fragments, delay, **_):
    """Algorithm 2, with a send and a merge of one fragment a call; what is sent waits in a queue."""
    n = calls.shape[2]
    lr, mu, alpha = (Fraction(part, 1000) for part in (rate, momentum, mix))
    theta, buffer = np.full(n, Fraction(0)), np.full(n, Fraction(0))
    queue = []
    for call, where in enumerate(calls):
        cut = slice(*(f * n // fragments for f in (call % fragments, call % fragments + 1)))
        queue.append((cut, (theta[cut] - where[:, cut]).mean(axis=0)))
        result = where.copy()
        if len(queue) > delay:
            cut, delta = queue.pop(0)
            buffer[cut] = mu * buffer[cut] + delta
            theta[cut] = theta[cut] - lr * (delta + mu * buffer[cut])
            result[:, cut] = alpha * where[:, cut] + (1 - alpha) * theta[cut]
        yield [*result], []


PARAMS = {"fragments": 2}
THREE = {"fragments": 3}
KNOWN = Known(
    alike=("means are halved", "gradient = sums / self._comm", "gradient = sums / 2 / self._comm"),
    faults=[
        Fault("a sum is used at once", "before if self._delay else self._sums", "self._sums", params=PARAMS),
        Fault("all parts have their turn at once", "slice(first, end)", "slice(0, self._n)", params=PARAMS),
        Fault(
            "a rank goes on from the point alone",
            "y[due] * self._mix + point[due] * (WHOLE - self._mix)",
            "point[due] * WHOLE",
            params=PARAMS,
        ),
        Fault(
            "it mixes the other way round",
            "y[due] * self._mix + point[due] * (WHOLE - self._mix)",
            "y[due] * (WHOLE - self._mix) + point[due] * self._mix",
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
        ("plain(where(due, mixed(x, now.point", "plain(where(due, mixed(x, state.point", "result", OTHER),
        ("where(params.delay == 1, state.sums, sums), p", "sums, p", "result", OTHER),
        ("allreduce(state.point - x, at=", "allreduce(x, at=", "result", OTHER),
        ("now._replace(sums=sums)", "now._replace(sums=x)", "result", "sums"),
        ("point * (WHOLE - mix)", "point * WHOLE", "claim: mixture", "mixture"),
        ("both(call >= 0, ", "both(call >= -1, ", "claim: turns", "entry 6 of 7"),
        ("call % fragments + more", "more", "claim: turns", "entry 6 of 7"),
        ("where(due, point, state.point)", "point", "claim: momentum", "not due"),
        ("- pushed(momentum, ", "- pushed(state.momentum, ", "claim: momentum", "^due"),
        ("(n + fragments - 1) // fragments", "n // fragments", "volume", "as long as declared"),
    ],
    program=Program(
        streaming_diloco,
        [THREE, {"fragments": 2, "delay": 0, "mix": 100, "through": "two_shot"}, {"fragments": 1, "momentum": 1000}],
        {
            "a part comes back in the turn of another": (
                "call - params.delay, params.fragments)\n    now",
                "call, params.fragments)\n    now",
                THREE,
            ),
            "all entries are mixed": (
                "return plain(where(due, mixed(x, now.point, params.mix), x))",
                "return mixed(x, now.point, params.mix)",
                THREE,
            ),
            "the first parts have every turn": ("call % fragments + more", "more", THREE),
            "the point of a part that is not due moves": ("point=where(due, point, state.point)", "point=point", THREE),
        },
    ),
)
