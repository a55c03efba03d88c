"""What can be run: ``"pkg.mod:function"``, ``"file.py:function"``, or a function; afresh for each rank."""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from sparring.errors import InputError
from sparring.proofs.world.ranks import NoTarget

OWN = "sparring.impl"
Target = str | Callable[..., Any]


def roots(target: Target) -> list[str]:
    """The packages of which every rank has modules of its own."""
    if not isinstance(target, str):
        return [OWN]
    module, _ = _split(target)
    if module.endswith(".py"):
        return [OWN, _module_name(module)]
    top = module.partition(".")[0]
    if top == "sparring":
        return [OWN] if module == OWN or module.startswith(OWN + ".") else [OWN, module]
    return [OWN, top]


def load(target: Target, hidden: dict[str, ModuleType]) -> Callable[..., Any]:
    """The running rank's own ``target``; ``hidden`` are the host's modules that it must not see.

    Raises NoTarget when there is none of that name.
    """
    if not isinstance(target, str):
        return _rebuilt(target, hidden)
    module, name = _split(target)
    found: Callable[..., Any] | None = getattr(
        _file(Path(module)) if module.endswith(".py") else _module(module, target), name, None
    )
    if not callable(found):
        raise NoTarget(f"no function {name!r} in {module}, wanted for target {target!r}")
    return found


@functools.cache
def module_of(target: str) -> ModuleType:
    """The module in which a target is, this process's own, whose signatures and file can be looked at."""
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


class Untraced(SourceFileLoader):
    """Leaves no ``__pycache__`` beside a user's file."""

    def set_data(self, path: str, data: object, *, _mode: int = 0) -> None:
        pass

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]  # static in the base of its base
        return compiled(bytes(data), str(path))


@functools.lru_cache(maxsize=64)
def compiled(source: bytes, path: str) -> CodeType:
    """The code of a file, which every rank of every run executes."""
    return compile(source, path, "exec", dont_inherit=True)


def _file(path: Path) -> ModuleType:
    """The module in that file, executed for the running rank."""
    if not path.is_file():
        raise NoTarget(f"no file {path}")
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)  # as where the file is run by itself; no longer than this run
    name = _module_name(str(path))
    loader = Untraced(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _rebuilt(target: Callable[..., Any], hidden: dict[str, ModuleType]) -> Callable[..., Any]:
    """The function with globals of its own, and the simulated MPI where the real one was."""
    if isinstance(target, functools.partial):
        return functools.partial(_rebuilt(target.func, hidden), *target.args, **target.keywords)
    return Rebuilder(target.__globals__, hidden).function(target) if isinstance(target, FunctionType) else target


class Rebuilder:
    """Copies functions that have the globals ``old``, giving the copies one new set of globals.

    Containers among the globals are copied one level deep; functions of other modules stay.
    """

    def __init__(self, old: dict[str, Any], hidden: dict[str, ModuleType]) -> None:
        self.old, self.hidden = old, hidden
        self.made: dict[FunctionType, FunctionType] = {}
        self.new: dict[str, Any] = {}
        self.new.update({name: v if name.startswith("__") else self.value(v) for name, v in old.items()})

    def value(self, value: Any) -> Any:
        """The running rank's own version of a value."""
        if isinstance(value, FunctionType) and value.__globals__ is self.old:
            return self.function(value)
        if type(value) in (dict, list, set):
            return copy.copy(value)
        return self._simulated(value)

    def function(self, old: FunctionType) -> FunctionType:
        """The copy of a function."""
        if old not in self.made:
            cells = tuple(CellType() for _ in old.__closure__ or ())
            new = FunctionType(old.__code__, self.new, old.__name__, old.__defaults__, cells or None)
            new.__kwdefaults__, new.__qualname__, new.__module__ = old.__kwdefaults__, old.__qualname__, old.__module__
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
        """The counterpart of mpi4py itself and of everything in ``mpi4py.MPI``."""
        for name, module in self.hidden.items():
            if value is module and name in ("mpi4py", "mpi4py.MPI"):
                return sys.modules[name]
        real = self.hidden.get("mpi4py.MPI")
        if real is None or "mpi4py.MPI" not in (type(value).__module__, getattr(value, "__module__", None)):
            return value
        names = [name for name, thing in vars(real).items() if thing is value]
        return getattr(sys.modules["mpi4py.MPI"], names[0]) if names else value
