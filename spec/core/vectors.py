"""Vectors as the text of a composition has them: what is written once is read on entries and by the prover.

A :class:`Vector` adds, subtracts and compares entry by entry.  A page's text says what it does with whole
vectors; :func:`each` applies a formula to every entry, and a function that is no formula of single entries,
such as a norm or an encoder, is marked :func:`local`.

The prover reads the same text on a *point*, one index of a vector on any rank (``AtPoint``): there ``each`` is the
formula itself, and a local function is a letter, the same one for the same arguments.

>>> x = Vector([3, -1, 2])
>>> x + x, x * 2 - 1, each(lambda v, w: v * w, x, x), where(x > 0, x, 0)
([6, -2, 4], [5, -3, 3], [9, 1, 4], [3, 0, 2])
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial, reduce, wraps
from inspect import signature
from typing import Any, NoReturn, TypeVar, overload

from sparring.errors import InputError, Refuted
from sparring.spec.core import numbers
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.top_k import top

__all__ = [
    "UNSET", "AtPoint", "Unset", "Vector", "by_length", "by_rank", "each", "entrywise", "gathered", "is_number",
    "largest", "local", "owned", "plain", "total", "where", "zero",
]

Function = TypeVar("Function", bound=Callable[..., Any])


class Unset:
    """What a part of the state is that no call has set yet: whoever uses it is told so, by Refuted."""

    __slots__ = ("name",)
    __array_ufunc__ = None

    def __init__(self, name: str = "a part of the state") -> None:
        self.name = name

    def used(self, *_: Any) -> NoReturn:
        raise Refuted(f"{self.name} is read before a call has set it")

    def __repr__(self) -> str:
        return f"<{self.name}, which is not set>"

    def __getattr__(self, field: str) -> NoReturn:
        if field.startswith("_"):
            raise AttributeError(field)
        self.used()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __abs__ = used
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = __invert__ = __getitem__ = used
    __bool__ = __len__ = __iter__ = used


UNSET: Any = Unset()
"""What a text's state may begin with where its first call sets it."""


class Vector:
    """Entries of one kind; ``zero`` is one of them that is nothing, known also where there are no entries."""

    __slots__ = ("entries", "zero")
    __array_ufunc__ = None  # numpy's scalars leave arithmetic to us

    def __init__(self, entries: Sequence[Any] | Iterator[Any], zero: Any = 0) -> None:
        self.entries, self.zero = tuple(entries), zero

    @classmethod
    def of(cls, x: Any) -> Vector:
        """The entries of a list or an array."""
        return cls(x, zero(x))

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a vector and has no truth value: write where(c, a, b), or a local function of it")

    def __eq__(self, o: object) -> NoReturn:
        raise TypeError(f"{self!r} == {o!r}: of vectors that asks no entry: write each(lambda v, w: v == w, x, y)")

    __hash__ = object.__hash__

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries)

    def __getitem__(self, at: int | slice) -> Any:
        return Vector(self.entries[at], self.zero) if isinstance(at, slice) else self.entries[at]

    def __repr__(self) -> str:
        return repr([*self.entries])

    def __add__(self, o: Any) -> Any: return self if o is NOTHING else each(operator.add, self, o)
    def __radd__(self, o: Any) -> Any: return self if o is NOTHING else each(operator.add, o, self)
    def __sub__(self, o: Any) -> Any: return each(operator.sub, self, o)
    def __rsub__(self, o: Any) -> Any: return each(operator.sub, o, self)
    def __mul__(self, o: Any) -> Any: return each(operator.mul, self, o)
    def __rmul__(self, o: Any) -> Any: return each(operator.mul, o, self)
    def __truediv__(self, o: Any) -> Any: return each(operator.truediv, self, o)
    def __neg__(self) -> Any: return each(operator.neg, self)
    def __lt__(self, o: Any) -> Any: return each(operator.lt, self, o)
    def __le__(self, o: Any) -> Any: return each(operator.le, self, o)
    def __gt__(self, o: Any) -> Any: return each(operator.gt, self, o)
    def __ge__(self, o: Any) -> Any: return each(operator.ge, self, o)
    def __and__(self, o: Any) -> Any: return each(operator.and_, self, o)
    def __or__(self, o: Any) -> Any: return each(operator.or_, self, o)
    def __invert__(self) -> Any: return each(operator.not_, self)

    def chooses(self, a: Any, b: Any) -> Any:
        """``where(self, a, b)``, entry by entry; a number that is 0 is one of the other's kind."""
        like = next((v for v in (a, b) if isinstance(v, Vector)), self)
        a, b = (zero(w) if isinstance(w, Vector) and isinstance(v, int) and v == 0 else v for v, w in ((a, b), (b, a)))
        return like.having([*each(lambda c, v, w: v if c else w, self, a, b)])

    def having(self, entries: Sequence[Any]) -> Vector:
        """Other entries of this kind."""
        return Vector(entries, self.zero)


