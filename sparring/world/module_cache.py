"""Modules that the ranks of a target keep from one run to the next, instead of executing them anew.

Only where the target lies below ``sparring.impl``: executing a user's modules anew may find another
file, clock, or number of ranks, and ours ask for nothing of the kind.  They are kept as they were when
the target had been loaded.  After a run, names that were bound anew and containers that were changed
are put back; where anything else has changed, or could have, they are executed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from functools import cached_property
from importlib import import_module
from operator import is_
from types import (
    BuiltinFunctionType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
    NoneType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.world import targets
from sparring.world.interface.mpi import packages
from sparring.world.modules import PLANTED, Modules, written
from sparring.world.targets import outside


class _Named(NamedTuple):
    field: None


NEVER_CHANGE = (
    NoneType, bool, int, float, complex, str, bytes, range, np.generic, np.dtype, Enum, ModuleType, BuiltinFunctionType,
    WrapperDescriptorType, MemberDescriptorType, type(_Named.field), type(NDArray[Any]), type(Callable[..., Any]),
    type(int | str),
)  # fmt: skip


WRAPPERS = (classmethod, staticmethod, property, cached_property)
"""What classes make of their functions."""


class Changeable(Exception):
    """Raised for a value of which nobody could tell whether it has changed."""


class Part:
    """A container, and what was in it."""

    def __init__(self, container: Any) -> None:
        self.container, self.had = container, container.copy()

    def put_back(self) -> bool:
        """Put back what it had, where it can be; return whether it could."""
        if alike(self.container, self.had):
            return True
        if isinstance(self.container, dict | set):
            self.container.clear()
            self.container.update(self.had)
        return isinstance(self.container, dict | set)


def alike(now: Any, had: Any) -> bool:
    """Return whether two containers have the same objects, in mappings under the same names."""
    if len(now) != len(had):
        return False
    if isinstance(had, Mapping):
        in_order = all(map(is_, now, had)) and all(map(is_, now.values(), had.values()))  # soon seen, after every run
        return in_order or all(now.get(name, Part) is value for name, value in had.items())
    return all(map(is_, now, had))


class Bound:
    """A function, and what another call may find changed: its attributes, code, defaults and variables outside."""

    def __init__(self, function: FunctionType) -> None:
        self.function, self.attributes = function, {**vars(function)}
        self.had, self.outside = bound(function), outside(function)

    def put_back(self) -> bool:
        """Put back its attributes; return whether it is bound to the same."""
        function = self.function  # of hundreds, after every run: nearly all have neither attributes nor a closure
        if (vars(function) or self.attributes) and not alike(vars(function), self.attributes):
            vars(function).clear()
            vars(function).update(self.attributes)
        same = all(map(is_, bound(function), self.had))
        return same and (function.__closure__ is None or alike(outside(function), self.outside))


def bound(function: FunctionType) -> tuple[Any, ...]:
    """Return its code and its defaults."""
    return function.__code__, function.__defaults__, function.__kwdefaults__


class Kept:
    """The target that one rank has loaded, and all modules that this needed.  Raises Changeable."""

    def __init__(self, target: Callable[..., Any], modules: Mapping[str, ModuleType]) -> None:
        self.target, self.modules = target, modules
        self.parts: list[Part | Bound] = []
        self.seen: set[int] = set()
        for module in modules.values():
            self.parts.append(Part(vars(module)))
            self.look([value for name, value in vars(module).items() if not pythons(name)], module.__name__)

    def look(self, values: Iterable[Any], module: str) -> None:
        """Note what can change in these values, which a module has."""
        for value in values:
            if id(value) in self.seen:
                continue
            self.seen.add(id(value))
            if type(value) in (dict, list, set):
                self.parts.append(Part(value))
                self.look(value.values() if isinstance(value, dict) else value, module)
            elif isinstance(value, type | FunctionType):
                if value.__module__ == module:
                    self.parts.append(Bound(value) if isinstance(value, FunctionType) else Part(vars(value)))
                    self.look(inside(value), module)
            elif isinstance(value, (tuple, frozenset, *WRAPPERS)):
                self.look(wrapped(value), module)
            elif not (isinstance(value, NEVER_CHANGE) or type(value) is object or told_of_types(value)):
                raise Changeable

    def put_back(self) -> bool:
        """Put back what can be; return whether all of it is what it was."""
        return all(part.put_back() for part in self.parts)


def wrapped(value: Any) -> Iterable[Any]:
    """Return the functions of a wrapper; any other value's own."""
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, cached_property):
        return [value.func]
    return [value.__func__] if isinstance(value, classmethod | staticmethod) else value


