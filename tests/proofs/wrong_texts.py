"""Modules and pages with something else written into their text."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import sparring
from sparring.proofs.mutants.planting import built
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page


def changed(module: ModuleType, old: str, new: str) -> ast.Module:
    """The module's code with ``new`` for ``old``, which its source must have once."""
    source = inspect.getsource(module)
    assert source.count(old) == 1, f"{source.count(old)} times in {module.__name__}: {old!r}"
    return ast.parse(source.replace(old, new))


def wrong(name: str, old: str, new: str, **params: object) -> Page:
    """The page of that name with ``new`` for ``old`` in its source."""
    page = sparring.page(name, **params)
    return load(built(page.module, changed(page.module, old, new)), **page.params)
