"""Terms of points: of what each rank has, which is summed over ranks, and of the rest; 0 where there is nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sparring.spec.core.numbers import Bool, Int, Sym, negate, where


def nonzero(x: Int) -> bool:
    """Return whether a term is other than the constant 0, which stands for nothing."""
    return not (isinstance(x, int) and x == 0)


def true(x: Int) -> Bool:
    """Return the truth of a number: it is other than 0, as of any of Python's."""
    return negate(x == 0)


def plus(a: Int, b: Int) -> Int:
    return b if not nonzero(a) else a if not nonzero(b) else a + b


def minus(a: Int, b: Int) -> Int:
    return a if not nonzero(b) else 0 if a is b else a - b


def chosen(c: Bool, a: Int, b: Int) -> Int:
    """Return ``where(c, a, b)``; a choice that ``c`` has made inside of ``a`` or ``b`` is resolved."""
    a, b = (
        x.args[k] if isinstance(x, Sym) and x.op == "where" and repr(x.args[0]) == repr(c) else x
        for k, x in ((1, a), (2, b))
    )
    return a if a is b or (not nonzero(a) and not nonzero(b)) else where(c, a, b)


def operation(name: str) -> Callable[..., Any]:
    """Return an operator that is read as a local function of single entries."""

    def applied(*_: Any) -> Any:
        raise TypeError(name)

    applied.__name__, applied.entrywise = name, True  # type: ignore[attr-defined]  # as ``local`` marks them
    return applied
