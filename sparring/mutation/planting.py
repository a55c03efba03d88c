"""Implementations whose code has a fault for a while."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sparring.proofs.mutants import planting
from sparring.world import modules


@contextmanager
def planted(module: ModuleType, tree: ast.Module) -> Iterator[None]:
    """Give ``module`` the code of ``tree`` for a while: on all simulated ranks, and here for proofs that call it."""
    with planting.planted(module, tree):
        modules.PLANTED[module.__name__] = planting.compiled(module, tree)
        try:
            yield
        finally:
            del modules.PLANTED[module.__name__]
