"""Streaming DiLoCo on mpi4py: parts of the parameters take outer steps in turn, each while ranks train on [DD25]_.

In each call an allreduce sums the ways back of one part, the next one's turn.  The sum is used in this call or in the
next; then the part's point, which is the same on all ranks, takes DiLoCo's outer step, and each rank goes on from a
mixture of its own place and the new point.

The allreduce is a blocking one: it is over when the call returns, and its sum waits here.  What a delay does to
training is all there is of the overlap.

.. [DD25] A. Douillard, Y. Donchev, K. Rush, S. Kale, Z. Charles et al., "Streaming DiLoCo with overlapping
   communication: towards a distributed free lunch", arXiv:2501.18512, 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.residual_state import Keeping, place, whole
from sparring.impl.core.transport import Vector
from sparring.impl.diloco import FLOATS, SCHEDULES, WHOLE, pushed

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = {"momentum": WHOLE, "mix": WHOLE, "delay": 1}
"""What these may be at most."""


class Allreduce(Keeping):
    """Outer steps of ``n`` parameters in parts, float32 or float64, told as distances from where training begins.

    ``rate``, ``momentum``: of the outer step, ``mix``: of a rank's own place where it goes on, in thousandths, the
    last two at most 1000; ``fragments``: how many parts there are; ``delay``: 1 where a sum is used in the next call,
    0 where in its own; ``through``: how sums are made, ``"ring"`` or ``"two_shot"``.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few integers a rank
    makes sure of that, here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, rate: int = 700, momentum: int = 900, mix: int = 500, fragments: int = 4,
        delay: int = 1, through: str = "ring", validate: bool = True,
    ) -> None:
        numbers = {"rate": (rate, 0), "momentum": (momentum, 0), "mix": (mix, 0), "fragments": (fragments, 1),
                   "delay": (delay, 0), "through": place(through, SCHEDULES)}
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=unknown(numbers, through))
        self._rate, self._part, self._mix = int(rate), int(momentum), int(mix)
        self._fragments, self._delay, self._sum = int(fragments), int(delay), SCHEDULES[through]
        self._calls = 0
        self._momentum: Vector | None = None
        self._sums: Any = None

    @property
    def point(self) -> Vector | None:
        """The common point of all parts, not to be written to; None before the first call."""
        return self._waiting

    @property
    def momentum(self) -> Vector | None:
        """That of all parts' outer steps so far, not to be written to; None before the first call."""
        return self._momentum

    def __call__(self, x: Vector, /) -> Vector:
        """Where this rank goes on, a new vector.  Collective.

        ``x``: where it has come by its inner steps, a contiguous vector of ``n`` entries, the same dtype in all calls;
        it stays as it is.
        """
        point = self._admitted(x)
        momentum = self._momentum = np.zeros_like(x) if self._momentum is None else self._momentum
        y: Vector = x + x.dtype.type(0)  # -0.0 becomes +0.0
        with np.errstate(over="ignore", invalid="ignore"):
            turn = self._turn(self._calls)
            before, self._sums = self._sums, self._sum(self._comm, point[turn] - x[turn], validate=False)
            if self._calls >= self._delay:
                due = self._turn(self._calls - self._delay)
                self._step(point[due], momentum[due], before if self._delay else self._sums)
                y[due] = (y[due] * self._mix + point[due] * (WHOLE - self._mix)) / WHOLE
        self._calls += 1
        return y

    def _turn(self, call: int) -> slice:
        """Where the part is whose turn it is in this call."""
        first, end = (begin(call % self._fragments + more, self._n, self._fragments) for more in (0, 1))
        return slice(first, end)

    def _step(self, point: Vector, momentum: Vector, sums: Vector) -> None:
        """The outer step of a part, whose point and momentum change in their places."""
        gradient = sums / self._comm.Get_size()
        momentum[:] = pushed(momentum, self._part, gradient)
        point -= pushed(momentum, self._part, gradient) * self._rate / WHOLE

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype not in FLOATS:
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, since means are divided")


def begin(c: int, n: int, fragments: int) -> int:
    """Where part ``c`` of ``n`` entries begins; it ends where part ``c + 1`` does."""
    return c * n // fragments


def unknown(numbers: dict[str, tuple[Any, int]], through: Any) -> str:
    """What is wrong with arguments, apart from numbers that are none or too small; empty where nothing is."""
    if through not in SCHEDULES:
        return f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
    for name, most in MOST.items():
        number, _ = numbers[name]
        if whole(number, most + 1):
            return f"{name} = {number}: it must be {most} or less"
    return ""


def allreduce(
    comm: Intracomm, x: Vector, /, *, rate: int = 700, momentum: int = 900, mix: int = 500, fragments: int = 4,
    delay: int = 1, through: str = "ring", validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: the turn of the first part.  Collective."""
    made = Allreduce(comm, np.size(x), rate=rate, momentum=momentum, mix=mix, fragments=fragments, delay=delay,
                     through=through, validate=validate)
    return made(x)
