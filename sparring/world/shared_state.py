"""Notices where a run changes what ranks in one process share and processes do not.

A target may find something there that it would not find on real ranks, or lose what it would not lose there.
"""

from __future__ import annotations

import builtins
import functools
import gc
import io
import os
import pickle
import random
import sys
import threading
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.world.core.ranks import worlds
from sparring.world.module_cache import WRAPPERS, alike, bound, wrapped
from sparring.world.modules import COMMON, below, mentioned, users
from sparring.world.rank_state import SETTINGS, Apart
from sparring.world.targets import outside

CONTAINERS = (dict, list, set, deque)
MOST = 2_000
"""So many objects of a function are looked at."""
LARGE = 100_000
"""So many entries of an array."""
GLOBAL = [random.random.__self__, np.random.rand.__self__]  # type: ignore[attr-defined]  # methods, not told to checkers
"""The generators that everybody has: SETTINGS are their states."""


class Watch:
    """A record of what ranks have in common, as it was before a run.

    It is looked at when the first turn of a rank ends, the second, the fourth, the eighth: a target that clears up
    behind itself leaves no trace in the end.
    """

    def __init__(self, apart: Apart) -> None:
        self.apart = apart
        self.settings: dict[str, Any] = {}
        self._set("")
        self.names: dict[str, tuple[Any, dict[str, Any]]] = {}
        self.parts: list[tuple[str, Callable[[], Any], Any]] = []
        self.seen: dict[int, Any] = {id(one): one for one in GLOBAL}
        self.writers: defaultdict[str, set[int]] = defaultdict(set)
        self.readers: defaultdict[str, set[int]] = defaultdict(set)
        self.found: dict[str, None] = {}
        self.turns, self.over = 0, False
        thread = threading.current_thread()
        self.names["threading.current_thread()"] = thread, vars(thread).copy()

    def module(self, module: Any) -> None:
        """Watch a module that all ranks have in common: its names; of a distribution's the containers and classes."""
        name = getattr(module, "__name__", "")
        known = name in self.names or below(name, [top for top in COMMON if top != "numpy"])
        if isinstance(module, ModuleType) and not known:
            self.names[name] = module, vars(module).copy()
            self._set(name)
            for value in () if of_python(name) else [*vars(module).values()]:
                if type(value) in CONTAINERS or (isinstance(value, type) and value.__module__ == name):
                    self._keep(f"the state of {name}", (value if type(value) in CONTAINERS else vars(value)).copy)

    def value(self, value: Any, told: str = "") -> None:
        """Watch what a target of this process is and holds, and whatever its code names."""
        if id(value) in self.seen or len(self.seen) > MOST:
            return
        self.seen[id(value)] = value
        if isinstance(value, ModuleType) and not of_users(value.__name__):
            self.module(value)
            return
        reader, inside = read(value, told)
        if reader:
            self._keep(told, reader)
        for name, held in inside:
            self.value(held, name)

    def opened(self, path: Any, *, writes: bool, reads: bool) -> None:
        """Note that somebody opens a file."""
        rank = worlds[-1].now if worlds else None
        if rank is not None and isinstance(path, str | bytes | os.PathLike):
            place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # no link is followed: that takes long
            for who in [self.writers] * writes + [self.readers] * reads if place != os.devnull else ():
                who[place].add(rank.number)

    def enter(self, rank: int) -> None:
        """Let rank ``rank`` run from now on."""
        self.apart.enter(rank)
        if self.turns & (self.turns - 1) == 0:
            self._look(name for name, (module, was) in self.names.items() if len(vars(module)) != len(was))
        self.turns += 1

    def changed(self) -> tuple[str, ...]:
        """Say what has changed.  Settings, and names in Python's own modules and numpy's, are put back."""
        self.over = True
        self._look(self.names)
        for name, (holder, names) in self.names.items():
            put_back(name, holder, names)
        for name, was in self.settings.items():
            if name in self.found:
                SETTINGS[name].put(was)
        for path in sorted(self.writers.keys() & self.readers.keys()):
            if len(self.writers[path] | self.readers[path]) > 1:
                self.found[f"the file {path}"] = None
        return tuple(self.found)

    def _look(self, names: Iterable[str]) -> None:
        self.found |= dict.fromkeys(name for name, was in self.settings.items() if SETTINGS[name].get() != was)
        self.found |= dict.fromkeys(told for name in names for told in renamed(name, *self.names[name]))
        self.found |= dict.fromkeys(told for told, reader, was in self.parts if not same(reader(), was))

    def _set(self, module: str) -> None:
        """Watch the settings that code of this module may change."""
        for name, setting in SETTINGS.items():
            mine = below(module, [setting.module]) or (module and not of_python(module))
            if mine and name not in self.settings and name not in self.apart.names:
                self.settings[name] = setting.get()

    def _keep(self, told: str, reader: Callable[[], Any]) -> None:
        self.parts.append((told, reader, reader()))


def of_python(name: str) -> bool:
    """Return whether a module is Python's own, or numpy's: these have caches, and their state is known."""
    return (top := name.partition(".")[0]) in sys.stdlib_module_names or top == "numpy"


