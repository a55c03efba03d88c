"""A page's formulas at many places at once, as arrays that are as exact as Python's own numbers.

A formula's term is read once for all places.  Where a result might not fit into 64 bits, or an operator has no
array's counterpart, Python computes place by place; a formula that makes no term is called place by place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sparring.spec.core.model import Page
from sparring.spec.core.numbers import MEANING, Node, Reader, Sym, Truth
from sparring.spec.core.schedule import number, truth

CLOSED: Mapping[str, Callable[..., Any]] = {
    "%": np.mod, "//": np.floor_divide, "^": np.bitwise_xor, "<": np.less, "<=": np.less_equal, "==": np.equal,
    "not": np.logical_not, "and": np.logical_and, "or": np.logical_or, "where": np.where,
}  # fmt: skip
"""Operators whose results are no larger than their operands."""
GROWING: Mapping[str, Callable[..., Any]] = {"+": np.add, "-": np.subtract, "*": np.multiply}
SMALL = 2**31
"""The sum, the difference and the product of two integers below it are far below 2^63."""


class Arrays(Reader[Any]):
    """Reads a term as the array, or the number, that it is where its variables are these."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self.values = values

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return self.values[name]

    def operator(self, x: Node, args: list[Any]) -> Any:
        if not any(isinstance(a, np.ndarray) for a in args):
            return MEANING[x.op](*args)
        if x.op in ("%", "//") and not np.all(args[1]):
            raise ZeroDivisionError(f"{x.op} by 0 in {x!r}")
        if x.op in CLOSED:
            return CLOSED[x.op](*args)
        if x.op in GROWING and all(map(small, args)):
            return GROWING[x.op](*args)
        return each(MEANING[x.op], *args)


def small(x: Any) -> bool:
    """Whether all of them are below SMALL."""
    x = np.asarray(x)
    return x.size == 0 or bool(x.min() > -SMALL and x.max() < SMALL)


def each(function: Callable[..., int | bool], *args: Any) -> Any:
    """The function place by place, on Python's own numbers; OverflowError for results beyond 64 bits."""
    found = np.frompyfunc(function, len(args), 1)(*args)
    if not isinstance(found, np.ndarray):
        return found
    kind = bool if found.size and isinstance(found.flat[0], bool) else np.int64
    return found.astype(kind)


class Formula:
    """A formula of a page for ``p`` ranks, to be called with arrays in place of ``r``, ``t`` and, of several, ``j``."""

    def __init__(self, page: Page, name: str, p: int) -> None:
        self.function, self.p, self.several = getattr(page, name), p, page.several and name != "count"
        self.judged: Callable[[Any], Any] = truth if name == "active" else number
        self.term = self.read()

    def read(self) -> Any:
        """The formula's term; None where it makes none that is of its kind."""
        letters = ("r", "t", "j") if self.several else ("r", "t")
        try:
            term = self.scalar(*map(Sym.var, letters))
        except (TypeError, ValueError, ArithmeticError, AttributeError):  # what comes of symbols in plain Python
            return None
        return term if isinstance(term, (bool, Truth) if self.judged is truth else (int, Sym)) else None

    def scalar(self, r: Any, t: Any, *j: Any) -> Any:
        """The formula itself."""
        return self.function(r, t, self.p, *j)

    def __call__(self, r: Any, t: Any, j: Any) -> Any:
        """Its values at all of these places, of a row of steps for each of a column of ranks."""
        letters = {"r": r, "t": t} | ({"j": j} if self.several else {})
        try:
            found = None if self.term is None else Arrays(letters)(self.term)
        except OverflowError:
            found = None
        if found is None:
            found = each(lambda *at: self.judged(self.scalar(*at)), *letters.values())
        return np.broadcast_to(found, np.broadcast_shapes(np.shape(r), np.shape(t)))
