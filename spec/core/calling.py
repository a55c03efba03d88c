"""Calls of a page's formulas, which ask for some of the letters, with values of all of them; and its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from operator import itemgetter
from types import ModuleType
from typing import Annotated, Any, Literal, NamedTuple, Protocol, get_args, get_origin, get_type_hints

from sparring.errors import InputError
from sparring.spec.core.numbers import Node


def taking(function: Callable[..., Any], places: Sequence[int], fixed: tuple[Any, ...]) -> Callable[..., Any]:
    """A function of several values that calls ``function`` with those at ``places`` of ``fixed`` and of its own."""
    if any(one.kind is one.KEYWORD_ONLY for one in inspect.signature(function).parameters.values()):
        function = by_name(function)
    if len(places) < 2:
        return lambda *values: function(*((*fixed, *values)[i] for i in places))
    take = itemgetter(*places)
    return lambda *values: function(*take(fixed + values))


def by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, called with values in the order of its names."""
    names = tuple(inspect.signature(function).parameters)
    return lambda *values: function(**dict(zip(names, values)))


class NoParams(NamedTuple):
    """Those of a page that says nothing of them."""


def parameters(module: ModuleType, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The page's ``Params`` with ``given`` in place of the defaults."""
    params: Any = getattr(module, "Params", NoParams)
    if unknown := sorted(set(given) - set(params._fields)):
        raise InputError(f"page {name} has no parameter {unknown[0]!r}; it has {', '.join(params._fields) or 'none'}")
    if missing := sorted(set(params._fields) - set(params._field_defaults) - set(given)):
        raise InputError(f"page {name} needs a value for {missing[0]!r}: -P {missing[0]}=VALUE")
    kinds = get_type_hints(params, include_extras=True)
    for field, value in given.items():
        if not fits(kinds[field], value):
            kind = kinds[field]
            if get_origin(kind) is Annotated and not fits(get_args(kind)[0], value):
                kind = get_args(kind)[0]
            raise InputError(f"page {name}: {field} = {value!r:.80}: it must be {words(kind)}")
    return dict(params(**given)._asdict())


class Between(NamedTuple):
    """What whole numbers a parameter may be: ``least`` to ``most``; with None from ``least`` on."""

    least: int
    most: int | None = None

    @property
    def words(self) -> str:
        return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"

    def holds(self, x: Any) -> bool:
        return isinstance(x, Node) or (self.least <= x and (self.most is None or x <= self.most))


WORDS = {
    repr(int): "a whole number", repr(str): "a word", repr(Sequence[int]): "a list of whole numbers, as in [1, 2]",
    repr(Sequence[Sequence[int]]): "a list of lists of whole numbers, as in [[1, 2], [3, 4]]",
}
"""What a parameter may be, by the type that a page writes."""


def words(kind: Any) -> str:
    """What a parameter of this type may be."""
    if get_origin(kind) is Literal:
        *others, last = map(str, get_args(kind))
        return f"{', '.join(others)} or {last}"
    return domain(kind).words if get_origin(kind) is Annotated else WORDS[repr(kind)]


class Domain(Protocol):
    """What a parameter may be."""

    @property
    def words(self) -> str: ...

    def holds(self, x: Any) -> bool: ...


def domain(kind: Any) -> Any:
    """The :class:`Domain` of a parameter that is written so, as in ``Annotated[int, Between(least, most)]``."""
    found: Domain = get_args(kind)[1]
    return found


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is of a type of ``WORDS``; a letter is a whole number, and of other types all are."""
    if kind is int:
        return isinstance(value, (Integral, Node))
    if get_origin(kind) is Literal:
        return isinstance(value, Node) or value in get_args(kind)
    if get_origin(kind) is Annotated:
        return fits(get_args(kind)[0], value) and domain(kind).holds(value)
    if get_origin(kind) is Sequence:
        (each,) = get_args(kind)
        return isinstance(value, Sequence) and not isinstance(value, str) and all(fits(each, one) for one in value)
    return kind is not str or isinstance(value, str)
