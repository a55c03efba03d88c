"""Values of all ranks: what ``ensures`` says of a run is evaluated on these.

A text is read on points, where nothing is a number.  Here the same formulas are given what ranks of a run really have,
so that what was read can be held against what runs do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from itertools import pairwise
from numbers import Number
from typing import Any, NoReturn

from sparring.spec.core import vectors
from sparring.spec.core.exchange_runs import bounds
from sparring.spec.core.exchanges import own_chunk
from sparring.spec.core.sparse import SparseVector, plain
from sparring.spec.core.vectors import AtPoint, Vector
from sparring.spec.library.lossy_links import COLLECTING, HANDING, Losing, Packet


def in_both_orders(op: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """Return the method of an operator on what each rank has, and that of the same with its operands exchanged."""
    return lambda self, o: self.by(op, self, o), lambda self, o: self.by(op, o, self)


class ByRanks(AtPoint):
    """What each rank has, rank by rank."""

    __slots__ = ("each",)

    def __init__(self, each: Iterable[Any]) -> None:
        self.each = [*each]

    def __repr__(self) -> str:
        return repr(self.each)

    def by(self, function: Callable[..., Any], *args: Any) -> ByRanks:
        """Return what the function gives on each rank, of what the rank has there of the arguments."""
        return ByRanks(function(*(at(r, one) for one in args)) for r in range(len(self.each)))

    __add__, __radd__ = in_both_orders(operator.add)
    __sub__, __rsub__ = in_both_orders(operator.sub)
    __mul__, __rmul__ = in_both_orders(operator.mul)
    __and__, __rand__ = in_both_orders(operator.and_)
    __or__, __ror__ = in_both_orders(operator.or_)
    __lt__, __gt__ = in_both_orders(operator.lt)
    __le__, __ge__ = in_both_orders(operator.le)
    __truediv__, __rtruediv__ = in_both_orders(operator.truediv)
    __floordiv__, __rfloordiv__ = in_both_orders(operator.floordiv)
    __mod__, __rmod__ = in_both_orders(operator.mod)
    __getitem__, _ = in_both_orders(operator.getitem)
    __eq__, _ = in_both_orders(operator.eq)
    __ne__, _ = in_both_orders(operator.ne)

    def __neg__(self) -> ByRanks:
        return self.by(operator.neg, self)

    def __abs__(self) -> ByRanks:
        return self.by(abs, self)

    def __invert__(self) -> ByRanks:
        return self.by(negated, self)

    def __call__(self, *args: Any) -> ByRanks:
        return self.by(lambda function, *of: function(*of), self, *args)

    __hash__ = AtPoint.__hash__

    def __bool__(self) -> bool:
        (one,) = {bool(x) for x in self.each}  # else ranks part ways, which runs say
        return one

    def __iter__(self) -> NoReturn:
        raise TypeError("what ranks have is gone through")

    def __getattr__(self, field: str) -> ByRanks:
        if field.startswith("_"):
            raise AttributeError(field)
        return self.by(lambda one: getattr(one, field), self)

    def chooses(self, a: Any, b: Any) -> ByRanks:
        """Return ``where(self, a, b)`` on each rank."""
        return self.by(lambda c, x, y: vectors.where(c if isinstance(c, Vector) else bool(c), x, y), self, a, b)

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> ByRanks:
        try:
            return self.by(function, *args)
        except TypeError:  # of one written for an entry: a statement may call it of a vector, as of a point
            if not getattr(function, "entrywise", False):
                raise
            return self.at_entries(function, args)

    formula = letter

    def at_entries(self, formula: Callable[..., Any], args: tuple[Any, ...]) -> ByRanks:
        def of_rank(*of: Any) -> Any:
            return vectors.each(formula, *of) if any(isinstance(one, Vector) for one in of) else formula(*of)

        return self.by(of_rank, *args)

    def is_number(self) -> ByRanks:
        return self.by(vectors.is_number, self)

    def total(self) -> ByRanks:
        return ByRanks([reduce(operator.add, self.each)] * len(self.each))

    def owned(self) -> ByRanks:
        if all(isinstance(one, Number) for one in self.each):  # before the first call, as 0 is of any vector
            (one,) = {*self.each}
            return ByRanks([one] * len(self.each))
        return ByRanks([vectors.owned(self.each)] * len(self.each))

    def gathered(self) -> ByRanks:
        return ByRanks([self.each] * len(self.each))

    by_rank = gathered

    def own_chunk(self, r: Any, p: Any) -> ByRanks:
        return self.by(lambda x, *of: x if isinstance(x, Number) else own_chunk(x, *of), self, r, p)

    def owns(self) -> ByRanks:
        return self.by_chunk(lambda r, c, _: r == c)

    def comes(self, to: str, links: Losing, packet: int, call: int, own: bool) -> ByRanks:
        """Return of each entry whether its packet comes to the owner, or the owner's to the rank."""

        def comes(r: int, c: int, place: int) -> bool:
            step, src, dst = (COLLECTING, r, c) if to == "owner" else (HANDING, c, r)
            return (own and r == c) or bool(links(step, src, dst, place // packet, Packet(call, None)))

        return self.by_chunk(comes)

    def versions_held(self, links: Losing, packet: int, call: int) -> ByRanks:
        """Return by chunk and packet the version that comes of the owner's; its own is always there."""
        p, cuts = len(self.each), bounds(len(self.each[0]), len(self.each))

        def version(r: int, c: int, i: int) -> int:
            return call if r == c or links(HANDING, c, r, i, Packet(call, None)) else 0

        many = [-(-(b - a) // packet) for a, b in pairwise(cuts)]  # packets of each chunk
        return ByRanks([[version(r, c, i) for i in range(m)] for c, m in enumerate(many)] for r in range(p))

    def by_chunk(self, says: Callable[[int, int, int], Any]) -> ByRanks:
        """Return what is said of each rank, each chunk, and each place in it."""
        cuts = bounds(len(self.each[0]), len(self.each))
        places = [(c, i) for c, (a, b) in enumerate(pairwise(cuts)) for i in range(b - a)]
        return ByRanks(Vector([says(r, *one) for one in places]) for r in range(len(self.each)))


def at(r: int, x: Any) -> Any:
    """Return what rank ``r`` has of a value, also of those that lie in tuples, lists and dicts."""
    if isinstance(x, ByRanks):
        return x.each[r]
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(at(r, one) for one in x))
    if type(x) in (tuple, list):
        return type(x)(at(r, one) for one in x)
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{one.name: at(r, getattr(x, one.name)) for one in fields(x)})
    return {key: at(r, one) for key, one in x.items()} if type(x) is dict and isinstance(x, dict) else x


def negated(x: Any) -> Any:
    """Return ``~x``; of a truth its negation."""
    return not x if isinstance(x, bool) else ~x


def entries(x: Any, n: int) -> list[Any]:
    """Return all ``n`` entries of a vector; a number has the same at each."""
    if isinstance(x, SparseVector):
        found = dict(zip(x.indices, x.values))
        return [found.get(i, 0) for i in range(n)]
    each = x if hasattr(x, "__len__") else [x] * n
    return [one.item() if hasattr(one, "item") else plain(one) for one in each]
