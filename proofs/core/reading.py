"""A composition's text, read on points: every path of it, with what its exchanges promise.

The text is the one that runs.  A branch on what all ranks share is read on both sides, each under its condition; one on
a rank's own condition is refused, since ranks would part ways.  An exchange gives what the theorem of its page says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from sparring.errors import InputError, Refuted, Undecided
from sparring.proofs.core import loops
from sparring.proofs.core.loops import Loop
from sparring.proofs.core.obligations import Obligation, iff, p
from sparring.proofs.core.points import Apart, Condition, Point, lowest, nonzero, parts, point
from sparring.proofs.core.symbolic import Z3Reader
from sparring.spec.core.calling import domain
from sparring.spec.core.compositions import LETTERS, Ending, asked, ending, text
from sparring.spec.core.compositions import begun as begins
from sparring.spec.core.links import Collected, Handed
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Sym, either, negate, variables
from sparring.spec.core.regions import Regions, even, means
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.thresholds import count
from sparring.spec.core.vectors import Unset

MOST_PATHS = 64
PARAMETER = "param_"
"""With this begins the name of a parameter's letter."""


class Path(NamedTuple):
    """One way through the text: under which conditions, what it gives, which exchanges it had.

    ``before`` and ``after``: the state; ``refused``: why no rank can do it, then the rest is empty.
    """

    name: str
    alone: bool
    """There is one rank."""
    poisoned: bool
    """Nothing is a number of what the text asks about that."""
    hypotheses: tuple[Bool, ...]
    given: Any
    ended: Ending
    ensured: Any
    before: Any
    after: Any
    exchanges: Sequence[Any]
    same: Sequence[Obligation]
    """Of letters that are taken for one another: that their arguments are equal."""
    called: frozenset[str]
    """The local functions that the text has called."""
    refused: str = ""
    unread: str = ""
    """Why it cannot be read, though ranks may well be able to do it."""
    leaves: Mapping[str, Any] = {}
    """What the page says of its state after the call."""
    linear: frozenset[str] = frozenset()
    """The local functions that sums have passed through."""
    loops: Sequence[Loop] = ()
    required: tuple[Bool, ...] = ()
    """Under what the result is what the page ensures."""
    barred: bool = False
    """It cannot be so on this path."""


