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
import inspect
from collections.abc import Iterable
from dataclasses import MISSING
from enum import Enum
from functools import cached_property, partial
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from sparring.errors import InputError
from sparring.spec.core import origins
from sparring.spec.core.code_purity import ALTERABLE, CONSTANTS, Codes, alters, bound, frozen, hidden
from sparring.spec.core.function_texts import ARGUMENTS, KEPT, MAKING, ONE, Text, dotted, globals_of, percents
from sparring.spec.core.origins import NAMED, PURE, home, pythons
from sparring.spec.core.vocabulary import LETTERS, Kind
from sparring.spec.core.wire_forms import Coding

FORMULAS = {*LETTERS, *Kind._fields, "program", "ensures", "leaves", "told", "waiting", "bound"}
"""What a page may have from another module."""


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
        self.codes = Codes(module.__name__)

    def look(self, value: Any, name: str, at: str | None) -> None:
        """Look at a value that is read as ``name`` at a place, ``file:line: function``; None for a page's own names."""
        if id(value) in self.seen or origins.constant(value):
            return
        self.seen[id(value)] = value
        if not origins.foreign(type(value), self.module.__name__):  # whatever it is besides, it has methods
            self.look(type(value), name, at)
        if isinstance(value, str | bytes) and percents(value):
            raise InputError(f"{at or name} reads {name}, with which a text is made of numbers; {ARGUMENTS}")
        if not isinstance(value, CONSTANTS):
            self.look_at_object(value, name, at)

    def look_at_object(self, value: Any, name: str, at: str | None) -> None:
        """Look at a value that is no number and no text."""
        if hasattr(value, "__wrapped__"):  # a cache of a function, or what a decorator made
            self.look(value.__wrapped__, name, at)
        if isinstance(value, FunctionType | type):
            where = home(value)
            others = origins.foreign(value, self.module.__name__) and not origins.error(value)
            if (others or origins.asking(value)) and not origins.library(value):
                raise InputError(f"{at or name} reads {name} of the module {where}; {ARGUMENTS}")
            if not origins.trusted(where, self.module.__name__):
                self.inside(value)
        elif (parts := held(value)) is not None:
            for one in parts:
                self.look_inside(one, name, at)
        elif not origins.unchanging(value):
            kind = "" if isinstance(value, NAMED) else f", a {type(value).__name__}"
            raise InputError(f"{at or name} reads {name}{kind}; {ARGUMENTS}")

    def look_inside(self, value: Any, name: str, at: str | None) -> None:
        """Look at what another value holds, which must not change."""
        if isinstance(value, ALTERABLE):
            raise InputError(f"{at or name} reads a {type(value).__name__} inside of {name}; {ARGUMENTS}")
        self.look(value, name, at)

    def inside(self, value: FunctionType | type) -> None:
        """Look at a function's text, or at a class."""
        if isinstance(value, FunctionType):
            self.text(value)
        elif not (origins.error(value) and origins.foreign(value, self.module.__name__)):
            self.parts(value)

    def parts(self, value: type) -> None:
        """Look at a class's functions and names, and at the classes that it inherits from."""
        if why := wrong(value):
            raise InputError(f"{value.__module__}.{value.__name__} {why}")
        for base in value.__bases__:
            self.look(base, base.__name__, None)
        if issubclass(value, Enum):
            self.members(value)
        for name, held in vars(value).items():
            one = getattr(held, "__func__", getattr(held, "fget", held))
            one = one.func if isinstance(one, cached_property) else one
            if isinstance(one, FunctionType) and issubclass(value, Coding):
                if not (pythons(home(one)) or origins.generated(one)):  # what a dataclass has besides
                    self.codes.look_at_function(one, f"{value.__name__}.{name}")
            elif isinstance(one, FunctionType):
                if not origins.generated(one):
                    self.look(one, f"{value.__name__}.{name}", None)
            elif one is not None and (one is not held or written_out(name, held, value)):
                self.look_inside(one, f"{value.__name__}.{name}", None)

    def members(self, value: type[Enum]) -> None:
        """Look at what the members of an Enum hold."""
        for name, member in value.__members__.items():
            for held in vars(member).values():
                self.look_inside(held, f"{value.__name__}.{name}", None)

    def text(self, function: FunctionType) -> None:
        """Look at a function: its text, what it is bound to, and what it reads."""
        code, name = function.__code__, function.__name__
        text = Text(code.co_filename, code, name)
        text.check()
        for held in bound(function):
            self.look_inside(held, "a default or a variable outside", text.place(code.co_firstlineno))
        for one in text.asked_for():
            kind = type(function.__globals__.get(one.id))
            if text.binds(one.id) or pythons(kind.__module__):
                raise InputError(f"{text.place(one.lineno)} {ONE}, of which {one.id} is no mark; {ARGUMENTS}")
        for read in sorted(globals_of(code)):
            at = text.place(text.line(read))
            if read in function.__globals__:
                self.attributes(function.__globals__[read], read, text, at)
            elif hasattr(builtins, read) and read not in PURE and not origins.error(getattr(builtins, read)):
                raise InputError(f"{at} asks {read}; {ARGUMENTS}")

    def attributes(self, value: Any, name: str, text: Text, at: str) -> None:
        """Look at a value that a function reads; of a module, at each attribute that the function names."""
        if isinstance(value, ALTERABLE) and (line := alters(text, name, value)):
            raise InputError(f"{text.place(line)} may change {name}, a {type(value).__name__}; {ARGUMENTS}")
        if not isinstance(value, ModuleType):
            self.look(value, name, at)
            return
        if text.aliases(name):
            raise InputError(f"{at} reads the module {name} by another name; {ARGUMENTS}")
        for node in text.nodes(ast.Attribute):
            if dotted(node.value) == name:
                held = getattr(value, node.attr, None)
                if not origins.trusted(value.__name__, self.module.__name__) and not origins.library(value):
                    self.attributes(held, f"{name}.{node.attr}", text, text.place(node.lineno))
                else:
                    self.look(held, f"{name}.{node.attr}", text.place(node.lineno))