class AtPoint:
    """What stands for a vector, or for anything computed of vectors, where a text is not run but read.

    Its arithmetic, ``chooses`` and ``letter`` are the reader's.
    """

    __slots__ = ()

    def __hash__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} is read on symbols, and no dict, set or cache looks it up: "
            "write where(c, a, b) instead of a look-up, a == b for each of a few values instead of in"
        )

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a local function of these arguments is."""
        raise NotImplementedError

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a formula of whole numbers, of terms for these arguments, is."""
        raise NotImplementedError

    def at_entries(self, formula: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a formula of single entries is: a point is one."""
        with single_entries():
            return formula(*args)

    def total(self) -> Any:
        """The sum over all ranks."""
        raise NotImplementedError

    def owned(self) -> Any:
        """What the owner has."""
        raise NotImplementedError

    def is_number(self) -> Any:
        """Whether it is neither NaN nor infinite."""
        raise NotImplementedError

    def gathered(self) -> Any:
        """What each rank has, told to all."""
        raise NotImplementedError

    def by_rank(self) -> Any:
        """What each rank has, as all know it."""
        raise NotImplementedError

    def own_chunk(self, r: Any, p: Any) -> Any:
        """Of a value of its own, what the owner of the index has there."""
        raise NotImplementedError


def where(c: Any, a: Any, b: Any) -> Any:
    """``a`` where ``c`` holds, else ``b``: entry by entry of vectors."""
    return numbers.where(c, a, b)


def each(formula: Callable[..., Any], *args: Any) -> Any:
    """The formula of every entry; what is no vector is the same at each.

    Raises InputError, by ``zip``, for vectors of different lengths.
    """
    if (point := next((a for a in args if isinstance(a, AtPoint)), None)) is not None:
        return point.at_entries(formula, args)
    like = next(a for a in args if isinstance(a, Vector))
    rows = (a if isinstance(a, Vector) else [a] * len(like) for a in args)
    return like.having([formula(*row) for row in zip(*rows, strict=True)])


@overload
def local(function: Function) -> Function: ...
@overload
def local(
    *, length: Callable[..., Any] | None = None, most: Callable[..., Any] | None = None, linear: bool = False,
    known: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]: ...
def local(
    function: Any = None, *, length: Callable[..., Any] | None = None, most: Callable[..., Any] | None = None,
    linear: bool = False, known: Callable[..., Any] | None = None,
) -> Any:
    """A rank's own function that is no formula of single entries: where the text is read, a letter.

    ``length(...)``: how many entries the vector has that it gives, by the same arguments with the lengths of vectors in
    their places; without it as many as its first vector.  ``most(...)``: how many of these are true at most, of a mask;
    of a sparse vector, are there; of a threshold, reach it.  ``linear``: it is so in its first argument, so that what
    it is of a sum over ranks is the sum of what it is of each; the page's proof module proves that.
    ``known(found, ...)``: what is so of all numbers that it gives, of the same arguments.
    """
    if function is None:
        return partial(made_local, length=length, most=most, linear=linear, known=known)
    return made_local(function, length=length, most=most, linear=linear, known=known)


@lru_cache
def is_value(kind: type) -> bool:
    """Whether things of this type are what they are: neither points nor unset, and without any inside."""
    return not issubclass(kind, AtPoint | Unset | tuple | list)


def made_local(
    function: Any, *, length: Callable[..., Any] | None = None, most: Callable[..., Any] | None = None,
    linear: bool = False, known: Callable[..., Any] | None = None,
) -> Any:
    """The same of a function that is known."""

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if not named and all(map(is_value, map(type, args))):  # texts call these for every entry
            return function(*args)
        args = bound(function, args, named)
        for one in args:
            if isinstance(one, Unset):
                one.used()
        point = at_point(args)
        return function(*args) if point is None else point.letter(called, args)

    called.length, called.most = length, most  # type: ignore[attr-defined]  # read by costs
    called.linear, called.known = linear, known  # type: ignore[attr-defined]  # read by the prover
    return called


def bound(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments, in the order of the function; raises InputError for one that has no place there."""
    if not named:
        return args
    found = signed(function).bind(*args, **named)
    if found.kwargs:
        found.apply_defaults()
    if found.kwargs:
        raise InputError(f"{function.__name__} takes {next(iter(found.kwargs))} by its name alone: it needs a place")
    return found.args


signed = lru_cache(signature)  # texts call the same few functions many times


@overload
def by_length(function: Function) -> Function: ...
@overload
def by_length(
    *, length: Callable[..., Any] | None = None, most: Callable[..., Any] | None = None
) -> Callable[[Function], Function]: ...
def by_length(
    function: Any = None, *, length: Callable[..., Any] | None = None, most: Callable[..., Any] | None = None
) -> Any:
    """What follows from how long the rank's vector is, and of what kind: it is the same on all ranks.

    ``function``: its first argument is a vector; of it the function sees zeros, as many.  ``length``: the same of the
    number of its entries, by a formula; ``most``: as with :func:`local`.
    """
    if function is None:
        again: Any = by_length
        return lambda given: again(given, length=length, most=most)

    @wraps(function)
    def called(x: Any, *args: Any) -> Any:
        point = at_point((x, *args))
        return function(x.having([x.zero] * len(x)), *args) if point is None else point.letter(called, (x, *args))

    called.by_length = True  # type: ignore[attr-defined]  # read by the prover
    called.length, called.most = length, most  # type: ignore[attr-defined]  # read by costs
    return called


@overload
def entrywise(function: Function) -> Function: ...
@overload
def entrywise(*, known: Callable[..., Any]) -> Callable[[Function], Function]: ...
def entrywise(function: Any = None, *, known: Callable[..., Any] | None = None) -> Any:
    """One of single entries that solvers cannot read as a formula, such as a comparison of magnitudes.

    Unlike other local functions it is the same of a chunk as of the whole vector.
    """
    if function is None:
        again: Any = entrywise
        return lambda given: again(given, known=known)
    called: Any = made_local(function, known=known)
    called.entrywise = True
    return called


@local
def largest(x: Vector, k: int) -> Vector:
    """Where the ``k`` first entries in the order of selections are.

    >>> largest(Vector([3, -5, 5, 1]), 2)
    [False, True, True, False]
    """
    kept = {*top(x.entries, k)}
    return Vector([i in kept for i in range(len(x))], False)


def at_point(args: Any) -> AtPoint | None:
    """The first of these that is a point, inside of tuples too; None where there is none."""
    if isinstance(args, AtPoint):
        return args
    if isinstance(args, tuple | list):
        return next((found for a in args if (found := at_point(a)) is not None), None)
    return None


_single = False


@contextmanager
def single_entries() -> Iterator[None]:
    """While a formula of single entries is read: it may ask an entry what no text may ask a vector."""
    global _single  # noqa: PLW0603  # a formula is read from beginning to end
    before, _single = _single, True
    try:
        yield
    finally:
        _single = before


def of_single_entries() -> bool:
    """Whether a formula of single entries is being read."""
    return _single


_rank_speaks = False


@contextmanager
def rank_speaking() -> Iterator[None]:
    """While a rank's own text runs, what only ``ensures`` and the like may say is refused."""
    global _rank_speaks  # noqa: PLW0603  # texts run one at a time, each from one exchange to the next
    before, _rank_speaks = _rank_speaks, True
    try:
        yield
    finally:
        _rank_speaks = before


def said_of_all(name: str) -> None:
    """Raise InputError in a rank's own text: of other ranks it knows what its exchanges brought, and nothing else.

    Functions ask this where texts run, and points where they are read, also by a method of theirs.
    """
    if _rank_speaks:
        raise InputError(
            f"program calls {name}, which speaks of all ranks: no message brings a rank that; "
            "right: an exchange, as in y = yield allreduce(x), and total and its like in ensures, leaves and waiting"
        )


def total(x: Any) -> Any:
    """The sum of all ranks' values: what a page ensures may say it, and a rank's text only by an exchange.

    Where pages are run, the values are a list by rank.
    """
    said_of_all("total")
    return x.total() if isinstance(x, AtPoint) else reduce(operator.add, x)


def owned(x: Any) -> Any:
    """What the owner of an index has there, said of all ranks: of ``ensures`` and the like alone.

    Where pages are run, chunks are a list by rank.
    """
    said_of_all("owned")
    return x.owned() if isinstance(x, AtPoint) else Vector([v for chunk in x for v in chunk], zero(x[0]))


def gathered(x: Any) -> Any:
    """By rank, what each has: of ``ensures`` and the like alone.  Where pages are run, it is a list by rank already."""
    said_of_all("gathered")
    return x.gathered() if isinstance(x, AtPoint) else x


def by_rank(x: Any) -> Any:
    """What each rank has, rank by rank: of ``ensures`` alone; a text gets it by an exchange.

    Where pages are run, the values are a list by rank already.
    """
    said_of_all("by_rank")
    return x.by_rank() if isinstance(x, AtPoint) else x


def is_number(x: Any) -> Any:
    """Where a vector is neither NaN nor infinite.

    Texts are read in exact arithmetic, in which all are numbers; and once more as if none were.
    """
    return x.is_number() if isinstance(x, AtPoint) else each(lambda v: v - v == 0, x)


def plain(x: Any) -> Any:
    """The vector with every -0.0 turned into +0.0."""
    return x if isinstance(x, AtPoint) else x + 0


def zero(x: Any) -> Any:
    """Nothing, of a vector's kind.

    >>> zero([2.5]), zero([])
    (0.0, 0)
    """
    if isinstance(x, Vector):
        return x.zero
    if hasattr(x, "dtype"):
        return x.dtype.type(0)
    return type(x[0])(0) if len(x) and not isinstance(x[0], str) else 0
