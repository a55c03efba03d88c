"""Modules whose code has a fault: beside the ones that are imported, or in their place for a while.

A fault may make a loop endless.  So every loop counts its turns, and after ``TURNS`` of them, in all since
it was planted or the last ``afresh``, the code raises: a limit on time would depend on the machine.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any

from sparring.errors import InputError, SparringError
from sparring.spec.core.function_texts import compiled_from
from sparring.spec.core.numbers import both, either, where

TURNS = 300_000


class Endless(SparringError):
    """The error that loops have turned too often."""


class Counter:
    """A count of how often loops have turned since ``restart``."""

    turns = 0

    @classmethod
    def restart(cls) -> None:
        cls.turns = 0

    @classmethod
    def turn(cls) -> None:
        """Count one turn; called in every turn of every loop."""
        cls.turns += 1
        if cls.turns > TURNS:
            raise Endless(f"loops turned more than {TURNS} times")


def afresh(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same call, counting turns anew before it: many runs are not one that does not end."""

    def called(*args: Any, **options: Any) -> Any:
        Counter.restart()
        return call(*args, **options)

    return called


def counted(node: Any) -> Any:
    """Return a module or a statement whose loops count their turns; what holds no statements is shared."""
    new = copy.copy(node)
    for name in BLOCKS:
        if isinstance(block := getattr(node, name, None), list):
            setattr(new, name, [counted(one) for one in block])
    if isinstance(node, ast.For | ast.While):
        new.body.insert(0, ast.parse("__counter__.turn()").body[0])
    return new


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""What statements hold others in."""


@lru_cache(32)  # what rests on a module with a fault is planted again for each
def compiled(module: ModuleType, tree: ast.Module) -> CodeType:
    """Compile ``tree`` in place of the module's code, with loops that count."""
    counting = counted(tree)
    at = next((i for i, node in enumerate(counting.body) if not prelude(node)), len(counting.body))
    counting.body.insert(at, ast.parse(f"from {__name__} import Counter as __counter__").body[0])
    code = compile(counting, str(module.__file__), "exec", dont_inherit=True)
    compiled_from(tree, code)
    return code


def prelude(node: ast.stmt) -> bool:
    """Return whether this must stay first: the module's text and imports from ``__future__``."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def built(module: ModuleType, tree: ast.Module) -> ModuleType:
    """Build a module of the same name with other code; the one that is imported stays as it is."""
    new = ModuleType(module.__name__)
    new.__file__ = module.__file__
    vars(new).update(both=both, either=either, where=where)  # a fault may need what the code does not import
    exec(compiled(module, tree), vars(new))  # noqa: S102 - our own source with one fault
    return new


@contextmanager
def planted(module: ModuleType, tree: ast.Module) -> Iterator[None]:
    """Give ``module`` the code of ``tree``, for proofs that call its functions."""
    Counter.restart()
    kept = dict(vars(module))
    vars(module).update({k: v for k, v in vars(built(module, tree)).items() if not k.startswith("__")})
    try:
        yield
    finally:
        vars(module).update(kept)
        for name in vars(module).keys() - kept:
            del vars(module)[name]


@contextmanager
def guarded(module: ModuleType, asked: Mapping[str, Callable[..., bool]]) -> Iterator[None]:
    """Let these functions of ``module`` raise InputError where they may not be asked for such arguments."""

    def guard(name: str, function: Any, may: Callable[..., bool]) -> Any:
        def ask(*args: Any) -> Any:
            if not may(*args):
                raise InputError(f"{name}{args} is asked for")
            return function(*args)

        return ask

    kept = {name: getattr(module, name) for name in asked}
    vars(module).update({name: guard(name, kept[name], may) for name, may in asked.items()})
    try:
        yield
    finally:
        vars(module).update(kept)
