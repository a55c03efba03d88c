"""Where a function, class or module comes from: Python, sparring, another package, or a user's own files."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, GenericAlias, ModuleType, UnionType
from typing import Any

TRUSTED = tuple(f"sparring.{room}" for room in (
    "spec.core", "spec.codecs", "spec.library", "spec.selectors", "errors",
))
"""Rooms whose functions answer alike on symbols and on numbers, all but these."""
ASKING = {"variables", "evaluate", "Evaluator", "Reader", "Between"}
"""What sparring asks symbols with, or lets pass if it is one."""
LIBRARY = ("math", "itertools", "functools", "operator", "collections", "dataclasses", "typing", "fractions", "enum")
"""Modules of Python whose functions keep nothing."""
COMPUTING = (
    *LIBRARY, "builtins", "abc", "binascii", "bisect", "bz2", "copy", "hashlib", "heapq", "lzma", "numbers", "string",
    "struct", "zlib", "numpy", "ml_dtypes",
)
"""Modules, of Python and of two packages, whose functions keep nothing, and that codes may compute with."""
PURE = {
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
    "int", "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "sorted", "sum",
    "tuple", "zip", "NotImplemented", "super",
}
"""Python's functions that ask only what numbers, lists and symbols answer alike."""
TELLING = {
    "cache_info", "cache_clear", "format", "format_map", "attrgetter", "methodcaller", "singledispatch",
    "singledispatchmethod", "is_", "is_not", "is_dataclass", "to_bytes", "fromhex", "translate",
}
"""Attributes and functions that tell what was called before, or what an object looks like or is."""
UNKNOWN = {
    "datetime", "os", "posix", "random", "secrets", "threading", "time", "uuid", "open", "input", "id", "hash",
    "setattr", "delattr", "vars", "globals", "exec", "eval", "__import__",
}
"""What no code may read: modules and functions of Python that keep something, or answer otherwise each time."""
NAMED = (BuiltinFunctionType, ModuleType)
"""Kinds of objects that are known by a module's name alone."""


def trusted(name: str, page: str) -> bool:
    """Return whether what a module defines need not be looked at; a page's own module is never trusted."""
    return name != page and any(name == one or name.startswith(f"{one}.") for one in (*TRUSTED, *LIBRARY, "builtins"))


def sparrings(kind: type) -> bool:
    """Return whether a class is sparring's own: a module of its rooms has it by its name."""
    module = sys.modules.get(kind.__module__)
    return trusted(kind.__module__, "") and getattr(module, kind.__name__, None) is kind


def library(value: Any) -> bool:
    """Return whether a function, class or module is Python's, and keeps nothing; or sparring's own."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    pure = name == "builtins" and getattr(value, "__name__", "") in PURE
    if getattr(value, "__name__", "") in TELLING or asking(value):
        return False
    return pure or top(name).removeprefix("_") in LIBRARY or trusted(name, "")


def asking(value: Any) -> bool:
    """Return whether a function or class is one of sparring's that answers otherwise of symbols than of numbers."""
    written = isinstance(value, FunctionType | type) and top(home(value)) == "sparring"
    return written and value.__name__ in ASKING and trusted(home(value), "")


def unchanging(value: Any) -> bool:
    """Return whether an object keeps nothing: one of sparring's own classes, or what a pure name of Python's says."""
    if isinstance(value, NAMED):
        return library(value)
    return trusted(type(value).__module__, "") and (callable(value) or not pythons(type(value).__module__))


def foreign(value: FunctionType | type, page: str) -> bool:
    """Return whether a function or class is neither a user's nor sparring's own: Python's, or another package's."""
    where = home(value)
    others = installed(file_of(value)) and top(where) not in (top(page), "sparring")
    return where != page and (pythons(where) or others)


def computing(name: str) -> bool:
    """Return whether codes may compute with a module."""
    return top(name).removeprefix("_") in COMPUTING


def written_by_users(module: ModuleType) -> bool:
    """Return whether a module is neither Python's nor of an installed package."""
    return not pythons(module.__name__) and not installed(str(module.__file__ or ""))


def installed(file: str) -> bool:
    """Return whether a file is one of an installed package."""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def generated(function: FunctionType) -> bool:
    """Return whether Python has written a method itself, as it does for dataclasses and named tuples."""
    inner = inspect.unwrap(function)
    return bool(inner.__name__.startswith("__") and inner.__code__.co_filename.startswith("<"))


def drawing(value: Any) -> bool:
    """Return whether a value is something that draws, or a method of it: what it gives depends on earlier draws."""
    kinds = [type(one).__module__ for one in (value, getattr(value, "__self__", None))]
    return any(top(kind) in UNKNOWN or kind.startswith("numpy.random") for kind in kinds)


def home(value: FunctionType | type) -> str:
    """Return the module that a function or class is written in; decorators may say another."""
    return str(value.__globals__.get("__name__", "")) if isinstance(value, FunctionType) else value.__module__


def file_of(value: FunctionType | type) -> str:
    """Return the file that defines a function or class; "" where none is known."""
    if isinstance(value, FunctionType):
        return value.__code__.co_filename
    return str(getattr(sys.modules.get(value.__module__), "__file__", None) or "")


def pythons(name: str) -> bool:
    """Return whether a module is Python's."""
    return top(name) in sys.stdlib_module_names


def top(name: str) -> str:
    """Return the package that a module lies in."""
    return name.partition(".")[0]


def constant(value: Any) -> bool:
    """Return whether a value is a type's name, as annotations have it."""
    return type(value).__module__ in ("typing", "__future__") or isinstance(value, GenericAlias | UnionType)


def error(value: Any) -> bool:
    """Return whether a value is a kind of error."""
    return isinstance(value, type) and issubclass(value, BaseException)
