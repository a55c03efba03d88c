"""Finding pages: by name, by module, by file.  Every public module of ``spec`` is a page; folders hold other things."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pkgutil
import sys
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import sparring.spec
from sparring.errors import InputError, UnknownPage, did_you_mean
from sparring.spec.core.model import Page, load

GROUP = "sparring.pages"


def names() -> list[str]:
    """The names of all pages: sparring's own, then those that installed packages bring."""
    ours = [m.name for m in pkgutil.iter_modules(sparring.spec.__path__) if not m.ispkg and m.name[0] != "_"]
    return sorted(ours) + sorted(e.name for e in brought(tuple(sys.path)))


@cache
def brought(paths: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What packages installed in these folders bring; asked once, since every distribution is opened for it."""
    return tuple(importlib.metadata.entry_points(group=GROUP))


@cache
def own(module: ModuleType) -> Page:
    """A page of sparring's own with its default parameters: the same one whenever it is asked for."""
    return load(module)


def find(algo: str, **params: Any) -> Page:
    """The page called ``algo``: a name, a module ``pkg.mod``, or a file ``./mine.py``.

    Raises UnknownPage when there is none, InputError when what is there is no page.
    """
    if algo.endswith(".py") or "/" in algo or "\\" in algo:
        return load(from_file(Path(algo)), **params)
    for entry in brought(tuple(sys.path)):
        if entry.name == algo:
            return load(from_name(entry.value), **params)
    if algo in names():
        module = importlib.import_module(f"sparring.spec.{algo}")
        return load(module, **params) if params else own(module)
    if "." in algo:
        return load(from_name(algo), **params)
    hint = did_you_mean(algo, names())
    raise UnknownPage(f"no algorithm {algo!r}; {hint}'sparring list' shows all; ./file.py works too.")


def from_name(name: str) -> ModuleType:
    """The module of that dotted name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UnknownPage(f"no module {error.name!r}, wanted for algorithm {name!r}") from error


def from_file(path: Path) -> ModuleType:
    """The module in that file, executed afresh."""
    if not path.is_file():
        raise UnknownPage(f"no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # leave no __pycache__ beside a user's file
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path} does not load: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = writes
    return module
