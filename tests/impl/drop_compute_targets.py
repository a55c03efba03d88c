"""What the tests of DropCompute run on every rank: its clock is turned by the work itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl.drop_compute import DropCompute
from sparring.impl.error_feedback import ErrorFeedback
from sparring.impl.training.drop_threshold import chosen
from tests.impl.on_ranks import text


class Clock:
    """Seconds that only work takes."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def computing(clock: Any, times: Any, gradients: Any, parts: bool) -> Any:
    """A micro-batch that takes its two times, as one piece or, with ``parts``, yielding between them."""

    def whole(m: int) -> Any:
        clock.now += times[m].sum()
        return gradients[m]

    def passes(m: int) -> Any:
        clock.now += times[m, 0]
        yield
        clock.now += times[m, 1]
        return gradients[m]

    return passes if parts else whole


def series(comm: Any, x: Any, *, times: Any, parts: bool = True, rest: float = 0.0, **params: Any) -> list[Any]:
    """Each call's step; ``x``: gradients by call and micro-batch; ``times``: by rank, call, micro-batch and pass."""
    clock = Clock()
    drop = DropCompute(comm, x.shape[2], dtype=x.dtype, micro_batches=x.shape[1], clock=clock, **params)
    steps = []
    for gradients, now in zip(x, times[comm.Get_rank()]):
        step = drop(computing(clock, now, gradients, parts))
        steps.append((step, drop.tau))
        clock.now = max(comm.allgather(clock.now)) + rest
    return steps


def sparse(comm: Any, x: Any, **params: Any) -> Any:
    """The same where each rank sends the two largest entries of its sum, and keeps the rest; with what it keeps."""
    feedback = ErrorFeedback(comm, x.shape[2], k=2)
    steps = series(comm, x, allreduce=lambda comm, x: feedback(x), **params)
    return [step.mean for step, _ in steps], [step.completed for step, _ in steps], np.array(feedback.residual)


def half(comm: Any, x: Any, **params: Any) -> list[Any]:
    """The same with an allreduce that loses half of everything, the number of micro-batches included."""
    return series(comm, x, allreduce=lambda comm, x: x / 2, **params)


def flat(comm: Any, x: Any, *, shape: Any, times: Any, **params: Any) -> Any:
    """The same for real ranks: means, counts, ends of computing and tau, in one array; ``x``: all in one row."""
    steps = series(comm, x.reshape(shape), times=np.array(times), **params)
    return np.array([[*step.mean, step.completed, step.seconds, tau or 0] for step, tau in steps], np.float64).ravel()


def choosing(comm: Any, x: Any, *, shape: Any, seconds: Any) -> Any:
    """The choice from a rank's own times."""
    return np.array([chosen(comm, x.reshape(shape), seconds[comm.Get_rank()])])


def refused_when_made(comm: Any, _: Any, *, bad: int, params: Any) -> Any:
    """The error's text where rank ``bad`` has other arguments."""
    usual = {"n": 3, "micro_batches": 8, "tau": 1.0, **(params if comm.Get_rank() == bad else {})}
    return text(lambda: DropCompute(comm, **usual))


GRADIENTS: dict[str, Any] = {
    "wrong length": np.ones(4, np.float32),
    "list": [1.0] * 3,
    "another dtype": np.ones(3),
    "None": None,
}


def refused_when_called(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The same where a rank's second micro-batch has no gradient; afterwards all is as if it had not been called."""
    drop = DropCompute(comm, 3, micro_batches=2, tau=9.0, clock=Clock())
    good = np.arange(3, dtype=np.float32)
    told = text(lambda: drop(lambda m: GRADIENTS[what] if m and comm.Get_rank() == bad else good))
    after: Any = drop(lambda m: good).mean
    assert after.tolist() == good.tolist()
    return told


def refused_when_chosen(comm: Any, x: Any, *, seconds: Any) -> Any:
    """The same of a choice from these times."""
    return text(lambda: chosen(comm, x, seconds))
