"""Codes keep nothing from call to call: what one rank decodes, each does.

A code computes as it likes, with Python's functions and numpy's, since no proof reads its text.  But nothing that it
reads may change, and what it calls of its own or of a user's other modules is looked at in the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from enum import Enum, EnumMeta
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType, NoneType
from typing import Any, NoReturn

from sparring.errors import InputError
from sparring.spec.core import origins
from sparring.spec.core.function_texts import KEPT, SEEDED, Text, dotted, globals_of, keeping
from sparring.spec.core.origins import UNKNOWN, home

CONSTANTS = (NoneType, bool, int, float, complex, str, bytes, range, slice, type(...), Fraction, Enum)
ALTERABLE = (list, dict, set)


class Codes:
    """What the functions of codes reach, each looked at once; ``page`` is the module that the codes are of."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.seen: dict[int, Any] = {}

    def look_at_function(self, function: FunctionType, name: str) -> None:
        """Look at a function: its text, what it is bound to, and what it reads."""
        text = Text(function.__code__.co_filename, function.__code__, name)
        text.check(keeping, KEPT)
        for held in bound(function):
            if isinstance(held, ALTERABLE):
                raise InputError(
                    f"{text.place(function.__code__.co_firstlineno)} has a default that may change; {KEPT}"
                )
            self.look(held, "a default or a variable outside", text)
        for read in sorted(globals_of(function.__code__)):
            if read in function.__globals__:
                self.look(function.__globals__[read], read, text)
            elif read in UNKNOWN:
                raise InputError(f"{text.place(text.line(read))} reads {read}; {KEPT}")

    def look(self, value: Any, name: str, text: Text) -> None:
        """Look at a value that a function reads as ``name``."""
        if isinstance(value, ALTERABLE):
            if line := alters(text, name, value):
                self.refuse(value, name, text, line)
            self.look_inside(value.values() if isinstance(value, dict) else value, name, text)
        elif isinstance(value, ModuleType):
            self.look_at_module(value, name, text)
        elif isinstance(value, Enum) and not origins.foreign(type(value), self.page):
            self.look(type(value), name, text)
        elif id(value) not in self.seen and not isinstance(value, CONSTANTS) and not origins.constant(value):
            self.seen[id(value)] = value
            self.look_at_object(value, name, text)

    def look_inside(self, parts: Iterable[Any], name: str, text: Text) -> None:
        """Look at what a value holds, which must not change."""
        for one in parts:
            if isinstance(one, ALTERABLE):
                self.refuse(one, f"a part of {name}", text, text.line(name))
            self.look(one, name, text)

    def look_at_object(self, value: Any, name: str, text: Text) -> None:
        """Look at a function, a class, or an object that must not change."""
        if isinstance(value, FunctionType | type):
            self.look_at_written(value, name, text)
        elif origins.drawing(value):
            self.refuse(value, name, text, text.line(name))
        elif (held := parts(value)) is not None:
            self.look_inside(held, name, text)
        elif isinstance(value, BuiltinFunctionType):
            self.look_at_builtin(value, name, text)
        elif not steady(value):
            self.refuse(value, name, text, text.line(name))

    def look_at_written(self, value: FunctionType | type, name: str, text: Text) -> None:
        """Look at a function or a class: at its text, where a user wrote it."""
        where = home(value)
        if origins.trusted(where, self.page):
            return
        if origins.foreign(value, self.page):
            if not (origins.computing(where) or origins.error(value) or type(value) is EnumMeta):
                raise InputError(f"{text.place(text.line(name))} reads {name}; {KEPT}")
        elif isinstance(value, FunctionType):
            self.look_at_function(value, value.__name__)
        else:
            self.look_at_class(value, name, text)

    def look_at_class(self, value: type, name: str, text: Text) -> None:
        """Look at a class's functions, at what it holds, and at the classes that it inherits from."""
        self.look_inside(value.__bases__, name, text)
        for member in value.__members__.values() if issubclass(value, Enum) else ():
            self.look_inside(vars(member).values(), f"{name}.{member.name}", text)
        for attribute, held in vars(value).items():
            one = getattr(held, "__func__", getattr(held, "fget", getattr(held, "func", held)))
            if isinstance(one, FunctionType):
                if not origins.generated(one):
                    self.look_at_written(one, f"{name}.{attribute}", text)
            elif not (hidden(attribute, value) or hasattr(held, "__get__")):
                self.look_inside([held], f"{name}.{attribute}", text)

    def look_at_builtin(self, value: BuiltinFunctionType, name: str, text: Text) -> None:
        """Look at a function of a compiled module, or a method of an object, which must not change."""
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, ModuleType):
            self.look_inside([owner], name, text)
        elif not origins.computing(value.__module__ or "") or value.__name__ in UNKNOWN:
            raise InputError(f"{text.place(text.line(name))} reads {name}; {KEPT}")

    def look_at_module(self, value: ModuleType, name: str, text: Text) -> None:
        """Look at what a function reads of a module, attribute by attribute."""
        where, at = value.__name__, text.place(text.line(name))
        ours = origins.trusted(where, self.page) or origins.computing(where)
        if where == "numpy.random" or not (ours or origins.written_by_users(value)):
            raise InputError(f"{at} reads {name}; {KEPT}")
        if text.aliases(name):
            raise InputError(f"{at} reads the module {name} by another name; {KEPT}")
        seeded = {id(node.value) for node in text.nodes(ast.Attribute) if node.attr in SEEDED}
        for node in text.nodes(ast.Attribute):
            if dotted(node.value) == name:
                if not ours:
                    self.look(getattr(value, node.attr, None), f"{name}.{node.attr}", text)
                elif where == "numpy" and node.attr == "random" and id(node) not in seeded:
                    raise InputError(f"{text.place(node.lineno)} draws with random from no seed of its own; {KEPT}")

    def refuse(self, value: Any, name: str, text: Text, line: int) -> NoReturn:
        """Raise InputError for a value that may change."""
        right = f" (right: {name}.flags.writeable = False)" if hasattr(value, "flags") else ""
        raise InputError(f"{text.place(line)} may change {name}, a {type(value).__name__}{right}; {KEPT}")


