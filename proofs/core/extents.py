"""A composition's text, read on extents: how long each vector is, and from that what its exchanges send.

The text is the one that runs, and a vector is its length, a term in ``n``, ``p``, ``k`` and ``call``.  What is done
entry by entry keeps it; a local function says what it makes of it (:func:`~sparring.spec.core.vectors.local`), and an
exchange gives a vector of the length that its page's theorem says.  Of a chunk the length is that of all ranks' chunks
together.  On a branch that lengths do not decide both sides are read.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.core.obligations import n, p
from sparring.proofs.core.symbolic import Z3Reader
from sparring.spec.core.compositions import asked, own, text
from sparring.spec.core.exchanges import Exchange, served
from sparring.spec.core.links import Collected, Handed
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Sym, Truth, negate, where
from sparring.spec.core.rounds import Rounds
from sparring.spec.core.selectors import Selector
from sparring.spec.core.vectors import AtPoint

k, call, r = (Sym.var(name) for name in ("k", "call", "r"))
MOST_PATHS = 64
CALLS = 8
"""So many calls after the first may have vectors of other lengths in their states, before these are too many."""


@dataclass(frozen=True, eq=False)
class Extent(AtPoint):
    """A vector of ``length`` entries, or of all ranks' chunks together, where it is a ``chunk``."""

    reading: Reading
    length: Int
    chunk: bool = False
    most: Int | None = None
    """Of a mask, how many entries are true at most; of a threshold, reach it; None where that is not said."""
    even: bool = True
    """Ranks' chunks are as long as those of a vector that is cut; else one rank may have all of it."""

    def __repr__(self) -> str:
        return f"{'a chunk of ' if self.chunk else ''}{self.length!r} entries"

    def like(self, *_: Any) -> Extent:
        return self

    def first(self, o: Any) -> Extent:
        """What has as many entries, of two of which one may be a number."""
        return replace(o if isinstance(o, Extent) and o.chunk else self, most=None)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = first
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = first
    __eq__ = __ne__ = first  # type: ignore[assignment]  # a mask
    __neg__ = __abs__ = __getitem__ = like
    __hash__ = object.__hash__

    def __len__(self) -> int:
        raise Undecided(
            f"the length of {self!r} is asked for: a text that is read knows of no lengths; use local functions"
        )

    def __bool__(self) -> bool:
        return self.reading.decides(None)

    def is_number(self) -> Extent:
        return self

    def __invert__(self) -> Extent:
        return replace(self, most=None)

    def only(self, mask: Extent) -> Extent:
        """Of a sparse vector some entries, as many as are true at most: of a chunk one rank may have all of them."""
        length = self.length if mask.most is None else mask.most
        return Extent(self.reading, length, self.chunk, even=not self.chunk)

    def support(self) -> Extent:
        return self

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
        """Of two numbers another; of a number and a vector a vector."""
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

    __hash__ = object.__hash__

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

    def is_number(self) -> Number:
        return Number(self.reading)

    def own_chunk(self, r: Any, p: Any) -> Number:  # whichever rank's
        return self

    def chooses(self, a: Any, b: Any) -> Any:
        """``where(self, a, b)``: a vector where one of both is one."""
        known = self.value
        if isinstance(known, Truth) and not any(extents((a, b))):
            return self.reading.formula(lambda *sides: where(known, *sides), (a, b))
        return next((x for x in (a, b) if isinstance(x, Extent)), Number(self.reading))

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.letter(function, args)

    def formula(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.reading.formula(function, args)


class Sent(NamedTuple):
    """One exchange: of a vector of ``length`` entries that is cut into chunks, or, ``whole``, of one of each rank."""

    exchange: str
    through: str
    code: Any
    length: Int
    whole: bool
    asked: Any
    """The exchange as it was asked for."""
    even: bool = True
    """Pieces are as long as chunks; else one rank may have all."""
    times: Int = 1
    """How often: in each of so many rounds."""

    @property
    def same(self) -> tuple[str, ...]:
        """By what it is told from another."""
        return self.exchange, self.through, repr(self.code), repr(self.length), repr(self.whole), repr(self.times)


def unsized(code: Any) -> str:
    """Why the bytes of messages in this code are not known, in a sentence; empty where they are."""
    why = f"the code {type(code).__name__} has no method octets(c, width), which says how many bytes c entries take"
    return "" if hasattr(code, "octets") else why


PIECES = ("Allgather", "Balance", "Hand")
"""Exchanges to which each rank brings its chunk."""


class Way(NamedTuple):
    """One way through the text: ``sides``, by condition whether it holds, and what is sent."""

    first: bool
    sides: Sequence[tuple[str, bool]]
    unknown: frozenset[str]
    """Of these conditions, those that entries decide."""
    hypotheses: Sequence[Bool]
    sent: Sequence[Sent]
    after: Any

    @property
    def name(self) -> str:
        """Which calls go it."""
        told = [text for text, side in self.sides if side]
        when = f"calls where {' and '.join(told)}" if told else "a usual call"
        return "the first call" + (f" where {' and '.join(told)}" if told else "") if self.first else when


@dataclass
class Reading:
    """One reading of a text; see :mod:`sparring.proofs.core.reading`, which reads it on points."""

    decisions: list[bool] = field(default_factory=list)
    hypotheses: list[Bool] = field(default_factory=list)
    sides: list[tuple[str, bool]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    known: dict[str, bool] = field(default_factory=dict)
    text: Any = None
    selecting: bool = False
    """Vectors are sparse, and ranks need not have entries at the same places."""
    met: int = 0

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a local function gives: a vector as long as it says, or as its first vector; a number of numbers.

        Of what is made with a threshold no more entries are true, or reach it, than reach the threshold.
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
        """What a formula of numbers gives; of entries, a vector."""
        values = lengths(args)
        return next(extents(args), Number(self, None if any(x is None for x in values) else function(*values)))

    def made(self, length: Any, chunk: bool) -> Any:
        """A vector of this length; of a record of numbers, that."""
        if is_record(length):
            return length._replace(**{name: Number(self, getattr(length, name)) for name in length._fields})
        return Extent(self, length, chunk)

    def sure(self, claim: Bool) -> bool:
        """Whether it follows from what is known."""
        try:
            reader = Z3Reader([p >= 2, n >= 0, k >= 0, *self.hypotheses], p)
            return bool(reader.sure(reader(claim)))
        except Undecided:
            return False

    def decides(self, value: Any) -> bool:
        """The side of a branch that this reading goes to: one that is sure, else the one that is next."""
        claim = None if value is None else value >= 1 if isinstance(value, Sym) else value
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
        """The next decision."""
        if self.met == len(self.decisions):
            self.decisions.append(True)
        self.met += 1
        return self.decisions[self.met - 1]

    def answer(self, e: Exchange, had: list[Sent]) -> Any:
        """What an exchange gives, or rounds of one; what it sends is noted."""
        if isinstance(e, Rounds):
            return self.rounds(e, had)
        name = type(e).__name__
        if name not in RULES:
            raise Undecided(f"nothing is known of the lengths of the exchange {name}")
        result, sent = RULES[name](self, e)
        even = name == "Balance" or getattr(e.x, "even", True)  # which deals out what one rank may have
        had += [Sent(name, e.through, lengths(e.code), sent[0], sent[1], e, even)] if sent else []
        return result

    def rounds(self, e: Rounds, had: list[Sent]) -> Any:
        """What any round gives, which has to be as long as what it begins with; what it sends is noted so often."""
        often, begins = lengths(e.many), tuple(Number(self) if isinstance(x, Number) else x for x in e.carried)
        each: list[Sent] = []
        ends = self.reads(e.one(Number(self), *begins, *e.given), each)
        if often is None or [*map(repr, extents(ends))] != [*map(repr, extents(begins))]:
            raise Undecided("rounds are not told how many they are, or change how long vectors are")
        had += [one._replace(times=one.times * often) for one in each]
        return ends

    def reads(self, going: Any, had: list[Sent]) -> Any:
        """What a text returns; what its exchanges send is noted."""
        answer = None
        try:
            while True:
                answer = self.answer(going.send(answer), had)
        except StopIteration as end:
            return end.value


IF = re.compile(r"\b(?:if|while)\b (.*?)(?:\belse\b.*|:\s*.*)?$")


def line(text: Any) -> str:
    """The condition that a text asks for now, as it is written."""
    while (inner := getattr(text, "gi_yieldfrom", None)) is not None and hasattr(inner, "gi_frame"):
        text = inner
    if text is None:  # of a text without exchanges, which is a function
        return "its condition holds"
    frame = text.gi_frame
    written = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    found = IF.search(written)
    return found[1].strip() if found else written or f"line {frame.f_lineno}"


def number_of(function: Any, args: Sequence[Any]) -> Int | Bool | None:
    """What a local function gives of numbers, where it is a formula of these; else None."""
    if any(a is None for a in args):
        return None
    try:
        value = function.__wrapped__(*args)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        return None
    return value if isinstance(value, int | Sym | Truth) else None


def is_record(x: Any) -> bool:
    """Whether it is a named tuple."""
    return isinstance(x, tuple) and hasattr(x, "_replace")


def extents(x: Any) -> Iterator[Extent]:
    """The vectors in what a local function is given."""
    if isinstance(x, Extent):
        yield x
    elif isinstance(x, tuple | list):
        for one in x:
            yield from extents(one)


def lengths(x: Any) -> Any:
    """The same with lengths in the places of vectors."""
    if isinstance(x, Extent):
        return x.length
    if isinstance(x, Number):
        return x.value
    if is_record(x):
        return x._replace(**{name: lengths(getattr(x, name)) for name in x._fields})
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{one.name: lengths(getattr(x, one.name)) for one in fields(x)})
    return type(x)(map(lengths, x)) if isinstance(x, tuple | list) else x


# -- what exchanges give and send

Answer = tuple[Any, tuple[Int, Any] | None]
"""A vector or a number; and of what length is sent, whole or in chunks."""


def vector(self: Reading, x: Any) -> Extent:
    """A number that all ranks send is a vector of one entry."""
    return x if isinstance(x, Extent) else Extent(self, 1)


def reduce_scatter(self: Reading, e: Any) -> Answer:
    """Of selected entries there may be other ones of each rank."""
    x = vector(self, e.x)
    length = p * (p * ((x.length + p - 1) // p)) if self.selecting else x.length
    return Extent(self, length, chunk=True), (x.length, False)


def allgather(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return Extent(self, x.length), (x.length, False)


def gather(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return Extent(self, x.length), (x.length, True)


def allreduce(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    at = x if e.at is None else vector(self, e.at)
    sent = at.length if at.most is None else at.most
    return Extent(self, x.length), (sent, served(e.through).kind == "allgather")


def sparse_allreduce(self: Reading, e: Any) -> Answer:
    """Of lists each rank sends as many as it takes at most; of pieces, of which some go dense, there may be all."""
    x, at = vector(self, e.x), vector(self, e.at)
    lists = served(e.through).data == "lists"
    return x, (x.length if not lists or at.most is None else at.most, lists)


def collect(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return Collected(*[Extent(self, x.length, chunk=True)] * 3), (x.length, False)


def hand(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return Handed(*[Extent(self, x.length)] * 3), (x.length, False)


def balance(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return replace(x, even=True), (x.length, False)


def of_averaging(self: Reading, e: Any) -> Answer:
    """Beside the mean, which part the rank looked after."""
    x = vector(self, e.x)
    return (Extent(self, x.length), Number(self)), (x.length, False)


def of_apart(self: Reading, e: Any) -> Answer:
    return (e.x if isinstance(e.x, Extent) else Number(self)), None


RULES: dict[str, Callable[[Reading, Any], Answer]] = {
    "ReduceScatter": reduce_scatter,
    "Allgather": allgather,
    "Gather": gather,
    "Allreduce": allreduce,
    "SparseAllreduce": sparse_allreduce,
    "Apart": of_apart,
    "Balance": balance,
    "Collect": collect,
    "Hand": hand,
    "Averaging": of_averaging,
}
"""By exchange, how long what it gives is, and what it sends."""


# -- reading a page


def ways(page: Page) -> list[Way]:
    """All ways through the text with more than one rank, in the first call and in later ones.

    Parameters have their values, but for ``k``, which stays a letter.
    """
    if hasattr(page.module, "checked"):
        page.module.checked(own(page))
    found = [*branches(page, begun(page), first=True)]
    if not hasattr(page.module, "State") and "call" not in asked(page):
        return [one._replace(first=False) for one in found]
    states, later = {repr(one.after): one.after for one in found}, []
    for _ in range(CALLS):
        later = [way for state in states.values() for way in branches(page, state, first=False)]
        new = {repr(way.after): way.after for way in later}
        if new.keys() <= states.keys():
            return distinct([*found, *later])
        states |= new
    raise Undecided(f"{page.name}: the lengths of what is remembered grow from call to call")


def distinct(found: Sequence[Way]) -> list[Way]:
    """Of ways that go the same sides and send the same, one."""
    kept = {(one.first, tuple(one.sides), tuple(sent.same for sent in one.sent)): one for one in reversed(found)}
    return [*reversed(kept.values())]


def begun(page: Page) -> Any:
    """The state before the first call."""
    return page.module.State() if hasattr(page.module, "State") else None


def branches(page: Page, state: Any, *, first: bool) -> Iterator[Way]:
    """All ways of one call, by going back to the last branch of which one side has not been read."""
    decisions: list[bool] = []
    for _ in range(MOST_PATHS):
        yield once(Reading(decisions, selecting=page.selecting), page, state, first=first)
        while decisions and not decisions[-1]:
            decisions.pop()
        if not decisions:
            return
        decisions[-1] = False
    raise Undecided(f"{page.name}: program has more than {MOST_PATHS} paths")


def once(self: Reading, page: Page, state: Any, *, first: bool) -> Way:
    """One way."""
    if not first:
        self.hypotheses.append(call >= 1)
    given = parameters(self, page)
    letters = {
        "x": Extent(self, n), "r": Number(self, r), "p": Number(self, p), "call": Number(self, 0 if first else call),
        "state": moved(self, state), "params": given, "selector": aiming(page.selector),
    }  # fmt: skip
    had: list[Sent] = []
    self.text = text(page, **letters)
    returned = self.reads(self.text, had)
    after = returned[-1] if state is not None and isinstance(returned, tuple) else None
    return Way(first, tuple(self.sides), frozenset(self.unknown), tuple(self.hypotheses), tuple(had), after)


def aiming(selector: Selector | None) -> Selector | None:
    """The selector, with a letter for how many entries it aims at."""
    return selector and replace(selector, params={**selector.params, "k": k})


def moved(self: Reading, x: Any) -> Any:
    """What was remembered, in this reading."""
    if isinstance(x, Extent):
        return Extent(self, x.length, x.chunk, x.most, x.even)
    if isinstance(x, Number):
        return Number(self, x.value)
    if is_record(x):
        return x._replace(**{name: moved(self, getattr(x, name)) for name in x._fields})
    return Number(self, x) if isinstance(x, int) else x


def parameters(self: Reading, page: Page) -> Any:
    """The page's parameters: their values, and a letter for ``k``."""
    return own(page, **({"k": Number(self, k)} if "k" in page.params else {}))


def usual(found: Sequence[Way]) -> Way:
    """The way of a usual call: a later one, in which no branch is taken that the number of the call decides.

    Where entries decide, it is the side on which there are more exchanges.
    """

    def order(way: Way) -> tuple[list[bool], int]:
        return [side for text, side in way.sides if text not in way.unknown], -len(way.sent)

    return min((one for one in found if not one.first), key=order)
