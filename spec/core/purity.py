"""Functions of pages are pure: the same arguments give the same answer, whatever was called before.

A proof reads a page's text on symbols, and a run calls the same text on numbers, again and again.  What is proved holds
of the runs only if the text can tell neither from the other.  So its functions read their arguments and what never
changes; they keep nothing, catch no errors, and do not ask what kind of object they were given.  What a page reaches
of its own or of a user's other modules is read as well.  Trusted are sparring's own rooms.  Codes, which no proof
reads, compute as they like, and keep nothing either: what one rank decodes, each does.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    ModuleType,
    NoneType,
    UnionType,
)
from typing import Any
from weakref import finalize

from sparring.errors import InputError
from sparring.spec.core.vocabulary import LETTERS, Kind
from sparring.spec.core.wire_forms import Coding

TRUSTED = tuple(f"sparring.{room}" for room in (
    "spec.core", "spec.codecs", "spec.library", "spec.selectors", "errors", "proofs", "costs",
))  # fmt: skip
"""What is sparring's own answers on symbols and on numbers alike; functions of proofs and costs run in no text."""
LIBRARY = ("math", "itertools", "functools", "operator", "collections", "dataclasses", "typing", "fractions", "enum")
"""Modules of Python whose functions keep nothing."""
PURE = {
    "abs", "all", "any", "bool", "bytes", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
    "int", "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "sorted", "sum",
    "tuple", "zip", "NotImplemented", "super",
}  # fmt: skip
"""Python's own functions that ask nothing but what numbers, lists and symbols answer alike; errors, too."""
CONSTANTS = (NoneType, bool, int, float, complex, str, bytes, range, slice, type(...), Fraction, Enum)
TELLING = {"cache_info", "cache_clear", "format", "format_map", "attrgetter", "methodcaller", "singledispatch"}
"""Attributes and functions that tell what was called before, or what an object looks like."""
FORMULAS = {*LETTERS, *Kind._fields, "program", "ensures", "leaves", "told", "waiting", "bound"}
"""What a page may have from another module."""
MAKING = {"__init__", "__post_init__", "__new__"}
"""Functions that may give an object its attributes."""
UNKNOWN = {
    "datetime", "os", "posix", "random", "secrets", "threading", "time", "uuid", "open", "input", "id", "hash",
    "setattr", "delattr", "vars", "globals", "exec", "eval", "__import__",
}  # fmt: skip
"""What no code may read: modules and functions of Python that keep something, or answer otherwise each time."""
SEEDED = {"default_rng", "Generator", "SeedSequence", "PCG64", "Philox"}
"""What a code may draw with, if it says from which seed."""
NAMED = (BuiltinFunctionType, ModuleType)
"""What a module's name says all of."""
ALTERABLE = (list, dict, set)
READING = {"get", "items", "keys", "values", "index", "count"}
"""Methods of these that leave them as they are."""
TREES: dict[int, ast.Module] = {}
"""By identity, since equal code may outlive it, the trees of code that was compiled from a tree and not from a file."""
KEPT = "a code keeps nothing from call to call, and draws from a seed that it is given"
ARGUMENTS = "a page's functions may read their arguments and what never changes"


def check(module: ModuleType) -> None:
    """Raise InputError for the first thing that is not pure in a page's functions, or in what they reach."""
    found = Found(module)
    for name, value in [*vars(module).items()]:
        written = isinstance(value, FunctionType | type) and home(value) == module.__name__
        if written or (name in FORMULAS and callable(value)):
            found.look(value, name, None)


