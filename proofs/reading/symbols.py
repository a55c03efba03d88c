"""Defines the symbols that stand for values while a text is read on points, and what is known of them.

The same letter stands for the same function of the same arguments, where these are found equal; which side of a branch
is read, is decided here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from inspect import unwrap
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, iff, p
from sparring.proofs.logic.values import ValuesReader
from sparring.proofs.reading.held_values import inside
from sparring.proofs.reading.loops import Loop
from sparring.proofs.reading.points import Condition, Point, at_one_index, lowest, parts, point
from sparring.proofs.reading.summands import nonzero, true
from sparring.spec.core import exchanges
from sparring.spec.core.numbers import Bool, Int, Sym, Truth, either, negate, variables
from sparring.spec.core.origins import home, sparrings, trusted
from sparring.spec.core.regions import even, means
from sparring.spec.core.vectors import of_single_entries

MOST_DECISIONS = 64
"""So many questions a text may ask on one way through it: of a loop that values end there is no last one."""


@dataclass
class Reading:
    """One reading of a text: the letters made, and the side taken at each branch."""

    alone: bool = False
    """Whether there is only one rank."""
    poisoned: bool = False
    """Whether the text's tests for being a number all fail."""
    decisions: list[bool] = field(default_factory=list)
    hypotheses: list[Bool] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    letters: dict[tuple[Any, ...], tuple[Sym, list[Any]]] = field(default_factory=dict)
    made: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = field(default_factory=dict)
    """The local function that gives a letter, and its arguments, by letter."""
    given: set[str] = field(default_factory=set)
    """The names of letters that stand for what is given, such as parameters and parts of the state."""
    same: list[Obligation] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    linear: set[Callable[..., Any]] = field(default_factory=set)
    loops: list[Loop] = field(default_factory=list)
    met: int = 0

    def __post_init__(self) -> None:
        self.p = p
        self.ranks: Int = 1 if self.alone else p

    # -- letters

    def fresh(self, name: str, placement: str) -> Point:
        """Return the letter of this name as a point; no local function has the same."""
        self.given.add(name)
        return Point(self, placement, Sym.var(name), owner="chunks" if placement == "shard" else "")

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
        """Return the point that a local function gives: the same letter for arguments found equal."""
        name = function.__name__
        self.called.add(name)
        if function in (exchanges.read, exchanges.read_by_chunk):
            code, x, *ranks = args
            for given in ranks:
                cut_for_all(self, point(self, x), given)
            return read(self, code, point(self, x), chunks=bool(ranks), whole=False)
        if getattr(function, "by_length", False):
            return of_length(self, function, args)
        if getattr(function, "linear", False) and isinstance(args[0], Point):
            return linear(self, function, args)
        entrywise = getattr(function, "entrywise", False)
        found = replace(self.named(name, (function, *args), entrywise=entrywise), holds="" if entrywise else "fields")
        self.learn(function, found, args)
        proposed = function is means and getattr(args[0], "cuts", "") == "proposals"
        return replace(found, cuts="bounds") if function is even or proposed else found

    def learn(self, function: Callable[..., Any], found: Point, args: tuple[Any, ...]) -> None:
        """Add, for a new letter, what the function states about every value that it gives."""
        (name,) = free(found.rest)
        if name not in self.made:
            self.made[name] = function, args
            says, given = getattr(function, "known", None), [*parts(args)]
            if says is not None and not trusted(home(unwrap(function)), ""):
                raise Undecided(f"{function.__name__} says what is known of its numbers, which nothing proves")
            if says is not None and not any(isinstance(one, Condition) or nonzero(one.each) for one in given):
                self.hypotheses.append(says(found.rest, *(one.rest if isinstance(one, Point) else one for one in args)))

    def told(self, x: Any) -> Point:
        """Return what each rank has, by rank, as all ranks know it; from bounds it makes a list of proposals."""
        found = self.named("all ranks' apart", (x,), placement="replicate")
        return replace(found, holds="ranks", cuts="proposals" if getattr(x, "cuts", "") == "bounds" else "")

    def somewhere(self, x: Point) -> Bool | None:
        """Return the truth that some rank has an entry of ``x``, which follows if this rank has one.

        None where nothing is known of the support of ``x``.
        """
        if x.there is None:
            return None
        any_rank = self.named("somewhere", (Condition(self, "partial", x.there),), placement="replicate").truth.value
        self.hypotheses.append(either(negate(x.there), any_rank))
        return any_rank

    def named(self, name: str, args: Any, *, entrywise: bool = False, placement: str = "") -> Point:
        """Return the letter of this name and these arguments.

        Of a local function's letter the first is the function, since functions of one name are not one function.  A
        function of whole vectors gets one letter for a chunk and another for the whole vector.
        """
        some = [*parts(args)]
        had, owner = at_one_index(*some) if entrywise else lowest(*some)
        where = placement or had
        own = "own" if where in ("partial", "arrived") else "*"
        shape = (name, own, "" if entrywise else (had, where), form(args))
        terms = [term for one in some for term in values(one)]
        for key, (symbol, others) in self.letters.items():
            if key[:4] == shape and len(others) == len(terms) and self.equal(name, others, terms):
                return Point(self, where, symbol, owner=owner if where == "shard" else "")
        word = f"{''.join(ch if ch.isalnum() else '_' for ch in name)}_{len(self.letters)}"
        symbol = Sym.var(next(one for k in range(len(self.given) + 1) if (one := word + k * "_") not in self.given))
        self.letters[(*shape, len(self.letters))] = symbol, terms
        return Point(self, where, symbol, owner=owner if where == "shard" else "")

    def equal(self, name: str, some: Sequence[Any], others: Sequence[Any]) -> bool:
        """Return whether the terms are equal, one by one, under what is known.

        Equalities that are not plain to see become obligations.
        """
        unlike = [(a, b) for a, b in zip(some, others) if a is not b and repr(a) != repr(b)]
        if any(isinstance(a, bool | int) and isinstance(b, bool | int) and a != b for a, b in unlike):
            return False
        if any(free(a) != free(b) for a, b in unlike):
            return False
        claims = [same(a, b) for a, b in unlike]
        if not all(self.sure(claim) for claim in claims):
            return False
        self.same += [Obligation(f"the same arguments of {name}", (*self.box, *self.hypotheses), c) for c in claims]
        return True

    def gathered(self, x: Point | Condition) -> Point:
        """Return what each rank has, by rank."""
        return replace(self.named("all ranks'", (x,), entrywise=True, placement="replicate"), holds="ranks")

    def asked(self, function: Callable[..., Any], first: Point) -> Iterator[Bool]:
        """Yield the truths that the text has asked of this local function of ``first`` and any other arguments."""
        for (_, _, _, (_, held), _), (symbol, terms) in self.letters.items():
            if held[:1] == (form(function),) and repr(terms[:3]) == repr([*values(first)]):
                yield true(symbol)

    # -- links that lose packets

    def owns(self) -> Condition:
        """Return the condition that a rank owns the index."""
        return self.named("owns", (), placement="partial").truth

    def version(self, to: str, links: Any, packet: Any, call: Any, own: bool) -> Point:
        """Return the version of a rank's packet to the owner, or of the owner's to the rank.

        ``own``: a rank's packet to itself always comes.
        """
        found = self.named(f"version to the {to}", (links, packet, call), entrywise=True, placement="partial")
        now: Point = self.owns().chooses(call, found) if own else found
        return now

    def comes(self, to: str, links: Any, packet: Any, call: Any, own: bool) -> Condition:
        """Return the condition that the packet comes in time."""
        came: Condition = self.version(to, links, packet, call, own) == call
        return came

    def versions_held(self, links: Any, packet: Any, call: Any) -> Point:
        """Return which versions come to a rank, by chunk and packet."""
        return self.named("versions of packets", (links, packet, call), placement="partial")

    def formula(self, function: Callable[..., Any], args: Any) -> Point:
        """Return a formula of whole numbers as a point; raise Undecided for a sum over ranks."""
        where, owner = lowest(*parts(args))
        points = [point(self, one) for one in args]
        if strange := [one for one in points if nonzero(one.each)]:
            raise Undecided(f"{strange[0]!r} is no whole number")
        return Point(self, where, function(*(one.rest for one in points)), owner=owner)

    # -- branches

    @property
    def box(self) -> tuple[Bool, ...]:
        return (self.p >= 1,) if self.alone else (self.p >= 2,)

    def sure(self, claim: Bool) -> bool:
        """Return whether the claim follows from what is known."""
        known = (*self.box, *self.hypotheses)
        return follows(Question((repr(claim), *map(repr, known)), known, claim))

    def unspoken(self, value: Bool) -> bool:
        """Return whether a truth compares with a number one letter that no hypothesis mentions.

        Then both sides are possible.
        """
        here: Any = value.args[0] if isinstance(value, Truth) and value.op == "not" else value
        plain = here.op in ("==", "<", "<=") and sum(isinstance(a, int) for a in here.args) == 1
        letter = next((a for a in here.args if isinstance(a, Sym) and a.op == "var"), None)
        return plain and letter is not None and not any(free(value) & free(h) for h in (*self.box, *self.hypotheses))

    def knows(self, value: Bool) -> bool | None:
        """Return what was decided before about this truth; None where nothing was."""
        return value if isinstance(value, bool) else self.known.get(repr(value))

    def by_entry(self, term: Any) -> bool:
        """Return whether a term is known to be one of each entry: of ``x``, or of single entries of what is."""
        names = free(term)
        made = [(key, terms) for key, (symbol, terms) in self.letters.items() if free(symbol) <= names]
        return "x" in names or any(not key[2] and any(map(self.by_entry, terms)) for key, terms in made)

    def decides(self, value: Bool) -> bool:
        """Return the side of a branch that this reading takes."""
        if isinstance(value, bool):
            return value
        if not of_single_entries() and self.by_entry(value):
            raise Undecided(f"{value!r} is asked of each entry by itself, and no vector has one side of a branch")
        if (key := repr(value)) in self.known:
            return self.known[key]
        if not self.unspoken(value) and (self.sure(value) or self.sure(negate(value))):
            return self.known.setdefault(key, self.sure(value))
        if self.met == MOST_DECISIONS:
            raise Undecided(f"the text asks {self.met} questions on one way, the last of {value!r}: no loop ends there")
        if self.met == len(self.decisions):
            self.decisions.append(True)
        side = self.decisions[self.met]
        self.met += 1
        self.known[key] = side
        self.hypotheses.append(value if side else negate(value))
        return side


