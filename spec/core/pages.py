"""Finding pages: by name, by module, by file.  Every public module of ``spec`` is a page; folders hold other things."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import sys
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import sparring.spec
from sparring.errors import UnknownPage, did_you_mean
from sparring.spec.core import purity
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.modules import from_file, from_name

GROUP = "sparring.pages"


def names() -> list[str]:
    """The names of all pages: sparring's own, then those that installed packages bring."""
    return [*ours(tuple(sparring.spec.__path__)), *sorted(e.name for e in brought(tuple(sys.path)))]


@cache
def ours(folders: tuple[str, ...]) -> tuple[str, ...]:
    """The names of those in these folders; asked once, since whoever finds a page looks whether it is one of them."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folders) if not m.ispkg and m.name[0] != "_"))


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
        return checked(load(from_file(Path(algo)), **params))
    for entry in brought(tuple(sys.path)):
        if entry.name == algo:
            return checked(load(from_name(entry.value), **params))
    if algo in names():
        module = importlib.import_module(f"sparring.spec.{algo}")
        return load(module, **params) if params else own(module)
    if "." in algo:
        return checked(load(from_name(algo), **params))
    hint = did_you_mean(algo, names())
    raise UnknownPage(f"no algorithm {algo!r}; {hint}'sparring list' shows all; ./file.py works too.")


def checked(page: Page) -> Page:
    """The page, whose functions are pure; raises InputError where one is not."""
    purity.check(page.module)
    return page
