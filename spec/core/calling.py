"""Calls of a page's formulas, which ask for some of the letters, with values of all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any


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
