"""Shared by implementations that keep a residual between calls: their arguments, and what waits."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.arguments import REFUSED, alike, check_vector, compare
from sparring.impl.core.transport import Vector, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = np.iinfo(np.int64).max


class Copied:
    """Copies of an instance have a state of their own, on the communicators of the first."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = object.__new__(type(self))
        same = {id(vars(self)[name]): vars(self)[name] for name in ("_comm", "_ranks") if name in vars(self)}
        vars(new).update(copy.deepcopy(vars(self), memo | same))
        return new


class Keeping(Copied):
    """A target for vectors of ``n`` entries; ``numbers``: its other whole numbers, each with the least it may be.

    ``fault``: what else is wrong with this rank's arguments, a sentence; empty where nothing is.
    Made collectively.  With ``validate``, one exchange makes sure, here and in each call, that all
    ranks have the same; a fault on one rank raises InputError on all and leaves residuals as they were.
    """

    most: ClassVar[Mapping[str, int]] = {}
    """The most that some of the numbers may be, as they are worked through one by one."""

    def __init__(
        self, comm: Intracomm, n: int, numbers: Mapping[str, tuple[int, int]], *, allow_nan: bool, validate: bool,
        fault: str = "",
    ) -> None:
        self._comm, self._allow_nan, self._validate = private(comm), allow_nan, validate
        more = (f"{name} = {numbers[name][0]}: it must be {most} or less"
                for name, most in self.most.items() if whole(numbers[name][0], most + 1))
        settle(self._comm, {"n": (n, 0), **numbers}, validate, fault or next(more, ""))
        self._n = int(n)
        self._waiting: Vector | None = None

    @property
    def residual(self) -> Vector | None:
        """What this rank has not sent so far, ``n`` entries of the vectors' dtype; None before the first call.

        A view, not to be written to, that changes with the next call.  Its zeros are +0.0.
        """
        if self._waiting is None:
            return None
        view = self._waiting.view()
        view.flags.writeable = False
        return view

    def _taken(self, x: Vector) -> Vector:
        """What waits, ``x`` added to it: the residual to be.  Raises InputError for what no call may have."""
        waiting = self._admitted(x)
        return np.add(waiting, x, out=waiting)

    def _admitted(self, x: Vector) -> Vector:
        """What waits, to which ``x`` is still to be added.  Raises InputError for what no call may have."""
        refusal = None
        try:
            self._check(x)
        except InputError as error:
            refusal = error
        if self._validate:
            alike(self._comm, x, refusal)
        elif refusal:
            raise refusal
        if self._waiting is None:
            self._waiting = np.zeros_like(x)
        return self._waiting

    def _check(self, x: Vector) -> None:
        check_vector("x", x)
        if x.size != self._n:
            raise InputError(f"x has {x.size} entries: this {type(self).__name__} was made for {self._n}")
        if self._waiting is not None and x.dtype != self._waiting.dtype:
            raise InputError(f"x has dtype {x.dtype}, the residual {self._waiting.dtype}: all calls need one dtype")
        if not self._allow_nan and x.dtype.kind == "f" and (bad := np.isnan(x)).any():
            raise InputError(f"x[{int(bad.argmax())}] is NaN, which has no magnitude; with allow_nan NaN is sent first")


def settle(comm: Intracomm, numbers: Mapping[str, tuple[int, int]], validate: bool, fault: str = "") -> None:
    """Raises InputError unless all are whole, no less than they may be and, with ``validate``, alike on all ranks.

    ``fault``: what else is wrong with this rank's arguments, a sentence; empty where nothing is.
    """
    odd = [f"{name} = {x!r}: it must be a whole number, {least} or more"
           for name, (x, least) in numbers.items() if not whole(x, least)]
    odd += [fault] if fault else []
    told = np.zeros((comm.Get_size(), len(numbers)), np.int64)
    if validate:
        row = [REFUSED] * len(numbers) if odd else [min(int(x), MOST) for x, _ in numbers.values()]
        comm.Allgather(np.array(row, np.int64), told)
    if odd:
        raise InputError(odd[0])

    def words(*row: Any) -> str:
        return ", ".join(f"{name}={x}" for name, x in zip(numbers, row))

    compare(told, words, "value of each")


def place(name: Any, known: Iterable[Any]) -> tuple[int, int]:
    """A name as one of those numbers: its place among ``known``, after which all others have one."""
    return (*known, name).index(name), 0


def whole(x: Any, least: int) -> bool:
    """Whether ``x`` is a whole number, and not less."""
    return isinstance(x, Integral) and int(x) >= least
