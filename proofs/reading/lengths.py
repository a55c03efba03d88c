"""Lengths in the place of vectors, with which a composition's text is read.

A vector is its length, a term in ``n``, ``p``, ``k`` and ``call``.  What is done entry by entry keeps it; a local
function says what it makes of it (:func:`~sparring.spec.core.vectors.local`).  Of a chunk the length is that of all
ranks' chunks together.  On a branch that lengths do not decide both sides are read.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import reduce
from typing import Any, NoReturn

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import n, p
from sparring.proofs.logic.symbolic import Z3Reader
from sparring.proofs.reading.summands import true
from sparring.spec.core.grids import Axis
from sparring.spec.core.numbers import Bool, Int, Node, Sym, Truth, negate, where
from sparring.spec.core.vectors import AtPoint

k, call, r = (Sym.var(name) for name in ("k", "call", "r"))


@dataclass(frozen=True, eq=False)
class Extent(AtPoint):
    """A vector of ``length`` entries, or of all ranks' chunks together, where it is a ``chunk``."""

    reading: Reading
    length: Int
    chunk: bool = False
    most: Int | None = None
    """The most entries that are true in a mask, or that reach a threshold; None where that is not said."""
    even: bool = True
    """Whether ranks' chunks are as long as those of a vector that is cut; else one rank may have all of it."""
    cut: tuple[Axis, ...] = ()
    """Of a chunk, the axes of a grid along which it was cut, one after the other; empty where all ranks have one."""

    def __repr__(self) -> str:
        return f"{'a chunk of ' if self.chunk else ''}{self.length!r} entries"

    def like(self, *_: Any) -> Extent:
        return self

    def first(self, o: Any) -> Extent:
        """Return the result of an entrywise operation: as long as ``o`` if ``o`` is a chunk, else as this vector."""
        return replace(o if isinstance(o, Extent) and o.chunk else self, most=None)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = first
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = first
    __eq__ = __ne__ = first  # type: ignore[assignment]  # a mask
    __neg__ = __abs__ = __getitem__ = like
    __hash__ = AtPoint.__hash__

    def __len__(self) -> int:
        raise Undecided(
            f"the length of {self!r} is asked for: a text that is read knows of no lengths; use local functions"
        )

    def __iter__(self) -> NoReturn:  # else Python asks for one item after the other, for ever
        raise Undecided(f"{self!r} are gone through one by one: a text that is read knows of no single entries")

    def __bool__(self) -> bool:
        return self.reading.decides(None)

    def is_number(self) -> Extent:
        return self

    def __invert__(self) -> Extent:
        return replace(self, most=None)

    def only(self, mask: Extent) -> Extent:
        """Return some entries of a sparse vector: at most as many as are true in ``mask``.

        Of a chunk, one rank may have all of them.
        """
        length = self.length if mask.most is None else mask.most
        return Extent(self.reading, length, self.chunk, even=not self.chunk)

    def support(self) -> Extent:
        return self

    @property
    def piece(self) -> Int:
        """The length of the longest piece of a vector that is cut along axes; without cuts that of the vector."""
        return reduce(lambda length, axis: (length + (axis.size - 1)) // axis.size, lengths(self.cut), self.length)

    over_senders = is_number
    """The sum over all senders' copies of a chunk."""

    def own_chunk(self, r: Any, p: Any) -> Extent:  # whichever rank's
        return Extent(self.reading, self.length, chunk=True)

    def __getattr__(self, name: str) -> Number:
        if name.startswith("_"):
            raise AttributeError(name)
        return Number(self.reading)

    def chooses(self, a: Any, b: Any) -> Extent:
        return next((x for x in (a, b) if isinstance(x, Extent)), self)

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.letter(function, args)

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.formula(function, args)


@dataclass(frozen=True, eq=False)
class Number(AtPoint):
    """A number; ``value`` is None where it depends on the entries."""

    reading: Reading
    value: Int | Bool | None = None

    def with_(self, op: Callable[[Any, Any], Any], o: Any, *, turned: bool = False) -> Any:
        """Return a number for two numbers, and the vector for a number and a vector."""
        if isinstance(o, Extent):
            return o
        other = o.value if isinstance(o, Number) else o if isinstance(o, int | Node) else None
        if self.value is None or other is None:
            return Number(self.reading)
        return Number(self.reading, op(other, self.value) if turned else op(self.value, other))

    def __add__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a + b, o)

    def __radd__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a + b, o, turned=True)

    def __sub__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a - b, o)

    def __rsub__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a - b, o, turned=True)

    def __mul__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a * b, o)

    def __rmul__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a * b, o, turned=True)

    def __floordiv__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a // b, o)

    def __mod__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a % b, o)

    def __truediv__(self, o: Any) -> Any:
        return o if isinstance(o, Extent) else Number(self.reading)

    def __rtruediv__(self, o: Any) -> Any:
        return o if isinstance(o, Extent) else Number(self.reading)

    def __lt__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a < b, o)

    def __le__(self, o: Any) -> Any:
        return self.with_(lambda a, b: a <= b, o)

    def __gt__(self, o: Any) -> Any:
        return self.with_(lambda a, b: b < a, o)

    def __ge__(self, o: Any) -> Any:
        return self.with_(lambda a, b: b <= a, o)

    def __eq__(self, o: object) -> Any:
        return self.with_(lambda a, b: a == b, o)

    def __ne__(self, o: object) -> Any:
        return ~(self == o)

    __hash__ = AtPoint.__hash__

    def __invert__(self) -> Number:
        known = isinstance(self.value, bool | Truth)
        return Number(self.reading, negate(self.value) if known else None)  # type: ignore[arg-type]  # a truth

    def __and__(self, o: Any) -> Any:
        return o if isinstance(o, Extent) else Number(self.reading)

    __or__ = __rand__ = __ror__ = __and__

    def __bool__(self) -> bool:
        return self.reading.decides(self.value)

    def __index__(self) -> int:
        if not isinstance(self.value, int):
            raise Undecided(f"{self.value!r} is asked for as a number that is known")
        return int(self.value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Number(self.reading)

    def __getitem__(self, at: Any) -> Any:
        return Number(self.reading)

    def __iter__(self) -> NoReturn:  # else Python asks for one item after the other, for ever
        raise Undecided("the text goes through what may be a number, entry by entry")

    def is_number(self) -> Number:
        return Number(self.reading)

    def own_chunk(self, r: Any, p: Any) -> Number:  # whichever rank's
        return self

    def chooses(self, a: Any, b: Any) -> Any:
        """Return ``where(self, a, b)``: a vector where one of the two is one."""
        known = self.value
        if isinstance(known, Truth) and not any(extents((a, b))):
            return self.reading.formula(lambda *sides: where(known, *sides), (a, b))
        return next((x for x in (a, b) if isinstance(x, Extent)), Number(self.reading))

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.letter(function, args)

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.formula(function, args)


MOST_DECISIONS = 64
"""So many questions a text may ask on one way through it."""


@dataclass
class Reading:
    """One reading of a text; see :mod:`sparring.proofs.reading.symbols`, which reads it on points."""

    decisions: list[bool] = field(default_factory=list)
    hypotheses: list[Bool] = field(default_factory=list)
    sides: list[tuple[str, bool]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    known: dict[str, bool] = field(default_factory=dict)
    text: Any = None
    selecting: bool = False
    """Whether vectors are sparse; then ranks need not have entries at the same places."""
    met: int = 0

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Return the result of a local function: a vector as long as the function says, or as its first vector.

        Without vectors, the result is a number.

        In a mask or threshold made from a threshold, no more entries are true, or reach it, than reach the first.
        """
        vectors, said, most = [*extents(args)], getattr(function, "length", None), getattr(function, "most", None)
        if said is None and not vectors:
            return Number(self, number_of(function, lengths(args)))
        made = vectors[0] if said is None else self.made(said(*map(lengths, args)), any(one.chunk for one in vectors))
        if most is not None:
            return replace(made, most=most(*map(lengths, args)))
        known = next((one.most for one in vectors if one.most is not None), None)
        return made if known is None or said is not None else replace(made, most=known)

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Return the result of a formula: a number for numbers, a vector where entries are involved."""
        values = lengths(args)
        return next(extents(args), Number(self, None if any(x is None for x in values) else function(*values)))

    def made(self, length: Any, chunk: bool) -> Any:
        """Return a vector of this length; for a record of numbers, that record."""
        if is_record(length):
            return length._replace(**{name: Number(self, getattr(length, name)) for name in length._fields})
        return Extent(self, length, chunk)

    def sure(self, claim: Bool) -> bool:
        """Return whether the claim follows from what is known."""
        try:
            reader = Z3Reader([p >= 2, n >= 0, k >= 0, *self.hypotheses], p)
            return bool(reader.sure(reader(claim)))
        except Undecided:
            return False

    def decides(self, value: Any) -> bool:
        """Return the side of a branch that this reading takes: the one that is sure, else the next to be read."""
        claim = None if value is None else true(value) if isinstance(value, Sym) else value
        if isinstance(claim, bool | int):
            return bool(claim)
        here = line(self.text)
        key = here if claim is None else repr(claim)
        if key not in self.known and claim is not None and (self.sure(claim) or self.sure(negate(claim))):
            self.known[key] = self.sure(claim)
        if key not in self.known:
            self.known[key] = self.next()
            self.sides.append((here, self.known[key] != here.startswith("not ")))
            if claim is None:
                self.unknown.add(here)
            else:
                self.hypotheses.append(claim if self.known[key] else negate(claim))
        return self.known[key]

    def next(self) -> bool:
        """Return the next decision; raise Undecided where there is no last one."""
        if self.met == MOST_DECISIONS:
            raise Undecided(f"the text asks {self.met} questions on one way: no loop ends there")
        if self.met == len(self.decisions):
            self.decisions.append(True)
        self.met += 1
        return self.decisions[self.met - 1]


IF = re.compile(r"\b(?:if|while)\b (.*?)(?:\belse\b.*|:\s*.*)?$")


def line(text: Any) -> str:
    """Return the condition that a text asks for now, as it is written."""
    while (inner := getattr(text, "gi_yieldfrom", None)) is not None and hasattr(inner, "gi_frame"):
        text = inner
    if text is None:  # of a text without exchanges, which is a function
        return "its condition holds"
    frame = text.gi_frame
    written = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    found = IF.search(written)
    return found[1].strip() if found else written or f"line {frame.f_lineno}"


def number_of(function: Any, args: Sequence[Any]) -> Int | Bool | None:
    """Return the value of a local function of numbers, where it is a formula of these; else None."""
    if any(a is None for a in args):
        return None
    try:
        value = function.__wrapped__(*args)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        return None
    return value if isinstance(value, int | Sym | Truth) else None


def is_record(x: Any) -> bool:
    """Return whether ``x`` is a named tuple."""
    return isinstance(x, tuple) and hasattr(x, "_replace")


def extents(x: Any) -> Iterator[Extent]:
    """Yield the vectors in the arguments of a local function."""
    if isinstance(x, Extent):
        yield x
    elif isinstance(x, tuple | list):
        for one in x:
            yield from extents(one)


def lengths(x: Any) -> Any:
    """Return the arguments with lengths in the places of vectors."""
    if isinstance(x, Extent):
        return x.length
    if isinstance(x, Number):
        return x.value
    if is_record(x):
        return x._replace(**{name: lengths(getattr(x, name)) for name in x._fields})
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{one.name: lengths(getattr(x, one.name)) for one in fields(x)})
    return type(x)(map(lengths, x)) if isinstance(x, tuple | list) else x
