"""A certificate is given where both solvers prove that nothing changed, and nowhere else."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from types import ModuleType

import pytest

import sparring
from sparring.mutation import equivalence
from sparring.mutation.equivalence import same_expression, same_function
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import mutants
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.loading import load

SOURCE = """
from numbers import Integral
from typing import Any


def neighbour(r: int) -> int:
    return r ^ 1


def half(r: int, p: int) -> int:
    return r // 2 if r < p - 1 else 0 * r + r // 2


def whole(x: Any) -> bool:
    return isinstance(x, Integral) and int(x) >= 0


def odd(x: int) -> bool:
    return isinstance(x, int) and x % 2 == 1


def sent(comm: Any, r: int, p: int, x: Any) -> None:
    if r < neighbour(r):
        comm.Send(x[: r + 0])
    if r < p:
        comm.Send(x[:r])
    if r < x:
        comm.Send(x)


def lost(comm: Any) -> None:
    pass
"""


@pytest.fixture
def module(monkeypatch) -> ModuleType:
    """As if it stood in a file."""
    found = ModuleType("mine")
    found.__file__ = "mine.py"
    exec(compile(SOURCE, "mine.py", "exec"), vars(found))
    monkeypatch.setitem(sys.modules, "mine", found)
    monkeypatch.setitem(linecache.cache, "mine.py", (len(SOURCE), None, SOURCE.splitlines(keepends=True), "mine.py"))
    return found


def certified(module: ModuleType, certificate) -> set[str]:
    """Of all mutants those that get one, by function and change."""
    memory = Memory()
    return {f"{m.function}: {m.told}" for m in mutants(SOURCE) if certificate(m, module, "bits", memory)}


def test_functions(module):
    """Both branches of an ``if else`` count; of what asks for the types of its arguments nothing is known."""
    assert certified(module, same_function) == {
        "half: r < p - 1 becomes r <= p - 1",
        "half: r // 2 if r < p - 1 else 0 * r + r // 2 becomes r // 2",
        "half: r // 2 if r < p - 1 else 0 * r + r // 2 becomes 0 * r + r // 2",
        "half: p - 1 becomes p + 1",
        "half: 1 becomes 2",
        "half: 1 becomes 0",
    }


def test_expressions(module):
    """Of numbers alone, wherever they stand; what may be no number has no certificate."""
    assert certified(module, same_expression) == {
        "half: r // 2 if r < p - 1 else 0 * r + r // 2 becomes r // 2",
        "half: r // 2 if r < p - 1 else 0 * r + r // 2 becomes 0 * r + r // 2",
        "sent: r < neighbour(r) becomes r <= neighbour(r)",
        "sent: r + 0 becomes r - 0",
        "sent: r < p becomes r <= p",
    }


PAGE = sparring.page("recursive_doubling")


@pytest.mark.parametrize(
    ("function", "right", "wrong", "same"),
    [
        ("mask", "0, t - folds(p)", "1, t - folds(p)", True),  # in the fold nobody asks
        ("mask", "t - folds(p))", "t - folds(p) + 1)", False),
        ("number", "r < 2 * rem(p)", "r <= 2 * rem(p)", True),
        ("number", "r < 2 * rem(p)", "r < 2 * rem(p) - 2", False),
        ("chunk", "return 0", "return t - t", True),
    ],
)
def test_pages(function, right, wrong, same):
    """All formulas together, for ranks, chunks and steps that exist; what a page does with entries is no formula."""
    source = inspect.getsource(PAGE.module)
    line = next(line for line in source.splitlines() if line.startswith(f"def {function}("))
    changed = ast.parse(source.replace(line, line.replace(right, wrong)))
    assert ast.unparse(changed) != ast.unparse(ast.parse(source))

    other = load(built(PAGE.module, changed))

    assert bool(equivalence.same_page(subject(PAGE), other, Memory())) is same
    entries = sparring.page("ring_topk")
    assert equivalence.same_page(subject(entries), entries, Memory()) == ""
