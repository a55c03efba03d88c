"""What the tests of PowerSGD run on every rank; and its faults, planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import power_sgd
from sparring.impl.power_sgd import Allreduce

WRONG: dict[str, dict[str, Any]] = {
    "no rank": {"rank": 0},
    "half a rank": {"rank": 1.5},
    "negative columns": {"columns": -1},
    "negative epsilon": {"epsilon": -1},
    "no such schedule": {"through": "tree"},
    "another seed": {"seed": 1},
    "another schedule": {"through": "two_shot"},
}


def calls(comm: Any, xs: Any, **options: Any) -> Any:
    """By call result and residual, which is empty where there is none."""
    instance = Allreduce(comm, xs.shape[1], **options)
    rows = []
    for x in xs:
        y = instance(x)
        left = np.zeros_like(x) if instance.residual is None else instance.residual
        rows.append(np.concatenate([y, left]))
    return np.stack(rows)


def refused(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    try:
        Allreduce(comm, 9, **(WRONG[what] if comm.Get_rank() == bad else {}))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, x: Any) -> Any:
    """The error's text where rank 2 alone passes something else, and whether the residual is as it was."""
    good = np.arange(30.0)
    tried, untouched = (Allreduce(comm, 30, allow_nan=False) for _ in range(2))
    tried(good)
    untouched(good)
    text = ""
    try:
        tried(x if comm.Get_rank() == 2 else good)
    except InputError as error:
        text = str(error)
    if tried(good).tolist() != untouched(good).tolist():
        text = "the residual has changed"
    return np.frombuffer(text.encode(), np.uint8)


class Changed(Allreduce):
    """The implementation with a small change: each rank has modules of its own."""

    def __init__(self, comm: Any, n: int, **options: Any) -> None:
        super().__init__(comm, n, **{"rate": 0, **options})
        self.plant()

    def plant(self) -> None:
        """Nothing, here."""


class NotAdded(Changed):
    """What was not sent is forgotten."""

    def _factored(self, held: Any, x: Any) -> Any:
        held[:] = 0
        return super()._factored(held, x)


class OwnSeed(Changed):
    """Each rank draws a first factor of its own."""

    def plant(self) -> None:
        self._seed += self._comm.Get_rank()


class NotOrthonormal(Changed):
    """Columns stay as they are."""

    def plant(self) -> None:
        power_sgd.orthonormal = lambda columns, epsilon: columns


class SumForMean(Changed):
    """The second factor is a sum."""

    def _mean(self, x: Any) -> Any:
        return self._sum(self._comm, x, validate=False)


class AllIsKept(Changed):
    """The result is not taken from what waits."""

    def plant(self) -> None:
        good = power_sgd.subtracted
        power_sgd.subtracted = lambda m, p, q: good(m.copy(), p, q)


class NeverAnew(Changed):
    """Columns of zeros stay columns of zeros, as in the published code, after a first call that draws them."""

    def _begun(self) -> Any:
        return super()._begun() if self._calls == 0 else self._q.copy()


class OtherOrder(Changed):
    """Sums down a column are the library's: right to within rounding, other bits."""

    def plant(self) -> None:
        power_sgd.crossed = lambda m, p: p @ m
