"""Shared by all selectors, and the way in which an allreduce is given one.

Selectors have numbers of entries as parameters, and take vectors of one length and dtype.
"""

from __future__ import annotations

import importlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core import selection
from sparring.impl.core.arguments import check_vector
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

Select: TypeAlias = Callable[[Vector], Sparse]
"""A selector as it is called: some entries of a vector."""
Own = TypeVar("Own", bound=Select | None)
"""A function of one's own in the place of a name, or none."""


class Calls(ABC):
    """A selector, called with one vector after the other; it may remember what it has seen."""

    def __init__(self) -> None:
        self.calls = 0
        """How many vectors it has been given."""
        self._like: tuple[int, np.dtype[Any]] | None = None

    def __call__(self, x: Vector, /) -> Sparse:
        """The entries of ``x`` that are taken, indices ascending and of int64.

        ``x``: a contiguous vector of float32, float64, int32 or int64, of one length and dtype in all
        calls; it stays as it is.  Raises InputError for another.
        """
        check_vector("x", x)
        if self._like not in (None, (x.size, x.dtype)):
            n, dtype = self._like
            raise InputError(f"x has {x.size} entries of {x.dtype}, before {n} of {dtype}: all calls need the same")
        self._like = x.size, x.dtype
        at = self._indices(x, selection.magnitudes(x))
        self.calls += 1
        return selection.chosen(x, at)

    @abstractmethod
    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        """Which entries are taken; ``size`` orders as magnitudes do."""


def counted(name: str, value: Any, least: int = 0) -> int:
    """``value`` as a whole number; raises InputError for another, or one below ``least``."""
    if not isinstance(value, Integral) or int(value) < least:
        raise InputError(f"{name} = {value!r}: it must be a whole number, {least} or more")
    return int(value)


def limited(name: str, value: Any) -> int | None:
    """The same where None stands for no limit."""
    return None if value is None else counted(name, value)


def made(selector: str | Own, k: int, params: Mapping[str, Any]) -> Select | Own:
    """The selector of that name, aiming at ``k`` entries, with its parameters; a function and None as they are.

    Raises InputError where there is none, for a parameter that it has not, and for what is no function.
    """
    if not (isinstance(selector, str) or selector is None or callable(selector)):
        raise InputError(f"selector = {selector!r}: it must be a selector's name, or a function of a vector")
    kind: Any = found("selectors.", selector, "Selector") if isinstance(selector, str) else None
    known = [*inspect.signature(kind).parameters] if kind else []
    if odd := [name for name in params if name not in known]:
        has = f"selector {selector!r} has {', '.join(known)}" if kind else "only a selector that is named has such"
        raise InputError(f"no parameter {odd[0]!r}: {has}")
    return kind(k=k, **params) if isinstance(selector, str) else selector


def found(room: str, name: str, what: str) -> Any:
    """What the module of that name has; raises InputError where there is none, or it has no such thing."""
    try:
        thing = getattr(importlib.import_module(f"sparring.impl.{room}{name}"), what, None)
    except ImportError:
        thing = None
    if thing is None:
        kind, place = ("selector", ".selectors") if room else ("allreduce", "")
        raise InputError(f"no {kind} {name!r}: right is the name of a module of sparring.impl{place}")
    return thing


def through(select: Select | None, waiting: Vector, reduced: Callable[[Vector], Sparse]) -> Sparse:
    """What ``reduced`` makes of the entries of ``waiting`` that are selected; all others are zero then, and stay.

    ``waiting`` becomes what stays behind, as the vector does that ``reduced`` is given.  Without a
    selector that is ``waiting`` itself.
    """
    if select is None:
        return reduced(waiting)
    at, entering = select(waiting).indices, np.zeros_like(waiting)
    entering[at] = waiting[at]
    waiting[at] = 0
    y = reduced(entering)
    np.add(waiting, entering, out=waiting)
    return y
