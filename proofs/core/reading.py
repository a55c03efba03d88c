"""A composition's text, read on points: every path of it, with what its exchanges promise.

The text is the one that runs.  A branch on what all ranks share is read on both sides, each under its condition; one on
a rank's own condition is refused, since ranks would part ways.  An exchange gives what the theorem of its page says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from sparring.errors import Undecided
from sparring.proofs.core.obligations import Obligation, iff, p
from sparring.proofs.core.points import Apart, Condition, Point, lowest, nonzero, parts, point
from sparring.proofs.core.symbolic import Z3Reader
from sparring.spec.core.calling import domain
from sparring.spec.core.compositions import LETTERS, Ending, asked, ending, text
from sparring.spec.core.links import Collected, Handed
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Sym, negate, variables
from sparring.spec.core.sparse import NOTHING

MOST_PATHS = 64


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
    same: list[Obligation] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
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
        return self.named(name, args, entrywise=getattr(function, "entrywise", False))

    def named(self, name: str, args: Any, *, entrywise: bool = False, placement: str = "") -> Point:
        """The letter of this name; a function of whole vectors is another one of a chunk than of all of it."""
        some = [*parts(args)]
        where, owner = lowest(*some)
        where = placement or where
        shape = (name, "own" if where in ("partial", "arrived") else "*", "" if entrywise else where, form(args))
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
        return self.version(to, links, packet, call, own) == call

    # -- branches

    @property
    def box(self) -> tuple[Bool, ...]:
        return (self.p >= 1,) if self.alone else (self.p >= 2,)

    def sure(self, claim: Bool) -> bool:
        """Whether it follows from what is known."""
        try:
            reader = Z3Reader([*self.box, *self.hypotheses], self.p)
            return reader.sure(reader(claim))
        except Undecided:
            return False

    def decides(self, value: Bool) -> bool:
        """The side of a branch that this reading goes to."""
        if isinstance(value, bool):
            return value
        if (key := repr(value)) in self.known:
            return self.known[key]
        if self.sure(value) or self.sure(negate(value)):
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
            if one.name != "x":
                self.shared(type(exchange).__name__, one.name, getattr(exchange, one.name))
        rule = RULES.get(type(exchange).__name__)
        if rule is None:
            raise Undecided(f"nothing is known of the exchange {type(exchange).__name__}")
        return rule(self, exchange)

    def shared(self, what: str, term: str, value: Any) -> None:
        """Raises Apart where ranks have terms of their own."""
        for one in parts(value):
            if one.placement != "replicate":
                raise Apart(f"{what}({term}={one!r}): ranks yield exchanges with different terms")


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
    return Point(self, "shard", 0, x.rest, owner=f"bounds {e.bounds!r}" if present(e.bounds) else "chunks")


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
    if isinstance(e.x, int):
        return self.named("all ranks' apart", (e.x,), placement="replicate")
    return self.named("all ranks' apart", (*parts(e.x),), placement="replicate")


def collected(self: Reading, e: Any) -> Any:
    """A sender's entry of this call where its packet is; of another call it may be anything."""
    x = own("collect", point(self, e.x))
    version = self.version("owner", e.links, e.packet, e.call, e.own)
    entry = (version == e.call).chooses(x, self.fresh("late_copy", "partial"))
    of_sender = {"placement": "arrived", "owner": ""}
    return Collected(replace(version, **of_sender), replace(self.owns(), **of_sender), replace(entry, **of_sender))


def handed(self: Reading, e: Any) -> Any:
    """The owner's entry of this call where its packet is; of another call it may be anything."""
    x = point(self, e.x)
    if x.placement != "shard":
        raise Apart("hand of what is not the owner's: ranks' pieces do not make one vector")
    version = self.version("rank", e.links, e.packet, e.call, own=True)
    entry = (version == e.call).chooses(x.owned(), self.fresh("late_news", "partial"))
    return Handed(version, entry, self.named("versions of packets", (e.links, e.packet, e.call), placement="partial"))


RULES: dict[str, Callable[[Reading, Any], Any]] = {
    "ReduceScatter": reduce_scatter,
    "Allgather": allgather,
    "Allreduce": allreduce,
    "Gather": gathered,
    "Apart": of_apart,
    "Collect": collected,
    "Hand": handed,
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
        "x": self.fresh("x", "partial"), "r": self.fresh("r", "partial"), "params": parameters(self, page, choice),
        "p": 1 if self.alone else Point(self, "replicate", self.p),
        "call": 0 if first else self.fresh("call", "replicate"),
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
        ensured = said_by(page, "ensures", letters)
        leaves = said_by(page, "leaves", letters) if hasattr(page.module, "leaves") else {}
    except (Apart, Undecided) as why:
        ended, ensured, leaves, told = nothing, None, {}, str(why)
        refused, unread = (told, "") if isinstance(why, Apart) else ("", told)
    else:
        refused = unread = ""
    return Path(name, self.alone, self.poisoned, (*self.box, *self.hypotheses), letters, ended, ensured, before,
                at_points(self, ended.state), had, self.same, frozenset(self.called), refused, unread, leaves)  # fmt: skip


def said_by(page: Page, function: str, letters: Mapping[str, Any]) -> Any:
    """What a formula of the page says of a call."""
    formula = getattr(page.module, function)
    return formula(**{name: letters[name] for name in letters_of(formula)})


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
    if kind is not int and get_origin(kind) is not Annotated:
        return page.params[name]
    letter = self.fresh(f"param_{name}", "replicate")
    if get_origin(kind) is Annotated:
        least, most = domain(kind)
        self.hypotheses += [letter.rest >= least, *([] if most is None else [letter.rest <= most])]
    return letter


def begun(
    self: Reading, page: Page, placements: Mapping[str, str], letters: Mapping[str, Any], *, first: bool
) -> Any:
    """The state before a call."""
    if not hasattr(page.module, "State"):
        return None
    start = page.module.State()
    if first:
        return at_points(self, start)
    state = start._replace(**{name: self.fresh(f"state_{name}", placements[name]) for name in start._fields})
    return said_by(page, "told", {**letters, "state": state}) if hasattr(page.module, "told") else state


def at_points(self: Reading, state: Any) -> Any:
    """A state whose numbers are points, too."""
    if state is None:
        return None
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
