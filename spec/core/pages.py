"""Finding pages: by name, by module, by file.  Every public module of ``spec`` is a page; folders hold other things."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from pathlib import Path
from typing import Any

import sparring.spec
from sparring.errors import UnknownPage, did_you_mean
from sparring.spec.core.model import Page, load
from sparring.spec.core.modules import from_file, from_name

GROUP = "sparring.pages"


def names() -> list[str]:
    """The names of all pages: sparring's own, then those that installed packages bring."""
    own = [m.name for m in pkgutil.iter_modules(sparring.spec.__path__) if not m.ispkg and m.name[0] != "_"]
    return sorted(own) + sorted(e.name for e in importlib.metadata.entry_points(group=GROUP))


def find(algo: str, **params: Any) -> Page:
    """The page called ``algo``: a name, a module ``pkg.mod``, or a file ``./mine.py``.

    Raises UnknownPage when there is none, InputError when what is there is no page.
    """
    if algo.endswith(".py") or "/" in algo or "\\" in algo:
        return load(from_file(Path(algo)), **params)
    for entry in importlib.metadata.entry_points(group=GROUP):
        if entry.name == algo:
            return load(from_name(entry.value), **params)
    if algo in names():
        return load(importlib.import_module(f"sparring.spec.{algo}"), **params)
    if "." in algo:
        return load(from_name(algo), **params)
    hint = did_you_mean(algo, names())
    raise UnknownPage(f"no algorithm {algo!r}; {hint}'sparring list' shows all; ./file.py works too.")