@dataclass
class Reading:
    """One reading of a text: letters, and on which side of each branch it goes."""

    alone: bool = False
    """There is one rank."""
    poisoned: bool = False
    """What is asked to be a number is none."""
    decisions: list[bool] = field(default_factory=list)
    hypotheses: list[Bool] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    letters: dict[tuple[Any, ...], tuple[Sym, list[Any]]] = field(default_factory=dict)
    made: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = field(default_factory=dict)
    """By letter, the local function that gives it, and of what."""
    same: list[Obligation] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    linear: set[str] = field(default_factory=set)
    loops: list[Loop] = field(default_factory=list)
    met: int = 0

    def __post_init__(self) -> None:
        self.p = p

    # -- letters

    def fresh(self, name: str, placement: str) -> Point:
        """A letter of its own."""
        return Point(self, placement, Sym.var(name), owner="chunks" if placement == "shard" else "")

    def letter(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Point:
        """What a local function gives: the same letter for the same arguments, where these are found equal."""
        name = function.__name__
        self.called.add(name)
        if name in ("read", "read_by_chunk"):
            code, x, *_ = args
            return read(self, code, point(self, x), chunks=name == "read_by_chunk", whole=False)
        if getattr(function, "by_length", False):
            return of_length(self, name, args)
        if getattr(function, "linear", False) and isinstance(args[0], Point):
            return linear(self, name, args)
        module = getattr(function, "__module__", "")  # functions of one name are not one function
        found = self.named(name, args, entrywise=getattr(function, "entrywise", False), module=module)
        self.learn(function, found, args)
        proposed = function is means and getattr(args[0], "cuts", "") == "proposals"
        return replace(found, cuts="bounds") if function is even or proposed else found

    def learn(self, function: Callable[..., Any], found: Point, args: tuple[Any, ...]) -> None:
        """Of a new letter, what the function says of all that it gives."""
        (name,) = free(found.rest)
        if name not in self.made:
            self.made[name] = function, args
            says, given = getattr(function, "known", None), [*parts(args)]
            if says is not None and not any(isinstance(one, Condition) or nonzero(one.each) for one in given):
                self.hypotheses.append(says(found.rest, *(one.rest if isinstance(one, Point) else one for one in args)))

    def told(self, x: Any) -> Point:
        """By rank what each has, which all know; all ranks' bounds are bounds."""
        found = self.named("all ranks' apart", (*parts(x),), placement="replicate")
        return replace(found, cuts="proposals") if getattr(x, "cuts", "") == "bounds" else found

    def somewhere(self, x: Point) -> Bool | None:
        """Whether some rank has an entry of ``x``: if this one has, then yes."""
        if x.there is None:
            return None
        any_rank = self.named("somewhere", (Condition(self, "partial", x.there),), placement="replicate").truth.value
        self.hypotheses.append(either(negate(x.there), any_rank))
        return any_rank

    def named(self, name: str, args: Any, *, entrywise: bool = False, placement: str = "", module: str = "") -> Point:
        """The letter of this name; a function of whole vectors is another one of a chunk than of all of it."""
        some = [*parts(args)]
        where, owner = lowest(*some)
        where = placement or where
        own = "own" if where in ("partial", "arrived") else "*"
        shape = (f"{module}:{name}", own, "" if entrywise else where, form(args))
        terms = [term for one in some for term in values(one)]
        for key, (symbol, others) in self.letters.items():
            if key[:4] == shape and len(others) == len(terms) and self.equal(name, others, terms):
                return Point(self, where, symbol, owner=owner if where == "shard" else "")
        symbol = Sym.var(f"{''.join(ch if ch.isalnum() else '_' for ch in name)}_{len(self.letters)}")
        self.letters[(*shape, len(self.letters))] = symbol, terms
        return Point(self, where, symbol, owner=owner if where == "shard" else "")

    def equal(self, name: str, some: Sequence[Any], others: Sequence[Any]) -> bool:
        """Whether these are equal, term by term, under what is known; what is not plain to see is an obligation."""
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
        """By rank, what each has."""
        return self.named("all ranks'", (x,), entrywise=True, placement="replicate")

    def asked(self, function: Callable[..., Any], first: Point) -> Iterator[Bool]:
        """What the text has asked this local function of ``first`` and whatever else."""
        for (name, *_), (symbol, terms) in self.letters.items():
            if name == f"{function.__module__}:{function.__name__}" and repr(terms[:3]) == repr([*values(first)]):
                yield symbol >= 1

    # -- links that lose packets

    def owns(self) -> Condition:
        """Whether a rank owns the index."""
        return self.named("owns", (), placement="partial").truth

    def version(self, to: str, links: Any, packet: Any, call: Any, own: bool) -> Point:
        """The version of a rank's packet to the owner, or of the owner's to the rank; ``own``: its own always comes."""
        found = self.named(f"version to the {to}", (links, packet, call), entrywise=True, placement="partial")
        now: Point = self.owns().chooses(call, found) if own else found
        return now

    def comes(self, to: str, links: Any, packet: Any, call: Any, own: bool) -> Condition:
        """Whether it comes in time."""
        came: Condition = self.version(to, links, packet, call, own) == call
        return came

    def versions_held(self, links: Any, packet: Any, call: Any) -> Point:
        """By chunk and packet which versions come to a rank."""
        return self.named("versions of packets", (links, packet, call), placement="partial")

    def formula(self, function: Callable[..., Any], args: Any) -> Point:
        """A formula of whole numbers."""
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
        """Whether it follows from what is known."""
        known = (*self.box, *self.hypotheses)
        return follows(Question((repr(claim), *map(repr, known)), known, claim))

    def unspoken(self, value: Bool) -> bool:
        """Whether a truth compares one letter alone, of which no hypothesis speaks, with a number: both may be."""
        here: Any = value
        plain = here.op in ("==", "<", "<=") and sum(isinstance(a, int) for a in here.args) == 1
        letter = next((a for a in here.args if isinstance(a, Sym) and a.op == "var"), None)
        return plain and letter is not None and not any(free(value) & free(h) for h in (*self.box, *self.hypotheses))

    def knows(self, value: Bool) -> bool | None:
        """What was decided of this before; None where nothing was."""
        return value if isinstance(value, bool) else self.known.get(repr(value))

    def decides(self, value: Bool) -> bool:
        """The side of a branch that this reading goes to."""
        if isinstance(value, bool):
            return value
        if (key := repr(value)) in self.known:
            return self.known[key]
        if not self.unspoken(value) and (self.sure(value) or self.sure(negate(value))):
            return self.known.setdefault(key, self.sure(value))
        if self.met == len(self.decisions):
            self.decisions.append(True)
        side = self.decisions[self.met]
        self.met += 1
        self.known[key] = side
        self.hypotheses.append(value if side else negate(value))
        return side

    # -- exchanges

    def answer(self, exchange: Any) -> Any:
        """What an exchange gives, by the theorem of its page; raises Apart where ranks have no such thing."""
        for one in fields(exchange):
            if one.name not in getattr(exchange, "brings", LOCAL):
                self.shared(type(exchange).__name__, one.name, getattr(exchange, one.name))
        carried(exchange)
        rule = RULES.get(type(exchange).__name__)
        if rule is None:
            raise Undecided(f"nothing is known of the exchange {type(exchange).__name__}")
        return rule(self, exchange)

    def shared(self, what: str, term: str, value: Any) -> None:
        """Raises Apart where ranks have terms of their own."""
        for one in parts(value):
            if one.placement != "replicate":
                raise Apart(f"{what}({term}={one!r}): ranks yield exchanges with different terms")


class Question(NamedTuple):
    """What is asked while a text is read; in the same words it is the same question."""

    words: tuple[str, ...]
    known: Sequence[Bool]
    claim: Bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)


