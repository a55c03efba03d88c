"""What ranks in one process have in common and processes have not, beside modules: noticed where a run changes it.

A target may keep something there that it would not find on real ranks, or lose what it would.  What can be switched,
an :class:`Apart` gives each rank for its own; of the rest, files for instance, a :class:`Watch` tells that it changed.
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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.proofs.world.kept import WRAPPERS, alike, bound, wrapped
from sparring.proofs.world.modules import below, mentioned, users
from sparring.proofs.world.ranks import worlds
from sparring.proofs.world.targets import outside

CONTAINERS = (dict, list, set, deque)
MOST = 5_000
"""So many objects of a function are looked at."""
ENVIRONMENT: dict[Any, Any] = vars(os.environ)["_data"]  # dict(os.environ) decodes all of it, which takes 15 us


class Setting(NamedTuple):
    """Something that a process has: how it is read, and set.

    ``module``: where it is, if it takes long to read.  ``first``: what a rank has at first; None: as it is.
    """

    get: Callable[[], Any]
    put: Callable[[Any], None]
    module: str = ""
    first: Callable[[int], Any] | None = None


def environment(wanted: dict[Any, Any]) -> None:
    """Set it, also for what is not Python."""
    if wanted != ENVIRONMENT:
        os.environ.clear()
        os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in wanted.items()})


def directory() -> str:
    """The working directory; empty where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109  # as it was written
    except FileNotFoundError:
        return ""


def numpys() -> tuple[Any, ...]:
    """The state of numpy's global generator, of a kind that can be compared."""
    state: Any = np.random.get_state()  # noqa: NPY002  # the one that all have in common is meant
    return (state[0], state[1].tobytes(), *state[2:])


def set_numpys(state: tuple[Any, ...]) -> None:
    """Set it."""
    np.random.set_state((state[0], np.frombuffer(state[1], np.uint32), *state[2:]))  # noqa: NPY002  # the same one


def numpys_first(rank: int) -> tuple[Any, ...]:
    """As if seeded by the system."""
    state: Any = np.random.RandomState(rank).get_state()
    return (state[0], state[1].tobytes(), *state[2:])


def torchs() -> Any:
    """The state of torch's generator; nothing where torch is not loaded."""
    torch = sys.modules.get("torch")
    return torch.get_rng_state().tolist() if torch else None


def set_torchs(state: Any) -> None:
    """Set it."""
    torch = sys.modules.get("torch")
    if torch and state is not None:
        torch.set_rng_state(torch.tensor(state, dtype=torch.uint8))


SETTINGS = {
    "the environment": Setting(ENVIRONMENT.copy, environment),
    "the working directory": Setting(directory, lambda path: os.chdir(path) if path else None),
    "the generator of random": Setting(
        random.getstate, random.setstate, "random", lambda rank: random.Random(rank).getstate()
    ),
    "the generator of numpy": Setting(numpys, set_numpys, "numpy.random", numpys_first),
    "the generator of torch": Setting(torchs, set_torchs, "torch"),
}  # fmt: skip
"""What can be another for each rank."""


GLOBAL = [random.random.__self__, np.random.rand.__self__]  # type: ignore[attr-defined]  # methods, not told to checkers
"""The generators that everybody has: SETTINGS are their states."""