def wrong(kind: type) -> str:
    """Return what is wrong with a class, whatever its functions do; "" where nothing is."""
    if issubclass(kind, Coding) and not fixed(kind):
        return f"is no frozen dataclass of parameters alone; {KEPT}"
    if hashed_apart(kind):
        return f"has a hash that leaves out what it holds, by which a cache takes one for another; {ARGUMENTS}"
    if issubclass(kind, Enum) and any("_missing_" in vars(one) for one in kind.__mro__ if not pythons(one.__module__)):
        return f"finds a member for what is none, as symbols are; {ARGUMENTS}"
    return ""


def hashed_apart(kind: type) -> bool:
    """Return whether objects of a class may be equal, and of one hash, and hold different things."""
    hashed: Any = kind.__hash__
    if hashed is None or hashed is object.__hash__ or issubclass(kind, Enum):
        return False
    names = {"__hash__"} if frozen(kind) else {"__hash__", *MAKING}
    own = [vars(one)[name] for one in kind.__mro__ if not pythons(one.__module__) for name in names & {*vars(one)}]
    made = (getattr(one, "__func__", one) for one in own if one is not None)
    fields = getattr(kind, "__dataclass_fields__", {}).values()
    return any(not one.compare or one.hash is False for one in fields) or not all(
        isinstance(one, FunctionType) and origins.generated(one) for one in made
    )


def written_out(name: str, held: Any, kind: type) -> bool:
    """Return whether a class holds something under a name that is neither a function nor Python's own doing."""
    users = callable(held) and not isinstance(held, type)
    if hidden(name, kind):
        return users and not isinstance(held, NAMED)
    return users or not (inspect.isdatadescriptor(held) and pythons(type(held).__module__))


def held(value: Any) -> Iterable[Any] | None:
    """Return the parts of a value; None where it is no collection and no object of a user's class."""
    match value:
        case dict() | MappingProxyType():
            return value.values()
        case list() | set() | tuple() | frozenset():
            return value
        case partial():
            return [value.func, value.args, *value.keywords.values()]
    where = type(value).__module__
    if isinstance(value, NAMED) or pythons(where) or origins.trusted(where, "") or not hasattr(value, "__dict__"):
        return None
    return [type(value), *vars(value).values()]


def fixed(code: type) -> bool:
    """Return whether a code has its parameters alone: it is a frozen dataclass that makes nothing else."""
    frozen = getattr(vars(code).get("__dataclass_params__"), "frozen", False)
    own = {name for name in ("__post_init__", "__new__") if name in vars(code)}
    parts = getattr(code, "__dataclass_fields__", {}).values()
    return frozen and not own and all(one.default_factory is MISSING for one in parts)