@lru_cache(10_000)  # a page's text, and its mutants, are read many times
def follows(question: Question) -> bool:
    """Whether z3 finds that the claim follows from what is known."""
    try:
        reader = Z3Reader(question.known, p)
        return reader.sure(reader(question.claim))
    except Undecided:
        return False


def carried(exchange: Any) -> None:
    """Raises Apart where no page carries the exchange out, or one of another kind."""
    try:
        _ = exchange.page if getattr(exchange, "kinds", ()) else None
    except InputError as why:
        raise Apart(str(why)) from why


LOCAL = ("x", "one", "many", "carried", "given")
"""What a rank brings to an exchange, which may be its own; and what a loop has, which its reader judges."""


def free(x: Any) -> frozenset[str]:
    return frozenset() if isinstance(x, int) else variables(x)


def same(a: Any, b: Any) -> Bool:
    if isinstance(a, bool) or isinstance(b, bool) or type(a).__name__ == "Truth":
        return iff(a, b)
    claim: Bool = a == b
    return claim


def values(one: Point | Condition) -> tuple[Any, ...]:
    """By what terms a point is told from another."""
    return (one.each, one.rest, one.mean) if isinstance(one, Point) else (one.value,)


def form(args: Any) -> Any:
    """What is given besides points, and where these stand."""
    if isinstance(args, Point | Condition):
        return "."
    if isinstance(args, tuple | list):
        return type(args).__name__ if hasattr(args, "_fields") else "", tuple(map(form, args))
    if is_dataclass(args) and not isinstance(args, type):
        return type(args).__name__, tuple(form(getattr(args, one.name)) for one in fields(args))
    return repr(args)


def of_length(self: Reading, name: str, args: tuple[Any, ...]) -> Point:
    """What the length of the rank's vector says: the same on all ranks, since their vectors have one length."""
    x, *others = args
    if not (isinstance(x, Point) and repr(x) == "own x"):
        raise Undecided(f"{name} of {x!r}: what all ranks know of lengths is that of x")
    return self.named(name, args, placement=lowest(*parts(others))[0])


def linear(self: Reading, name: str, args: tuple[Any, ...]) -> Point:
    """A function that is linear in its first argument passes through the sum over ranks, where all share the others."""
    x, *others = args
    if x.placement == "shard" or not nonzero(x.each) or lowest(*parts(others))[0] != "replicate":
        return self.named(name, args)
    self.linear.add(name)
    summand = self.named(name, (Point(self, "partial", x.each), *others)).rest
    rest = self.named(name, (Point(self, x.placement, x.rest), *others)).rest if nonzero(x.rest) else 0
    return Point(self, x.placement, rest, summand, x.mean)


# -- what exchanges promise


def own(name: str, x: Any) -> Any:
    """What a rank brings to be added: a value of its own, or one that all have; raises Apart for another."""
    if x.placement in ("shard", "arrived"):
        raise Apart(f"{name} of what only the owner of an index has")
    if isinstance(x, Point) and nonzero(x.each):
        raise Apart(f"{name} of {x!r}, which has been added up already")
    return x


def read(self: Reading, code: Any, x: Point, *, chunks: bool, whole: bool) -> Point:
    """What is read of a value in this code; of codes that are made chunk by chunk another thing than of all.

    ``chunks``: it is cut into chunks; ``whole``: before that codes are made of all of it, if the code is of that kind.
    """
    if code.exact:
        return x
    by_chunk = x.placement == "shard" or (chunks and not (whole and code.whole))
    return self.named("read by chunk" if by_chunk else "read", (code, x), entrywise=True)