class Apart:
    """What each rank has for its own beside modules, of ``SETTINGS``: those of ``names``.

    It is put in its place whenever another rank runs.  Generators go on from run to run, as those of processes do;
    all else begins as this process has it, which has it again in the end.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = [*names]
        self.kept: dict[tuple[str, int], Any] = {}
        self.now: int | None = None

    def __enter__(self) -> None:
        self.now, self.before = None, {name: SETTINGS[name].get() for name in self.names}
        self.kept = {key: state for key, state in self.kept.items() if "generator" in key[0]}

    def __exit__(self, *error: object) -> None:
        self._leave()
        for name, state in self.before.items():
            SETTINGS[name].put(state)

    def enter(self, rank: int) -> None:
        """Rank ``rank`` runs from now on."""
        if self.names and rank != self.now:
            self._leave()
            for name in self.names:
                SETTINGS[name].put(self._own(name, rank))
            self.now = rank

    def _own(self, name: str, rank: int) -> Any:
        if (name, rank) in self.kept:
            return self.kept[name, rank]
        first = SETTINGS[name].first
        return first(rank) if first else self.before[name]

    def _leave(self) -> None:
        if self.now is not None:
            self.kept |= {(name, self.now): SETTINGS[name].get() for name in self.names}


class Watch:
    """What ranks have in common, as it was before a run.

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
        self.turns = 0
        thread = threading.current_thread()
        self.names["threading.current_thread()"] = thread, vars(thread).copy()

    def module(self, module: Any) -> None:
        """A module that all ranks have in common: its names, and of a distribution's the containers and classes."""
        name = getattr(module, "__name__", "")
        if isinstance(module, ModuleType) and name not in self.names:
            self.names[name] = module, vars(module).copy()
            self._set(name)
            for value in () if of_python(name) else [*vars(module).values()]:
                if type(value) in CONTAINERS or (isinstance(value, type) and value.__module__ == name):
                    self._keep(f"the state of {name}", (value if type(value) in CONTAINERS else vars(value)).copy)

    def value(self, value: Any, told: str = "") -> None:
        """What a target of this process is and holds, and whatever its code names."""
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
        """Somebody opens a file."""
        rank = worlds[-1].now if worlds else None
        if rank is not None and isinstance(path, str | bytes | os.PathLike):
            place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # no link is followed: that takes long
            for who in [self.writers] * writes + [self.readers] * reads if place != os.devnull else ():
                who[place].add(rank.number)

    def enter(self, rank: int) -> None:
        """Rank ``rank`` runs from now on."""
        self.apart.enter(rank)
        if self.turns & (self.turns - 1) == 0:
            self._look(name for name, (module, was) in self.names.items() if len(vars(module)) != len(was))
        self.turns += 1

    def changed(self) -> tuple[str, ...]:
        """What has changed, in words.  Settings, and names in Python's own modules and numpy's, are put back."""
        self._look(self.names)
        for name, (holder, names) in self.names.items():
            put_back(name, holder, names)
        for name, was in self.settings.items():
            if name in self.found:
                SETTINGS[name].put(was)
        for path in self.writers.keys() & self.readers.keys():
            if len(self.writers[path] | self.readers[path]) > 1:
                self.found[f"the file {path}"] = None
        return tuple(self.found)

    def _look(self, names: Iterable[str]) -> None:
        self.found |= dict.fromkeys(name for name, was in self.settings.items() if SETTINGS[name].get() != was)
        self.found |= dict.fromkeys(told for name in names for told in renamed(name, *self.names[name]))
        self.found |= dict.fromkeys(told for told, reader, was in self.parts if not same(reader(), was))

    def _set(self, module: str) -> None:
        """Settings that code of this module may change are looked at."""
        for name, setting in SETTINGS.items():
            mine = below(module, [setting.module]) or (module and not of_python(module))
            if mine and name not in self.settings and name not in self.apart.names:
                self.settings[name] = setting.get()

    def _keep(self, told: str, reader: Callable[[], Any]) -> None:
        self.parts.append((told, reader, reader()))


def of_python(name: str) -> bool:
    """Whether a module is Python's own, or numpy's: these have caches, and their state is known."""
    return (top := name.partition(".")[0]) in sys.stdlib_module_names or top == "numpy"


def renamed(module: str, holder: Any, was: dict[str, Any]) -> list[str]:
    """Names in a module that were not there, or that stand for something else now.

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
    """Python's own has its names again, as they were."""
    for told in renamed(module, holder, was) if of_python(module) else ():
        name = told.rpartition(".")[2]
        if name in was:
            setattr(holder, name, was[name])
        else:
            delattr(holder, name)


def same(now: Any, was: Any) -> bool:
    """Whether what was read is what it was: in containers the same objects."""
    return alike(now, was) if type(was) in CONTAINERS else now == was


Reading = tuple[Callable[[], Any] | None, Iterable[tuple[str, Any]]]
"""How to read the state of a value; what else it holds, each with what that is called."""


def read(value: Any, told: str) -> Reading:
    """Of any value."""
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
    """Of what a user has written."""
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
    """What an object has of its own, in slots too."""
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    return {**getattr(value, "__dict__", {}), **{name: getattr(value, name, None) for name in slots}}


def module_of(value: Any) -> Any:
    """The module in which a function or class, or the class of another value, was made; a module itself."""
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, SimpleNamespace | threading.local):
        return "__main__"  # state and nothing else, whosever
    return getattr(value if isinstance(value, FunctionType | type) else type(value), "__module__", "")


def dunder(name: str) -> bool:
    """Whether a name is Python's own."""
    return name.startswith("__") and name.endswith("__") and name != "__call__"


def within(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function holds, and what its code names."""
    name = function.__qualname__
    yield name, vars(function)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield f"a default of {name}", value
    yield from zip([f"{free} in {name}" for free in function.__code__.co_freevars], outside(function))
    for word in sorted(mentioned(function.__code__) & function.__globals__.keys()):
        yield word, function.__globals__[word]


def digest(x: NDArray[Any]) -> Any:
    """What changes where an array does."""
    return x.tolist() if x.dtype.hasobject else zlib.crc32(np.ascontiguousarray(x).view(np.uint8).data)


def of_users(name: Any) -> bool:
    """Whether a module is one that a user wrote, in a file or at the prompt."""
    top = name.partition(".")[0] if isinstance(name, str) else ""
    return top == "__main__" or users(getattr(sys.modules.get(top), "__spec__", None))


@contextmanager
def watched(target: Any, apart: Apart) -> Iterator[Watch]:
    """For one run: what ranks have in common, what the target holds if it is of this process, and files they open."""
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
