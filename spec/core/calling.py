"""Calls of a page's formulas, which ask for some of the letters, with values of all of them; and its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import ModuleType
from typing import Any, NamedTuple

from sparring.errors import InputError


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
    return dict(params(**given)._asdict())