def reduce_scatter(self: Reading, e: Any) -> Point:
    x = read(self, e.code, point(self, own("reduce_scatter", lifted(self, e.x))), chunks=True, whole=True)
    if present(e.bounds) and getattr(e.bounds, "cuts", "") != "bounds":
        raise Apart(f"reduce_scatter(bounds={e.bounds!r}): nothing says that these cut the vector")
    if not self.sure(point(self, e.bucket).rest >= 0):
        raise Apart(f"reduce_scatter(bucket={e.bucket!r}): nothing says that this is a number of messages")
    owner = f"bounds {e.bounds!r}" if present(e.bounds) else "chunks"
    return Point(self, "shard", 0, x.rest, owner=owner, there=self.somewhere(x))


def balanced(self: Reading, e: Any) -> Point:
    x = point(self, lifted(self, e.x))
    if x.placement != "shard":
        raise Apart("balance of what ranks have more than once: only the owner of an index may have it")
    if not isinstance(e.sizes, Point) or repr(e.sizes.rest) != repr(sizes(self, x).rest):
        raise Apart(f"balance(sizes={e.sizes!r}): these are not the sizes of what is balanced")
    return replace(x, owner="shares", thinned=False)


def sizes(self: Reading, x: Point) -> Point:
    """By rank how many entries of ``x`` each has, as all know it."""
    return self.told(self.letter(count, (x,)))


def present(bounds: Any) -> bool:
    return not (isinstance(bounds, tuple) and not bounds)


def lifted(self: Reading, x: Any) -> Any:
    return x if isinstance(x, Condition) else point(self, x)


def allgather(self: Reading, e: Any) -> Any:
    x = lifted(self, e.x)
    if x.placement != "shard":
        whose = "what every rank has itself" if x.placement == "partial" else "what all ranks have"
        raise Apart(f"allgather of {whose}: ranks' pieces do not make one vector")
    if isinstance(x, Condition):
        return replace(x, placement="replicate", owner="")
    return replace(read(self, e.code, x, chunks=True, whole=False), placement="replicate", owner="")


def allreduce(self: Reading, e: Any) -> Point:
    x = read(self, e.code, own("allreduce", point(self, e.x)), chunks=False, whole=True)
    total = Point(self, "replicate", 0, x.rest)
    return total if e.at is None else lifted(self, e.at).chooses(total, 0)


def gathered(self: Reading, e: Any) -> Point:
    x = lifted(self, e.x)
    if x.placement in ("shard", "arrived"):
        raise Apart("gather of what only the owner of an index has: see allgather")
    return self.gathered(x if e.code.exact else read(self, e.code, point(self, x), chunks=False, whole=True))


def of_apart(self: Reading, e: Any) -> Point:
    return self.told(e.x) if not isinstance(e.x, int) else self.named("all ranks' apart", (e.x,), placement="replicate")


def collected(self: Reading, e: Any) -> Any:
    """A sender's entry of this call where its packet is; of another call it may be anything."""
    x = own("collect", point(self, e.x))
    version = self.version("owner", e.links, e.packet, e.call, e.own)
    entry = (version == e.call).chooses(x, self.fresh("late_copy", "partial"))
    of_sender: dict[str, Any] = {"placement": "arrived", "owner": ""}
    return Collected(replace(version, **of_sender), replace(self.owns(), **of_sender), replace(entry, **of_sender))


def handed(self: Reading, e: Any) -> Any:
    """The owner's entry of this call where its packet is; of another call it may be anything."""
    x = point(self, e.x)
    if x.placement != "shard":
        raise Apart("hand of what is not the owner's: ranks' pieces do not make one vector")
    version = self.version("rank", e.links, e.packet, e.call, own=True)
    entry = (version == e.call).chooses(x.owned(), self.fresh("late_news", "partial"))
    return Handed(version, entry, self.versions_held(e.links, e.packet, e.call))


def of_rounds(self: Reading, e: Any) -> tuple[Point, Point]:
    """After all rounds a rank has a mean of all vectors, if the page's invariant is proved; alone it has its own."""
    x, one = point(self, e.carried[0]), loops.loop(self, e)
    self.loops.append(one)
    mean = x if self.alone else Point(self, "partial", 0, x.rest, mean=True)
    return mean, self.fresh("cell", "partial")


