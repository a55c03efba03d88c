"""Finds targets: ``"pkg.mod:function"``, ``"file.py:function"``, or a function; afresh for each rank."""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.world.core.constants import Unsupported
from sparring.world.core.ranks import NoTarget
from sparring.world.modules import Compiled, Modules, below, mentioned

OWN = "sparring.impl"
PLAIN = (
    NoneType, bool, int, float, complex, str, bytes, tuple, frozenset, PurePath, BuiltinFunctionType,
    np.dtype, np.generic, np.ufunc,
)  # fmt: skip
"""What is as good from every module."""
Target = str | Callable[..., Any]


def roots(target: Target) -> list[str]:
    """Return the packages of which every rank has modules of its own."""
    if not isinstance(target, str):
        return [OWN]
    module, _ = _split(target)
    if module.endswith(".py"):
        return [OWN, _module_name(module)]
    top = module.partition(".")[0]
    if top == "sparring":
        return [OWN] if module == OWN or module.startswith(OWN + ".") else [OWN, module]
    return [OWN, top]


def ours(target: Target) -> bool:
    """Return whether the target is known to keep nothing where ranks could share it."""
    if isinstance(target, str):
        return roots(target) == [OWN]
    inner = target.func if isinstance(target, functools.partial) else target
    return below(getattr(inner, "__module__", None) or "", ["sparring"])


def load(target: Target, modules: Modules) -> Callable[..., Any]:
    """Return the running rank's own ``target``, which sees the rank's modules.  Raises NoTarget when there is none."""
    if not isinstance(target, str):
        return _rebuilt(target, modules)
    module, name = _split(target)
    found: Callable[..., Any] | None = getattr(
        _file(Path(module), modules.meet) if module.endswith(".py") else _module(module, target), name, None
    )
    if not callable(found):
        raise NoTarget(f"no function {name!r} in {module}, wanted for target {target!r}")
    return found


@functools.cache
def module_of(target: str) -> ModuleType:
    """Return this process's own module of a target, whose signatures and file can be looked at."""
    place, _ = _split(target)
    if not place.endswith(".py"):
        return _module(place, target)
    spec = importlib.util.spec_from_file_location(_module_name(place), place)
    if spec is None or spec.loader is None or not Path(place).is_file():
        raise NoTarget(f"no file {place}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _split(target: str) -> tuple[str, str]:
    module, _, name = target.rpartition(":")
    if not module or not name.isidentifier():
        raise InputError(f"target {target!r} must read pkg.mod:function or ./file.py:function")
    return module, name


def _module(module: str, target: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            raise NoTarget(f"no module {error.name!r}, wanted for target {target!r}") from None
        raise


def _module_name(path: str) -> str:
    return f"target_{Path(path).stem}"


class Untraced(Compiled):
    """A loader that leaves no ``__pycache__`` beside a user's file."""

    def get_code(self, fullname: str) -> CodeType:
        found = compiled(self.path, *self.state)
        self.meet(found)
        return found


@functools.lru_cache(maxsize=64)
def compiled(path: str, written: int, size: int) -> CodeType:  # noqa: ARG001  # a new file, new code
    """Return the code in a file, last written at ``written``, which every rank of every run executes."""
    return compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)


def _file(path: Path, meet: Callable[[CodeType], None]) -> ModuleType:
    """Return the module in that file, executed for the running rank."""
    if not path.is_file():
        raise NoTarget(f"no file {path}")
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)  # as where the file is run by itself; no longer than this run
    name = _module_name(str(path))
    loader = Untraced(name, str(path))
    loader.meet = meet
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _rebuilt(target: Callable[..., Any], modules: Modules) -> Callable[..., Any]:
    """Copy the function with globals of its own, and the rank's modules and the simulated MPI for the host's."""
    if isinstance(target, functools.partial):
        return functools.partial(_rebuilt(target.func, modules), *target.args, **target.keywords)
    if isinstance(target, type) and not ours(target):
        found: Callable[..., Any] = counterpart(target, modules)
        return found
    return Rebuilder(target, modules).function(target) if isinstance(target, FunctionType) else target


