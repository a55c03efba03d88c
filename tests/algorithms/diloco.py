"""What the tests know of diloco."""

from tests.algorithms import TEXTS, Fault, Known

KNOWN = Known(
    alike=Fault("means are halved", {"np.divide(gradient, self": "np.divide(gradient / 2, self"}),
    faults=[
        Fault("the sum is taken for the mean", {"np.divide(gradient, self._comm.Get_size(), out=gradient)": "pass"}),
        Fault(
            "the momentum is forgotten",
            {"old = np.zeros_like(x) if self._momentum is None else self._momentum": "old = np.zeros_like(x)"},
        ),
        Fault(
            "a step of the momentum alone, without looking ahead",
            {"pushed(self._momentum, self._part, gradient) * self._rate": "self._momentum * self._rate"},
        ),
        Fault("ways are not from where ranks began", {"np.subtract(point, x)": "np.negative(x)"}),
    ],
    theorems=[*TEXTS, "claim: momentum"],
    wrong_texts=[
        ("back / p", "back", "result", "the result is what the page ensures"),
        (
            "yield allreduce(state.point - x, through=params.through)",
            "state.point - x; yield allreduce(state.point - x, through=params.through)",
            "agreement",
            "the result is partial",
        ),
        ("return now.point, now", "return now.point, now._replace(momentum=back)", "result", "momentum is what"),
        ("return now.point, now", "return x, now", "agreement", "the result is partial"),
        ("way = pushed(momentum,", "way = pushed(state.momentum,", "claim: momentum", "ahead"),
    ],
)
