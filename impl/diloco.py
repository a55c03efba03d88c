"""DiLoCo on mpi4py: ranks train apart, then the mean of their ways is one step of Nesterov's momentum [DFR23]_.

Each rank trains by itself from the common point, with any optimiser, and tells where it has come.  One allreduce sums
what the ranks began at less where they are; their mean is the gradient of an outer step, which every rank takes for
itself, with the same bits.

.. [DFR23] A. Douillard, Q. Feng, A. A. Rusu, R. Chhaparia, Y. Donchev, A. Kuncoro, M. Ranzato, A. Szlam and J. Shen,
   "DiLoCo: distributed low-communication training of language models", arXiv:2311.08105, 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import ring, two_shot
from sparring.impl.core.residual_state import Keeping, place, whole
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

SCHEDULES: Mapping[str, Callable[..., Vector]] = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}
FLOATS = tuple(map(np.dtype, ("float32", "float64")))
WHOLE = 1000
"""Thousandths."""


class Allreduce(Keeping):
    """Outer steps of ``n`` parameters, float32 or float64, told as distances from where training begins.

    ``rate``, ``momentum``: of the outer step, in thousandths, ``momentum`` at most 1000; ``through``: how sums are
    made, ``"ring"`` or ``"two_shot"``.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few integers a rank
    makes sure of that, here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, rate: int = 700, momentum: int = 900, through: str = "ring",
        validate: bool = True,
    ) -> None:
        numbers = {"rate": (rate, 0), "momentum": (momentum, 0), "through": place(through, SCHEDULES)}
        fault = unknown(momentum, through)
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=fault)
        self._rate, self._part, self._sum = int(rate), int(momentum), SCHEDULES[through]
        self._momentum: Vector | None = None

    @property
    def residual(self) -> None:
        """None: nothing waits to be sent."""

    @property
    def point(self) -> Vector | None:
        """Where all ranks begin the next inner steps, not to be written to; None before the first call."""
        return self._waiting

    @property
    def momentum(self) -> Vector | None:
        """That of the outer steps so far, not to be written to; None before the first call."""
        return self._momentum

    def __call__(self, x: Vector, /) -> Vector:
        """Where all ranks go on, the same bits on every rank.  Collective.

        ``x``: where this rank has come by its inner steps, a contiguous vector of ``n`` entries, the same dtype in
        all calls; it stays as it is.  It began where the call before led to, at first at zero.
        """
        point = self._admitted(x)
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = self._sum(self._comm, np.subtract(point, x), validate=False)
            np.divide(gradient, self._comm.Get_size(), out=gradient)
            old = np.zeros_like(x) if self._momentum is None else self._momentum
            self._momentum = pushed(old, self._part, gradient)
            self._waiting = point - pushed(self._momentum, self._part, gradient) * self._rate / WHOLE
        return self._waiting.copy()  # pyright: ignore[reportOptionalMemberAccess]  # it is what was just assigned

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype not in FLOATS:
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, since means are divided")


def pushed(momentum: Any, part: int, gradient: Any) -> Any:
    """So many thousandths of a momentum, and a gradient."""
    return (momentum * part + gradient * WHOLE) / WHOLE


def unknown(momentum: Any, through: Any) -> str:
    """What is wrong with arguments, apart from numbers that are none or negative; empty where nothing is."""
    if through not in SCHEDULES:
        return f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
    if whole(momentum, WHOLE + 1):
        return f"momentum = {momentum}: it must be {WHOLE} or less, thousandths"
    return ""


def allreduce(
    comm: Intracomm, x: Vector, /, *, rate: int = 700, momentum: int = 900, through: str = "ring",
    validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: the first outer step.  Collective."""
    made = Allreduce(comm, np.size(x), rate=rate, momentum=momentum, through=through, validate=validate)
    return made(x)