class Rebuilder:
    """A copier of functions that have the globals of one: the copies have one new set of globals.

    Containers, arrays and generators among the globals are copied one level deep.  What the function's code names of
    other modules of which ranks have their own is the rank's; the rest of other modules stays.
    """

    def __init__(self, target: FunctionType, modules: Modules) -> None:
        self.old, self.modules = target.__globals__, modules
        named = reached(target)
        if not ours(target):
            modules.see({*named, *(module_of_value(self.old[name]) for name in named & self.old.keys())})
        self.made: dict[FunctionType, FunctionType] = {}
        self.new: dict[str, Any] = {}
        for name, value in self.old.items():
            self.new[name] = value if name.startswith("__") else self.value(value, named=name in named)

    def value(self, value: Any, *, named: bool) -> Any:
        """Return the running rank's own version of a value, which the function's code names or not."""
        if isinstance(value, FunctionType) and value.__globals__ is self.old:
            return self.function(value)
        found = self._simulated(value)
        if not named or found is not value or isinstance(value, PLAIN):
            return found
        found = counterpart(value, self.modules, self.old.get("__name__", ""))
        return copied(value) if found is value else found

    def function(self, old: FunctionType) -> FunctionType:
        """Copy a function."""
        if old not in self.made:
            cells = tuple(CellType() for _ in old.__closure__ or ())
            defaults = tuple(self.value(held, named=True) for held in old.__defaults__ or ()) or None
            new = FunctionType(old.__code__, self.new, old.__name__, defaults, cells or None)
            new.__kwdefaults__ = {
                name: self.value(held, named=True) for name, held in (old.__kwdefaults__ or {}).items()
            }
            new.__qualname__, new.__module__ = old.__qualname__, old.__module__
            new.__dict__ = {name: copied(held) for name, held in vars(old).items()}
            self.made[old] = new
            for cell, filled in zip(cells, old.__closure__ or ()):
                self._fill(cell, filled)
        return self.made[old]

    def _fill(self, cell: CellType, old: CellType) -> None:
        try:
            value = old.cell_contents
        except ValueError:  # a name that is not bound yet
            return
        own = isinstance(value, FunctionType) and value.__globals__ is self.old
        cell.cell_contents = self.function(value) if own else self._simulated(value)

    def _simulated(self, value: Any) -> Any:
        """Return the counterpart of mpi4py itself and of everything in ``mpi4py.MPI``."""
        hidden = self.modules.hidden
        for name, module in hidden.items():
            if value is module and name in ("mpi4py", "mpi4py.MPI"):
                return sys.modules[name]
        real = hidden.get("mpi4py.MPI")
        if real is None or "mpi4py.MPI" not in (type(value).__module__, getattr(value, "__module__", None)):
            return value
        names = [name for name, thing in vars(real).items() if thing is value]
        return getattr(sys.modules["mpi4py.MPI"], names[0]) if names else value


def counterpart(value: Any, modules: Modules, beside: str = "") -> Any:
    """Return the rank's own value where the host's module has this one; else the value itself."""
    module, path = origin(value, {name: module for name, module in modules.hidden.items() if name != beside})
    if not module:
        return value
    try:
        return functools.reduce(getattr, path.split(".") if path else [], importlib.import_module(module))
    except Unsupported:
        raise
    except Exception:  # noqa: BLE001  # what was loaded for the host in another way, ranks share, and that is told
        return value


def reached(function: FunctionType) -> set[str]:
    """Return all names in its code, and in that of the functions of its module which it names or holds."""
    names, left, seen = set[str](), [function], set[FunctionType]()
    while left:
        one = left.pop()
        if one not in seen and one.__globals__ is function.__globals__:
            seen.add(one)
            names |= mentioned(one.__code__)
            beside = [one.__globals__.get(name) for name in mentioned(one.__code__)]
            left += [held for held in [*outside(one), *beside] if isinstance(held, FunctionType)]
    return names


def outside(function: FunctionType) -> list[Any]:
    """Return the values of its variables outside; None for one that has none yet."""
    return [None if cell == CellType() else cell.cell_contents for cell in function.__closure__ or ()]


def copied(value: Any) -> Any:
    """Copy a rank's own container, array or generator; return any other value as it is."""
    if isinstance(value, np.random.Generator | np.random.RandomState | random.Random):
        return copy.deepcopy(value)
    return copy.copy(value) if type(value) in (dict, list, set, np.ndarray) else value


def module_of_value(value: Any) -> str:
    """Return the name of a module, or of that in which a function, a class or a method's class was made."""
    if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType):
        value = type(value.__self__)
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


def origin(value: Any, hidden: Mapping[str, ModuleType]) -> tuple[str, str]:
    """Return the module of the host, and the name in it, where a value is; empty where it is in none."""
    module, path = module_of_value(value), getattr(value, "__qualname__", "")
    if isinstance(value, ModuleType) and hidden.get(module) is value:
        return module, ""
    if module in hidden and isinstance(path, str) and path and "<" not in path:
        with suppress(AttributeError):
            if functools.reduce(getattr, path.split("."), hidden[module]) is value:
                return module, path
    if isinstance(value, ModuleType | FunctionType | type):
        return "", ""
    ours = (name for name in hidden if not below(name, ["mpi4py", OWN]))
    return next(((name, path) for name in ours for path, held in vars(hidden[name]).items() if held is value), ("", ""))
