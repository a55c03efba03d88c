"""Rules for values in strangers' files, each with the words for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from reprlib import repr as brief
from typing import Any, NamedTuple, TypeVar

import msgspec

from sparring.errors import InputError

Object = dict[str, Any]
T = TypeVar("T")


def parsed(text: str | bytes) -> Any:
    """Read JSON.  Raises ValueError for any other text, for a field that comes twice, and where it is nested deeply.

    >>> parsed('{"n": 3, "n": 4}')
    Traceback (most recent call last):
    ValueError: a field comes twice
    """
    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def typed(data: bytes, kind: type[T]) -> T:
    """Read JSON as a value of that kind.  Raises ``msgspec.MsgspecError``, also for a field that comes twice."""
    found = msgspec.json.decode(data, type=kind)
    try:
        parsed(data)  # of two fields with one name some readers take the first, others the last
    except ValueError as error:
        raise msgspec.ValidationError(str(error)) from None
    return found


def once(pairs: list[tuple[str, Any]]) -> Object:
    """Return the object with these fields; raise ValueError if one comes twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field comes twice")
    return fields


class Rule(NamedTuple):
    """A condition on a value, and the words that say what the value must be."""

    holds: Callable[[Any], bool]
    words: str


def integer(low: int, high: int = (1 << 63) - 1) -> Rule:
    """Return the rule for an integer from ``low`` to ``high``; true and false are no integers."""
    words = str(low) if low == high else f"an integer from {low} to {high}"
    return Rule(lambda x: type(x) is int and low <= x <= high, words)


def text(pattern: str, words: str) -> Rule:
    """Return the rule for a string that matches ``pattern`` and has no control characters."""
    return Rule(lambda x: isinstance(x, str) and x.isprintable() and bool(re.fullmatch(pattern, x)), words)


def one_of(*options: str) -> Rule:
    """Return the rule for one of these strings."""
    return Rule(lambda x: isinstance(x, str) and x in options, f"one of {', '.join(options)}")


def check(data: object, rules: Mapping[str, Rule]) -> Object:
    """Return ``data`` if it is an object with exactly these fields, each by its rule; raises InputError if not."""
    if not isinstance(data, dict):
        raise InputError(f"{brief(data)} is no object: it must have the fields {', '.join(rules)}")
    if missing := [name for name in rules if name not in data]:
        raise InputError(f"there is no {missing[0]}: it must be {rules[missing[0]].words}")
    if unknown := [name for name in data if name not in rules]:
        raise InputError(f"the field {brief(unknown[0])} is unknown: there are {', '.join(rules)}")
    for name, rule in rules.items():
        if not rule.holds(data[name]):
            raise InputError(f"{name} is {brief(data[name])}: it must be {rule.words}")
    return data