def sparse_allreduce(self: Reading, e: Any) -> Point:
    """The sum of what each rank takes of its own."""
    x = own("sparse_allreduce", point(self, e.x))
    taken = own("sparse_allreduce", lifted(self, e.at))
    return Point(self, "replicate", 0, taken.chooses(x, 0).rest)


RULES: dict[str, Callable[[Reading, Any], Any]] = {
    "ReduceScatter": reduce_scatter,
    "Allgather": allgather,
    "Balance": balanced,
    "Allreduce": allreduce,
    "SparseAllreduce": sparse_allreduce,
    "Gather": gathered,
    "Apart": of_apart,
    "Collect": collected,
    "Hand": handed,
    "Rounds": of_rounds,
}
"""By exchange, its promise: the theorem of the page that carries it out, at an index."""


# -- reading a page


def paths(page: Page) -> Iterator[Path]:
    """Every path of the page's text: with one rank and with more, in its first call and in later ones.

    Its whole numbers are letters, so that what is proved holds for all of them; its words are all that it may have.
    """
    for choice in choices(page):
        for alone in (False, True):
            placements = remembered(page, choice, alone=alone)
            for first in (True, False) if placements is not None else (True,):
                yield from branches(page, choice, placements or {}, alone=alone, first=first)
        if getattr(page.module, "recovers", False):
            yield from branches(page, choice, placements or {}, alone=False, first=placements is None, poisoned=True)


def choices(page: Page) -> Iterator[Mapping[str, Any]]:
    """All values of parameters that are one of a few words."""
    kinds = get_type_hints(page.module.Params) if hasattr(page.module, "Params") else {}
    words = {name: get_args(kind) for name, kind in kinds.items() if get_origin(kind) is Literal}
    for some in itertools.product(*words.values()):
        yield dict(zip(words, some))


def branches(
    page: Page,
    choice: Mapping[str, Any],
    placements: Mapping[str, str],
    *,
    alone: bool,
    first: bool,
    poisoned: bool = False,
) -> Iterator[Path]:
    """All paths of one call, by going back to the last branch of which one side has not been read."""
    decisions: list[bool] = []
    for _ in range(MOST_PATHS):
        reading = Reading(alone, poisoned, decisions=decisions)
        yield once(reading, page, choice, placements, first=first)
        while decisions and not decisions[-1]:
            decisions.pop()
        if not decisions:
            return
        decisions[-1] = False
    raise Undecided(f"{page.name}: program has more than {MOST_PATHS} paths")


def once(self: Reading, page: Page, choice: Mapping[str, Any], placements: Mapping[str, str], *, first: bool) -> Path:
    """One path."""
    letters = {
        "x": entering(self, page), "r": self.fresh("r", "partial"), "params": parameters(self, page, choice),
        "p": 1 if self.alone else Point(self, "replicate", self.p), "selector": page.selector,
        "call": point(self, 0) if first else self.fresh("call", "replicate"),
    }  # fmt: skip
    letters["state"] = before = begun(self, page, placements, letters, first=first)
    if not first:
        self.hypotheses.append(letters["call"].rest >= 1)
    words = [f"{name} = {word}" for name, word in choice.items()]
    ranks = "one rank" if self.alone else "ranks"
    said = [*(["first call"] if first and placements else []), *(["no numbers"] if self.poisoned else [])]
    name = ", ".join([*words, ranks, *said])
    had: list[Any] = []
    nothing = Ending(None, None, None)
    try:
        ended = ending(page, followed(self, page, letters, had))
        after = at_points(self, ended.state)
        ensured = said_by(page, "ensures", letters) if page.ensures else None
        leaves = said_by(page, "leaves", letters) if hasattr(page.module, "leaves") else {}
        required = requirement(page, letters)
        exchanges = [*had, *(one.at(self, loops.cell).exchange for one in self.loops)]
        barred = any(self.sure(negate(one)) for one in required)
    except (Refuted, Undecided) as why:
        ended, after, ensured, leaves, told = nothing, None, None, {}, str(why)
        exchanges, required, barred = had, (), False
        refused, unread = (told, "") if isinstance(why, Refuted) else ("", told)
    else:
        refused = unread = ""
    return Path(name, self.alone, self.poisoned, (*self.box, *self.hypotheses), letters, ended, ensured, before,
                after, exchanges, self.same, frozenset(self.called), refused, unread, leaves,
                frozenset(self.linear), self.loops, required, barred)  # fmt: skip


