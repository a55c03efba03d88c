"""Finding the code under test: ``module:function`` or ``file.py:function``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from sparring.errors import InputError


def absolute(target: str) -> str:
    """Return ``target`` with its file's full path; raises InputError if it names none, or the file does not exist."""
    place, colon, name = target.rpartition(":")
    if not (colon and place and name.isidentifier()):
        raise InputError(f"{target!r} names no function: write module:function or file.py:function")
    if not place.endswith(".py"):
        return target
    if not Path(place).is_file():
        raise InputError(f"no file {place}, wanted for {target!r}")
    return f"{Path(place).resolve()}:{name}"


def anywhere(target: Any) -> Any:
    """Return the target, with the full path of its file, so that it is found from another working directory."""
    place, _, name = target.rpartition(":") if isinstance(target, str) else ("", "", "")
    return f"{Path(place).resolve()}:{name}" if place.endswith(".py") and Path(place).is_file() else target


def importable_name(target: str | Callable[..., Any]) -> str:
    """Return the name by which other processes import ``target``; raises InputError if there is none (a lambda)."""
    if isinstance(target, str):
        return target
    module = sys.modules.get(getattr(target, "__module__", None) or "")
    name = getattr(target, "__qualname__", "")
    if module is None or module.__name__ == "__main__" or getattr(module, name, None) is not target:
        raise InputError(f"{target!r} cannot be imported by other processes: on real MPI write 'file.py:name' instead")
    file = Path(getattr(module, "__file__", None) or "")
    below = Path(*module.__name__.split("."))
    if file.suffix == ".py" and not any(file in homes(Path(entry) / below) for entry in sys.path):
        return f"{file}:{name}"  # imported from somewhere off the path, as pytest may do
    return f"{module.__name__}:{name}"


def homes(place: Path) -> tuple[Path, Path]:
    """Return the files that the module or package at ``place`` may be in."""
    return place.with_name(f"{place.name}.py").absolute(), (place / "__init__.py").absolute()


@cache
def load(target: str) -> Callable[..., Any]:
    """Load the function; its module is imported once.  Raises whatever the import raises."""
    place, _, name = target.rpartition(":")
    module = from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"{place} has no function {name!r}")
    return function  # type: ignore[no-any-return]  # callable, as has just been seen


@cache
def from_file(path: Path) -> ModuleType:
    """Import the module in that file; its neighbours can be imported as for a script."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.parent))
    spec.loader.exec_module(module)
    return module