def hidden(name: str, kind: type) -> bool:
    """Return whether a class has that name from Python, beside what its text has written."""
    return name.startswith(("__", "_abc", "_field")) or (issubclass(kind, Enum) and name.startswith("_"))


def parts(value: Any) -> Iterable[Any] | None:
    """Return what an object holds, and its class, where that is all that there is of it; else None."""
    match value:
        case tuple() | frozenset():
            return [*value, type(value)]
        case MappingProxyType():
            return value.values()
        case partial():
            return [value.func, *value.args, *value.keywords.values()]
        case MethodType():
            return [value.__func__, value.__self__]
    if hasattr(value, "__wrapped__"):  # a cache of a function, or what a decorator made
        return [value.__wrapped__]
    return [type(value), *vars(value).values()] if frozen(type(value)) else None


def frozen(kind: type) -> bool:
    """Return whether the objects of a class are as they were made: it is a frozen dataclass."""
    return bool(getattr(vars(kind).get("__dataclass_params__"), "frozen", False)) and not hasattr(kind, "__slots__")


def steady(value: Any) -> bool:
    """Return whether an object never changes: one of sparring's own, an array to read alone, a dtype, a ufunc."""
    where = type(value).__module__
    if origins.trusted(where, ""):
        return callable(value) or not origins.pythons(where)
    if origins.top(where) != "numpy" or not hasattr(value, "dtype"):  # a dtype has none, nor has a ufunc
        return origins.top(where) == "numpy"
    return not (value.flags.writeable or value.dtype.hasobject) and (value.base is None or steady(value.base))


def alters(text: Text, name: str, value: Any) -> int:
    """Return the first line that may change a list, dict or set; of a subclass, which reading may change, any line."""
    return text.changes(name) if type(value) in ALTERABLE else text.line(name)


def bound(function: FunctionType) -> list[Any]:
    """Return what a function has besides its arguments: defaults, variables of functions around it, attributes."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells, *vars(function).values()]
