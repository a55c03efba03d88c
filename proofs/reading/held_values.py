"""Says what values hold, since a local function may ask for anything in its arguments: the points, above all.

What a value of an unknown kind holds is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from sparring.errors import Undecided
from sparring.spec.core import vectors
from sparring.spec.core.numbers import Node
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.vectors import AtPoint

PLAIN = (int, bool, float, complex, Fraction, str, bytes, range, type(None), type(NOTHING))
"""The kinds of values that hold nothing and that their words tell apart; no kinds derived from these."""


def inside(x: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return what tells a value from others that hold the same, and what it holds.

    Raises Undecided for a value of which that is not known.
    """
    kind = type(x)
    if kind in PLAIN or isinstance(x, Node):
        return (kind, repr(x)), ()
    if isinstance(x, type | ModuleType):
        return x, ()
    if isinstance(x, FunctionType):
        return (wherever(x.__code__), id(x.__globals__)), (outside(x), x.__defaults__, x.__kwdefaults__)
    if isinstance(x, MethodType | partial):
        return kind, (x.__func__, x.__self__) if isinstance(x, MethodType) else (x.func, x.args, x.keywords)
    if isinstance(x, BuiltinFunctionType) and isinstance(x.__self__, ModuleType):
        return (x.__self__, x.__name__), ()
    if isinstance(x, Enum):
        return (kind, x.name), ()
    if isinstance(x, tuple | list):
        return kind, (*x, *attributes(x).items())
    if kind is dict and isinstance(x, dict):  # no kind derived from it
        return kind, tuple(x.items())
    if is_dataclass(x) and not isinstance(x, AtPoint):
        fields = {name: getattr(x, name) for name in x.__dataclass_fields__}
        return kind, tuple({**fields, **attributes(x)}.items())
    raise Undecided(
        f"a local function or an exchange is given a {kind.__name__}: what that holds is not known; "
        "right are vectors, numbers, words, and tuples, lists, dicts and dataclasses of them"
    )


def wherever(code: CodeType) -> CodeType:
    """Return what a function does, the same for one text in whatever lines and functions."""
    return code.replace(co_name="", co_qualname="", co_filename="", co_firstlineno=0, co_linetable=b"")


def function_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of those inside of it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from function_codes(one)


def outside(function: FunctionType) -> tuple[Any, ...]:
    """Return the values of the variables outside of a function that it asks for, but for itself."""
    values = (cell.cell_contents for cell in function.__closure__ or ())
    return tuple(one for one in values if one is not function and not marked(one, function))


def marked(x: Any, function: FunctionType) -> bool:
    """Return whether this is what ``local`` or its like has made of the function."""
    return isinstance(x, FunctionType) and x.__globals__ is vars(vectors) and x.__dict__.get("__wrapped__") is function


def attributes(x: Any) -> dict[str, Any]:
    """Return what a value holds besides its entries or fields."""
    found: dict[str, Any] = getattr(x, "__dict__", {})
    return found