class Question(NamedTuple):
    """A claim, and what is known while a text is read; questions in the same words are equal."""

    words: tuple[str, ...]
    known: Sequence[Bool]
    claim: Bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)


@lru_cache(10_000)  # a page's text, and its mutants, are read many times
def follows(question: Question) -> bool:
    """Return whether z3 finds that the claim follows from what is known."""
    try:
        reader = ValuesReader(question.known, p)
        return reader.sure(reader(question.claim))
    except Undecided:
        return False


def free(x: Any) -> frozenset[str]:
    return frozenset() if isinstance(x, int) else variables(x)


def same(a: Any, b: Any) -> Bool:
    if isinstance(a, bool) or isinstance(b, bool) or type(a).__name__ == "Truth":
        return iff(a, b)
    claim: Bool = a == b
    return claim


def values(one: Point | Condition) -> tuple[Any, ...]:
    """Return the terms that distinguish a point from another."""
    return (one.each, one.rest, one.mean) if isinstance(one, Point) else (one.value,)


def form(x: Any) -> Any:
    """Return the form of an argument: its structure, its constants, and where points stand."""
    if isinstance(x, Point | Condition):
        return type(x)
    told, held = inside(x)
    return told, tuple(map(form, held))


def of_length(self: Reading, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
    """Return the letter for a function of the length of the rank's vector.

    It is the same on all ranks, since their vectors have one length.
    """
    x, *others = args
    if not (isinstance(x, Point) and repr(x) == "own x"):
        raise Undecided(f"{function.__name__} of {x!r}: what all ranks know of lengths is that of x")
    found = self.named(function.__name__, (function, *args), placement=lowest(*parts((function, others)))[0])
    return replace(found, holds="fields")


def linear(self: Reading, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
    """Apply a function that is linear in its first argument to both parts of a sum over ranks.

    This needs the other arguments to be the same on all ranks.
    """
    (x, *others), name = args, function.__name__
    if x.placement == "shard" or not nonzero(x.each) or lowest(*parts((function, others)))[0] != "replicate":
        return self.named(name, (function, *args))
    self.linear.add(function)
    summand = self.named(name, (function, Point(self, "partial", x.each), *others)).rest
    rest = self.named(name, (function, Point(self, x.placement, x.rest), *others)).rest if nonzero(x.rest) else 0
    return Point(self, x.placement, rest, summand, x.mean)


def read(self: Reading, code: Any, x: Point, *, chunks: bool, whole: bool, cut: str = "chunks") -> Point:
    """Return the point read back from a value in this code; coding chunk by chunk and as a whole give two letters.

    ``chunks``: the value is cut; ``whole``: before that it is coded as a whole, if the code allows that; ``cut``: how.
    """
    if exact(code):
        return x
    by_chunk = x.placement == "shard" or (chunks and not (whole and marked(code, "whole")))
    return self.named(f"read by {x.owner or cut}" if by_chunk else "read", (code, x), entrywise=True)


def cut_for_all(self: Reading, x: Point, ranks: Any) -> None:
    """Raise Undecided unless a vector is read in the chunks of all ranks: no other cut is that of an exchange."""
    if x.placement == "shard" or point(self, ranks).rest is not self.ranks:
        raise Undecided(f"read_by_chunk({x!r}, {ranks!r}): that is no vector in one chunk for each of p ranks")


def exact(code: Any) -> bool:
    """Return whether what is read of a code is what was coded."""
    return marked(code, "exact")


def marked(code: Any, mark: str) -> bool:
    """Return whether a code of sparring's own is marked so; raise Undecided where a user's is, which nothing proves."""
    told = bool(getattr(code, mark, False))
    if told and not sparrings(type(code)):
        raise Undecided(f"the code {type(code).__name__}, which is not sparring's own, says that it is {mark}")
    return told
