"""Python objects that travel: copied at the send, and again where they arrive.

The copy is deep and made through ``__reduce_ex__``, as ``copy.deepcopy`` does, with one
difference: classes and functions are looked up by name where the copy is made.  Ranks have
modules of their own, so a class has one version a rank; an enumeration's member that arrives must
be the receiver's member.  No bytes are made or read.  A copy of terms is terms of the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copyreg import dispatch_table
from functools import reduce
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sparring.proofs.logic.terms import Table, Terms

Copies = dict[int, tuple[Any, Any]]  # by the id of the original, which is kept alive with its copy
SHARED = (type(None), bool, int, float, complex, str, bytes, range, type(...), type(NotImplemented), ModuleType, Table)
NAMED = (type, FunctionType, BuiltinFunctionType)


def bulk(thing: Any, depth: int = 4) -> int:
    """Return about how many bytes of numbers an object holds; what it is made of in other ways counts as nothing.

    ``depth``: how far lists, tuples and dicts are looked into; one may hold itself.
    """
    if isinstance(thing, bytes | bytearray):
        return len(thing)
    if isinstance(thing, dict):
        thing = [*thing, *thing.values()]
    if isinstance(thing, list | tuple):
        return sum(bulk(one, depth - 1) or 8 for one in thing) if depth else 8 * len(thing)
    return int(getattr(thing, "nbytes", 0))


class Thing:
    """The place from which one object is sent, or at which it arrives; of its size nothing is known."""

    count, nbytes, dtype, table = 1, 0, np.dtype(object), None

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def read(self) -> Any:
        return carried(self.value)

    def write(self, data: Any) -> None:
        self.value = carried(data)

    def copy(self) -> Thing:
        return Thing(self.read())

    def __str__(self) -> str:
        return "1 object"


def carried(thing: Any, copies: Copies | None = None) -> Any:
    """Return a copy of ``thing`` for the running rank."""
    kind = Terms if isinstance(thing, Terms) else type(thing)  # each table has a class of terms
    if kind in SHARED:
        return thing
    if isinstance(thing, NAMED):
        return _by_name(thing, getattr(thing, "__module__", None), thing.__qualname__)
    copies = {} if copies is None else copies
    if id(thing) not in copies:
        copies[id(thing)] = thing, COPIERS.get(kind, _rebuilt)(thing, copies)
    return copies[id(thing)][1]


def _by_name(thing: Any, module: str | None, name: str) -> Any:
    """Return what has this name here; ``thing`` itself where nothing has, as for functions in functions."""
    try:
        return reduce(getattr, name.split("."), sys.modules[module or ""])
    except (AttributeError, KeyError):
        return thing


def _array(array: np.ndarray[Any, Any], copies: Copies) -> Any:
    return _rebuilt(array, copies) if array.dtype.hasobject else array.copy()


def _list(things: list[Any], copies: Copies) -> list[Any]:
    made: list[Any] = []
    copies[id(things)] = things, made  # it may contain itself
    made += [carried(thing, copies) for thing in things]
    return made


def _dict(things: dict[Any, Any], copies: Copies) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    copies[id(things)] = things, made
    made.update({carried(key, copies): carried(value, copies) for key, value in things.items()})
    return made


def _each(things: Any, copies: Copies) -> Any:
    return type(things)([carried(thing, copies) for thing in things])


def _rebuilt(thing: Any, copies: Copies) -> Any:
    """Copy an object by its own account of how to make it."""
    account = _account(thing)
    if isinstance(account, str):
        return _by_name(thing, getattr(thing, "__module__", None), account)
    parts: list[Any] = [*account, *[None] * (6 - len(account))]
    make, arguments, state, items, pairs, put = parts
    made = carried(make)(*[carried(argument, copies) for argument in arguments])
    copies[id(thing)] = thing, made
    if state is not None:
        (carried(put) if put else _put)(made, carried(state, copies))
    for item in items or ():
        made.append(carried(item, copies))
    for key, value in pairs or ():
        made[carried(key, copies)] = carried(value, copies)
    return made


def _account(thing: Any) -> Any:
    """Return how to make it: a name; or what to call with what, its state, items and pairs, and who sets the state."""
    return dispatch_table[type(thing)](thing) if type(thing) in dispatch_table else thing.__reduce_ex__(4)


def _put(made: Any, state: Any) -> None:
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    vars(made).update(own or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)


COPIERS: dict[type, Callable[[Any, Copies], Any]] = {
    **dict.fromkeys((tuple, set, frozenset), _each),
    list: _list,
    dict: _dict,
    bytearray: lambda data, _: bytearray(data),
    np.ndarray: _array,
    Terms: lambda terms, _: terms.copy(),
}
