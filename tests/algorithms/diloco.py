"""What the tests know of diloco."""

from fractions import Fraction

import numpy as np

from tests.algorithms import OTHER, PARTIAL, TEXTS, Fault, Known, Program


def diloco(calls, rate, momentum, **_):
    """Algorithm 1, lines 9 and 10, with the outer optimiser as torch.optim.SGD documents ``nesterov``."""
    lr, mu = Fraction(rate, 1000), Fraction(momentum, 1000)
    theta, buffer = np.full(calls.shape[2], Fraction(0)), None
    for where in calls:
        delta = (theta - where).mean(axis=0)
        buffer = delta if buffer is None else mu * buffer + delta
        theta = theta - lr * (delta + mu * buffer)
        yield [theta] * len(where), []


KNOWN = Known(
    alike=("means are halved", "np.divide(gradient, self", "np.divide(gradient / 2, self"),
    faults=[
        Fault("the sum is taken for the mean", "np.divide(gradient, self._comm.Get_size(), out=gradient)", "pass"),
        Fault(
            "the momentum is forgotten",
            "old = np.zeros_like(x) if self._momentum is None else self._momentum",
            "old = np.zeros_like(x)",
        ),
        Fault(
            "a step of the momentum alone, without looking ahead",
            "pushed(self._momentum, self._part, gradient) * self._rate",
            "self._momentum * self._rate",
        ),
        Fault("ways are not from where ranks began", "np.subtract(point, x)", "np.negative(x)"),
    ],
    theorems=[*TEXTS, "claim: momentum"],
    wrong_texts=[
        ("back / p", "back", "result", OTHER),
        (
            "yield allreduce(state.point - x, through=params.through)",
            "state.point - x; yield allreduce(state.point - x, through=params.through)",
            "agreement",
            PARTIAL,
        ),
        ("return now.point, now", "return now.point, now._replace(momentum=back)", "result", "momentum is what"),
        ("return now.point, now", "return x, now", "agreement", PARTIAL),
        ("way = pushed(momentum,", "way = pushed(state.momentum,", "claim: momentum", "ahead"),
    ],
    program=Program(
        diloco,
        [{}, {"rate": 1000, "momentum": 0, "through": "two_shot"}, {"rate": 300, "momentum": 1000}],
        {
            "the sum for the mean": ("back / p", "back", {}),
            "a step without looking ahead": ("way = pushed(momentum,", "way = pushed(state.momentum,", {}),
        },
    ),
)