def said_by(page: Page, function: str, letters: Mapping[str, Any]) -> Any:
    """What a formula of the page says of a call."""
    formula = getattr(page.module, function)
    return formula(**{name: letters[name] for name in letters_of(formula)})


def entering(self: Reading, page: Page) -> Point:
    """A rank's vector; of a page that selects, what is absent is 0."""
    x = self.fresh("x", "partial")
    if not page.selecting:
        return x
    there = Sym.var("x_is_there") >= 1
    self.hypotheses.append(either(there, x.rest == 0))
    return replace(x, there=there)


def requirement(page: Page, letters: Mapping[str, Any]) -> tuple[Bool, ...]:
    """Under what the result is what the page ensures, where it says so."""
    function = getattr(page.module, "requires", None)
    if function is None:
        return ()
    said = said_by(page, "requires", letters)
    if said.placement != "replicate":
        raise Apart(f"what is required, {said!r}, is not the same on all ranks")
    return tuple(loops.conjuncts(said.value))


def letters_of(function: Any) -> Sequence[str]:
    """What a formula of the page asks for."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [name for name in names if name in LETTERS]


def followed(self: Reading, page: Page, letters: Mapping[str, Any], had: list[Any]) -> Any:
    """What the text returns, played with its exchanges' promises."""
    going, answer = text(page, **letters), None
    try:
        while True:
            exchange = going.send(answer)
            had.append(exchange)
            answer = self.answer(exchange)
    except StopIteration as end:
        return end.value


def parameters(self: Reading, page: Page, choice: Mapping[str, Any]) -> Any:
    """The page's parameters: letters for whole numbers."""
    if not hasattr(page.module, "Params"):
        return None
    kinds = get_type_hints(page.module.Params, include_extras=True)
    made = {name: choice[name] if name in choice else parameter(self, name, kinds[name], page) for name in kinds}
    return page.module.Params(**made)


def parameter(self: Reading, name: str, kind: Any, page: Page) -> Any:
    """A letter in its domain for a whole number; else what the page has."""
    if kind is not int and (get_origin(kind) is not Annotated or get_args(kind)[0] is not int):
        return page.params[name]
    letter = self.fresh(f"{PARAMETER}{name}", "replicate")
    if get_origin(kind) is Annotated:
        least, most = domain(kind)
        self.hypotheses += [letter.rest >= least, *([] if most is None else [letter.rest <= most])]
    return letter


def begun(self: Reading, page: Page, placements: Mapping[str, str], letters: Mapping[str, Any], *, first: bool) -> Any:
    """The state before a call."""
    if not hasattr(page.module, "State"):
        return None
    start = begins(page)
    if first:
        return at_points(self, start, whole=False)
    fresh = {name: self.fresh(f"state_{name}", placements[name]) for name in start._fields}
    fresh |= {name: replace(fresh[name], cuts="bounds") for name in regions_of(page)}
    state = start._replace(**fresh)
    return said_by(page, "told", {**letters, "state": state}) if hasattr(page.module, "told") else state


def regions_of(page: Page) -> Sequence[str]:
    """The parts of the state that say where regions begin."""
    kinds = get_type_hints(page.module.State) if hasattr(page.module, "State") else {}
    return [name for name, kind in kinds.items() if kind is Regions]


def at_points(self: Reading, state: Any, *, whole: bool = True) -> Any:
    """A state whose numbers are points, too; raises Refuted where a part of a ``whole`` one is not set."""
    if state is None:
        return None
    for value in state if whole else ():
        if isinstance(value, Unset):
            raise Apart(f"a call ends before it has set {value.name}")
    numbers = {name: v for name, v in state._asdict().items() if isinstance(v, int) or v is NOTHING}
    return state._replace(**{name: point(self, v) for name, v in numbers.items()})


def remembered(page: Page, choice: Mapping[str, Any], *, alone: bool) -> Mapping[str, str] | None:
    """Where each part of the state is: found by induction over calls, from what the first one leaves on.

    None where there is no state, and calls are all alike.
    """
    if not hasattr(page.module, "State"):
        return {} if "call" in asked(page) else None
    order = ("replicate", "shard", "partial")
    placements = dict.fromkeys(page.module.State._fields, "replicate")
    for first in (True, *[False] * (2 * len(placements) + 1)):
        found = dict(placements)
        for path in branches(page, choice, placements, alone=alone, first=first):
            for name in placements if path.after is not None else ():
                place = getattr(getattr(path.after, name), "placement", "replicate")
                found[name] = max(found[name], place, key=order.index)
        if not first and found == placements:
            return placements
        placements = found
    return placements