class Found:
    """What the functions of a page's ``module`` reach, each looked at once."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.seen: dict[int, Any] = {}
        self.helping: dict[int, FunctionType] = {}  # functions that codes call

    def look(self, value: Any, name: str, at: str | None) -> None:
        """Look at a value that is read as ``name`` at a place, ``file:line: function``; None for a page's own names."""
        if id(value) in self.seen or isinstance(value, CONSTANTS) or constant(value):
            return
        self.seen[id(value)] = value
        if hasattr(value, "__wrapped__"):  # a cache of a function, or what a decorator made
            self.look(value.__wrapped__, name, at)
        if isinstance(value, FunctionType | type):
            where = home(value)
            if foreign(value, self.module.__name__) and not library(value) and not error(value):
                raise InputError(f"{at or name} reads {name} of the module {where}; {ARGUMENTS}")
            if not trusted(where, self.module.__name__):
                self.inside(value)
        elif (parts := held(value)) is not None:
            for one in parts:
                self.look_inside(one, name, at)
        elif not unchanging(value):
            kind = "" if isinstance(value, NAMED) else f", a {type(value).__name__}"
            raise InputError(f"{at or name} reads {name}{kind}; {ARGUMENTS}")

    def look_inside(self, value: Any, name: str, at: str | None) -> None:
        """Look at what another value holds, which must not change."""
        if isinstance(value, ALTERABLE):
            raise InputError(f"{at or name} reads a {type(value).__name__} inside of {name}; {ARGUMENTS}")
        self.look(value, name, at)

    def inside(self, value: FunctionType | type) -> None:
        """Look at a function's text, or at a class's functions and names."""
        if isinstance(value, FunctionType):
            self.text(value)
            return
        if issubclass(value, Enum | BaseException):
            return
        if issubclass(value, Coding) and not fixed(value):
            raise InputError(f"{value.__module__}.{value.__name__} is no frozen dataclass of parameters alone; {KEPT}")
        for name, held in vars(value).items():
            one = getattr(held, "__func__", getattr(held, "fget", getattr(held, "func", held)))
            if isinstance(one, FunctionType) and issubclass(value, Coding):
                if not (pythons(home(one)) or one.__code__.co_filename.startswith("<")):  # what a dataclass has besides
                    self.code(one, f"{value.__name__}.{name}")
            elif isinstance(one, FunctionType):
                if not (name.startswith("__") and one.__code__.co_filename.startswith("<")):  # those Python has written
                    self.look(one, f"{value.__name__}.{name}", None)
            elif not name.startswith(("__", "_abc", "_field")) and not inspect.isdatadescriptor(held):
                self.look_inside(held, f"{value.__name__}.{name}", None)

    def code(self, function: FunctionType, name: str) -> None:
        """Look at a function of a code: whether it keeps anything, or depends on chance."""
        text = Text(function.__code__.co_filename, function.__code__, name)
        text.check(keeping, KEPT)
        if any(isinstance(held, ALTERABLE) or drawing(held) for held in bound(function)):
            raise InputError(f"{text.place(function.__code__.co_firstlineno)} has a default that may change; {KEPT}")
        for read in sorted(globals_of(function.__code__)):
            value = function.__globals__.get(read)
            line = text.changes(read) if isinstance(value, ALTERABLE) else 0
            if line or hasattr(value, "__next__") or drawing(value):
                raise InputError(f"{text.place(line or text.line(read))} may change {read}; {KEPT}")
            where = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
            if (value is None and read in UNKNOWN) or top(where) in UNKNOWN or where == "numpy.random":
                raise InputError(f"{text.place(text.line(read))} reads {read}; {KEPT}")
            known = id(value) in self.helping or library(value)
            if isinstance(value, FunctionType) and not (known or foreign(value, self.module.__name__)):
                self.helping[id(value)] = value
                self.code(value, read)

    def text(self, function: FunctionType) -> None:
        """Look at a function: its text, what it is bound to, and what it reads."""
        code, name = function.__code__, function.__name__
        text = Text(code.co_filename, code, name)
        text.check()
        for held in bound(function):
            self.look_inside(held, "a default or a variable outside", text.place(code.co_firstlineno))
        for read in sorted(globals_of(code)):
            at = text.place(text.line(read))
            if read in function.__globals__:
                self.attributes(function.__globals__[read], read, text, at)
            elif hasattr(builtins, read) and read not in PURE and not error(getattr(builtins, read)):
                raise InputError(f"{at} asks {read}; {ARGUMENTS}")

    def attributes(self, value: Any, name: str, text: Text, at: str) -> None:
        """Look at what a function reads: of a module, each attribute that it names."""
        if isinstance(value, ALTERABLE) and (line := text.changes(name)):
            raise InputError(f"{text.place(line)} may change {name}, a {type(value).__name__}; {ARGUMENTS}")
        if not isinstance(value, ModuleType):
            self.look(value, name, at)
            return
        for node in text.nodes(ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == name:
                held = getattr(value, node.attr, None)
                if not trusted(value.__name__, self.module.__name__) and not library(value):
                    self.attributes(held, f"{name}.{node.attr}", text, text.place(node.lineno))
                elif isinstance(held, ModuleType):
                    self.look(held, f"{name}.{node.attr}", text.place(node.lineno))


class Text:
    """The text of one function."""

    def __init__(self, file: str, code: CodeType, name: str) -> None:
        self.file, self.code, self.name = file, code, name

    @cached_property
    def node(self) -> ast.AST:
        """The function's part of its tree; a lambda's is found by its line."""
        for node in ast.walk(TREES.get(id(self.code)) or tree(self.file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                lines = {node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))}
                if self.code.co_firstlineno in lines and getattr(node, "name", "<lambda>") == self.code.co_name:
                    return node
        raise InputError(f"{self.place(self.code.co_firstlineno)}: its text is not in this file")

    def nodes(self, kind: Any) -> Iterator[Any]:
        """All nodes of a kind in it."""
        return (node for node in ast.walk(self.node) if isinstance(node, kind))

    def place(self, line: int) -> str:
        """A line of it, as errors name it."""
        return f"{Path(self.file).name}:{line}: {self.name}"

    def line(self, name: str) -> int:
        """The first line that reads that name."""
        return min((node.lineno for node in self.nodes(ast.Name) if node.id == name), default=self.code.co_firstlineno)

    def changes(self, name: str) -> int:
        """The first line that does more to what has that name than read a part of it; 0 where none does."""
        parts = [part for node in ast.walk(self.node) for part in reading(node)]
        read = {id(part) for part in parts if isinstance(part, ast.Name)}
        return min((n.lineno for n in self.nodes(ast.Name) if n.id == name and id(n) not in read), default=0)

    def check(self, found: Callable[[ast.AST, str], str] | None = None, rule: str = "") -> None:
        """Raise InputError for the first part in which something is ``found``, by default whatever is not pure."""
        told = {id(part) for node in self.nodes(ast.Raise) for part in ast.walk(node)}
        for node in ast.walk(self.node):
            if (why := (found or impure)(node, self.code.co_name)) and id(node) not in told:
                line = getattr(node, "lineno", self.code.co_firstlineno)
                raise InputError(f"{self.place(line)} {why}; {rule or ARGUMENTS}")


def held(value: Any) -> Iterable[Any] | None:
    """Return of what a value is made; None where it is no collection and no object of a user's class."""
    match value:
        case dict() | MappingProxyType():
            return value.values()
        case list() | set() | tuple() | frozenset():
            return value
        case partial():
            return [value.func, value.args, *value.keywords.values()]
    where = type(value).__module__
    if isinstance(value, NAMED) or pythons(where) or trusted(where, "") or not hasattr(value, "__dict__"):
        return None
    return [type(value), *vars(value).values()]


def bound(function: FunctionType) -> list[Any]:
    """Return what a function has besides its arguments: defaults, and variables of functions around it."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells]


def reading(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of a node that are only read there, item by item."""
    match node:
        case ast.Subscript(value=part, ctx=ast.Load()):
            return [part]
        case ast.For(iter=part) | ast.comprehension(iter=part):
            return [part]
        case ast.Compare(comparators=parts, ops=ops) if all(isinstance(op, ast.In | ast.NotIn) for op in ops):
            return parts
        case ast.Call(func=ast.Attribute(value=part, attr=attr)) if attr in READING:
            return [part]
        case ast.Call(func=ast.Name(id="len"), args=parts):
            return parts
    return []


def impure(node: ast.AST, function: str) -> str:
    """Return what is not pure in a part of a text; "" where nothing is."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return "imports a module when it is called"
        case ast.Global() | ast.Nonlocal():
            return f"binds {node.names[0]} anew for later calls"
        case ast.Attribute(ctx=ast.Store() | ast.Del()) if function not in MAKING:
            return f"sets the attribute {node.attr}, which later calls may read"
        case ast.Attribute(attr=attr) if attr in TELLING or (attr.startswith("__") and attr not in MAKING):
            return f"asks for {attr}"
        case ast.Try() | ast.TryStar():
            return "catches errors, which symbols raise where numbers do not"
        case ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Await():
            return "enters a context"
        case ast.MatchClass() | ast.MatchSequence() | ast.MatchMapping():
            return "asks for the class of an object"
        case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return "makes a text of what it is given"
        case ast.Compare(ops=ops, comparators=others) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            fixed = any(isinstance(one, ast.Constant) or (isinstance(one, ast.Name) and one.id.isupper())
                        for one in (node.left, *others))  # fmt: skip
            return "" if fixed else "asks whether two objects are one"
    return ""


def keeping(node: ast.AST, function: str) -> str:
    """Return what a part of a code's text keeps for later calls, or draws from no seed; "" where it does neither."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Attribute(attr="__setattr__" | "__dict__"):
            return f"sets the attribute {node.attr}, which later calls may read"
        case ast.Attribute(value=ast.Attribute(attr="random"), attr=attr) if attr not in SEEDED:
            return f"draws with {attr} from no seed of its own"
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in SEEDED:
            given = [*node.args, *(one.value for one in node.keywords)]
            seeded = any(not (isinstance(one, ast.Constant) and one.value is None) for one in given)
            return "" if seeded else "draws from no seed"
        case ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return impure(node, function)
    return ""


def drawing(value: Any) -> bool:
    """Return whether a value is something that draws, or a method of it: what it gives depends on earlier draws."""
    kinds = [type(one).__module__ for one in (value, getattr(value, "__self__", None))]
    return any(top(kind) in UNKNOWN or kind.startswith("numpy.random") for kind in kinds)


def fixed(code: type) -> bool:
    """Return whether what a code has are its parameters alone: a frozen dataclass that makes nothing else."""
    frozen = getattr(vars(code).get("__dataclass_params__"), "frozen", False)
    own = {name for name in ("__post_init__", "__new__") if name in vars(code)}
    parts = getattr(code, "__dataclass_fields__", {}).values()
    return frozen and not own and all(one.default_factory is MISSING for one in parts)


def globals_of(code: CodeType) -> set[str]:
    """Return the names that a function, or one inside of it, reads from its module."""
    read = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return read.union(*(globals_of(one) for one in code.co_consts if isinstance(one, CodeType)))


def compiled_from(tree: ast.Module, code: CodeType) -> None:
    """Remember the tree that a module's code was compiled from, for each function in it."""
    TREES[id(code)] = tree
    finalize(code, TREES.pop, id(code)).atexit = False
    for one in code.co_consts:
        if isinstance(one, CodeType):
            compiled_from(tree, one)


def tree(file: str) -> ast.Module:
    """The tree of a file, which is read once unless it is written again."""
    try:
        stat = Path(file).stat()
        return parsed(file, stat.st_mtime_ns, stat.st_size)
    except (OSError, SyntaxError, ValueError) as fault:
        raise InputError(f"{file}: the text of a page's function cannot be read: {fault}") from fault


@lru_cache(maxsize=500)
def parsed(file: str, written: int, size: int) -> ast.Module:  # a new file, a new tree
    """The tree of a file that was last written then."""
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def file_of(value: FunctionType | type) -> str:
    """The file that defines a function or class; "" where none is known."""
    if isinstance(value, FunctionType):
        return value.__code__.co_filename
    return str(getattr(sys.modules.get(value.__module__), "__file__", None) or "")


def trusted(name: str, page: str) -> bool:
    """Return whether what a module defines need not be looked at; a page's own module is never trusted."""
    return name != page and any(name == one or name.startswith(f"{one}.") for one in (*TRUSTED, *LIBRARY, "builtins"))


def home(value: FunctionType | type) -> str:
    """Return the module that a function or class is written in; decorators may say another."""
    return str(value.__globals__.get("__name__", "")) if isinstance(value, FunctionType) else value.__module__


def library(value: Any) -> bool:
    """Return whether a function, class or module is Python's, and keeps nothing; or sparring's own."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    pure = name == "builtins" and getattr(value, "__name__", "") in PURE
    if getattr(value, "__name__", "") in TELLING:
        return False
    return pure or top(name).removeprefix("_") in LIBRARY or trusted(name, "")


def unchanging(value: Any) -> bool:
    """Return whether an object keeps nothing: one of sparring's own classes, or what a pure name of Python's says."""
    if isinstance(value, NAMED):
        return library(value)
    return trusted(type(value).__module__, "") and (callable(value) or not pythons(type(value).__module__))


def pythons(name: str) -> bool:
    """Return whether a module is Python's."""
    return top(name) in sys.stdlib_module_names


def foreign(value: FunctionType | type, page: str) -> bool:
    """Return whether a function or class is neither a user's nor sparring's own: Python's, or another package's."""
    where, file = home(value), file_of(value)
    installed = not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
    return where != page and (pythons(where) or (installed and top(where) not in (top(page), "sparring")))


def top(name: str) -> str:
    """Return the package that a module lies in."""
    return name.partition(".")[0]


def constant(value: Any) -> bool:
    """Return whether a value is a type's name, as annotations have it."""
    return type(value).__module__ in ("typing", "__future__") or isinstance(value, GenericAlias | UnionType)


def error(value: Any) -> bool:
    """Return whether a value is a kind of error."""
    return isinstance(value, type) and issubclass(value, BaseException)