def renamed(module: str, holder: Any, was: dict[str, Any]) -> list[str]:
    """Yield names in a module that were not there, or that stand for something else now.

    In Python's own, functions and classes are meant: others it fills in when they are first asked for.
    """
    now, ours, found = vars(holder), of_python(module), []
    for name in () if alike(now, was) else {**was, **now}:
        value, before = now.get(name, holder), was.get(name, holder)
        if value is before or isinstance(value, ModuleType) or dunder(name):
            continue
        if not ours or before is holder or callable(before):
            found.append(f"{module}.{name}" if ours else f"the state of {module}")
    return found


def put_back(module: str, holder: Any, was: dict[str, Any]) -> None:
    """Give Python's own its names again, as they were."""
    for told in renamed(module, holder, was) if of_python(module) else ():
        name = told.rpartition(".")[2]
        if name in was:
            setattr(holder, name, was[name])
        else:
            delattr(holder, name)


def same(now: Any, was: Any) -> bool:
    """Return whether what was read is what it was: in containers the same objects."""
    return alike(now, was) if type(was) in CONTAINERS else now == was


Reading = tuple[Callable[[], Any] | None, Iterable[tuple[str, Any]]]
"""How to read the state of a value; what else it holds, each with what that is called."""


def read(value: Any, told: str) -> Reading:
    """Read any value."""
    if type(value) in (*CONTAINERS, tuple, frozenset):
        inside = value.values() if isinstance(value, dict) else value
        return (value.copy if type(value) in CONTAINERS else None), [(told, held) for held in inside]
    if isinstance(value, np.ndarray):
        return partial(digest, value), []
    if isinstance(value, random.Random):
        return value.getstate, []
    if isinstance(value, np.random.Generator | np.random.RandomState | np.random.BitGenerator):
        return partial(pickle.dumps, value), []
    if isinstance(value, functools._lru_cache_wrapper):
        return lambda: value.cache_info().currsize, [(told, held) for held in gc.get_referents(value)]
    if isinstance(value, (*WRAPPERS, partial, MethodType)):
        parts = gc.get_referents(value) if isinstance(value, partial | MethodType) else wrapped(value)
        return None, [(told, held) for held in parts]
    return written(value, told) if of_users(module_of(value)) else (None, [])


def written(value: Any, told: str) -> Reading:
    """Read what a user has written."""
    if isinstance(value, FunctionType):
        return partial(bound, value), within(value)
    if isinstance(value, type | ModuleType):
        name, state = value.__qualname__ if isinstance(value, type) else value.__name__, vars(value)
        return state.copy, [(f"{name}.{key}", held) for key, held in state.items() if not dunder(key)]
    return partial(attributes, value), [
        (type(value).__qualname__, type(value)),
        *((told, held) for held in attributes(value).values()),
    ]


def attributes(value: Any) -> dict[str, Any]:
    """Return what an object has of its own, in slots too."""
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    return {**getattr(value, "__dict__", {}), **{name: getattr(value, name, None) for name in slots}}


def module_of(value: Any) -> Any:
    """Return the module in which a function or class, or a value's class, was made; a module itself."""
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, SimpleNamespace | threading.local):
        return "__main__"  # state and nothing else, whosever
    return getattr(value if isinstance(value, FunctionType | type) else type(value), "__module__", "")


def dunder(name: str) -> bool:
    """Return whether a name is Python's own."""
    return name.startswith("__") and name.endswith("__") and name != "__call__"


def within(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield what a function holds, and what its code names."""
    name = function.__qualname__
    yield name, vars(function)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield f"a default of {name}", value
    yield from zip([f"{free} in {name}" for free in function.__code__.co_freevars], outside(function))
    for word in sorted(mentioned(function.__code__) & function.__globals__.keys()):
        yield word, function.__globals__[word]


def digest(x: NDArray[Any]) -> Any:
    """Return what changes where an array does; of a large one not every entry is looked at."""
    some = x.flat[:: 1 + x.size // LARGE]
    return some.tolist() if x.dtype.hasobject else zlib.crc32(some.tobytes())


def of_users(name: Any) -> bool:
    """Return whether a user wrote the module, in a file or at the prompt."""
    top = name.partition(".")[0] if isinstance(name, str) else ""
    return top == "__main__" or users(getattr(sys.modules.get(top), "__spec__", None))


@contextmanager
def watched(target: Any, apart: Apart) -> Iterator[Watch]:
    """Watch for one run what ranks have in common, what a target of this process holds, and files they open."""
    watch, real, reals = Watch(apart), builtins.open, os.open

    def opens(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
        watch.opened(file, writes=bool({*mode} & {*"wax+"}), reads=bool({*mode} & {*"rx+"}))
        return real(file, mode, *args, **more)

    def opens_below(path: Any, flags: int, *args: Any, **more: Any) -> int:
        watch.opened(path, writes=bool(flags & (os.O_WRONLY | os.O_RDWR)), reads=not flags & os.O_WRONLY)
        return reals(path, flags, *args, **more)

    builtins.open = io.open = opens
    os.open = opens_below
    try:
        if not isinstance(target, str):
            watch.value(target, getattr(target, "__qualname__", type(target).__qualname__))
        with apart:
            yield watch
    finally:
        builtins.open, io.open, os.open = real, real, reals
        if not watch.over:  # somebody interrupts the run
            watch.changed()