def told_of_types(value: Any) -> bool:
    """Return whether a value is there for type checkers and the compiler."""
    return type(value).__module__ in ("__future__", "typing")


def pythons(name: str) -> bool:
    """Return whether a name is Python's own; ``_abc_impl`` is what classes remember of ``isinstance``."""
    return (name.startswith("__") and name.endswith("__")) or name == "_abc_impl"


def inside(value: type | FunctionType) -> Iterator[Any]:
    """Return what a class or a function holds."""
    if isinstance(value, type):
        yield from [held for name, held in vars(value).items() if not pythons(name) or isinstance(held, FunctionType)]
    else:
        yield from value.__defaults__ or ()
        yield value.__kwdefaults__
        yield from outside(value)


class Store:
    """The modules that the ranks of one target keep, and the simulated mpi4py that they have seen."""

    def __init__(self, target: targets.Target) -> None:
        self.target, self.planted, self.common = target, {**PLANTED}, packages()
        self.ranks: dict[int, Kept] = {}
        self.modules: Modules | None = None  # those of the run
        self.later: set[str] = set()  # what a call imported after the target was loaded
        self.shared = [Part(vars(module)) for module in self.common.values()]

    def serves(self, target: targets.Target) -> bool:
        """Return whether this target's modules would be the same, executed anew."""
        modules = self.ranks[0].modules.values() if 0 in self.ranks else ()
        return self.target == target and self.planted == PLANTED and not any(map(written, modules))

    def load(self, rank: int, modules: Modules) -> Callable[..., Any]:
        """Return the target as the running rank has it."""
        self.modules = modules
        if rank in self.ranks:
            modules.adopt(self.ranks[rank].modules)
            return self.ranks[rank].target
        found = targets.load(self.target, modules)
        for name in sorted(self.later):
            import_module(name)
        if isinstance(self.target, str) and targets.roots(self.target) == [targets.OWN]:
            with suppress(Changeable):
                self.ranks[rank] = Kept(found, modules.loaded())
        return found

    def put_back(self) -> None:
        """End a run: forget what is not as it was when it was loaded.

        What a call has imported, the next run imports before, so that it is kept as well.
        """
        for rank, own in enumerate(self.modules.own if self.modules else ()):
            if rank in self.ranks and (new := own.keys() - self.ranks[rank].modules.keys()):
                self.later |= new
                del self.ranks[rank]
        self.modules = None
        if not all(alike(part.container, part.had) for part in self.shared):
            self.ranks.clear()
        self.ranks = {rank: kept for rank, kept in self.ranks.items() if kept.put_back()}


STORES: list[Store] = []
"""Those of the last targets, the latest first; a run takes its own out."""
MOST = 4
"""So many targets take turns: a function, the class beside it, and either with a planted fault."""


@contextmanager
def store(target: targets.Target) -> Iterator[Store]:
    """Provide what a target's ranks have kept, for one run.  A world inside of that run has modules of its own."""
    found = next((one for one in STORES if one.serves(target)), None) or Store(target)
    STORES[:] = [one for one in STORES if one is not found]
    yield found
    found.put_back()
    STORES[:] = [found, *STORES][:MOST]


def forget() -> None:
    """Make every rank execute its modules anew."""
    STORES.clear()
