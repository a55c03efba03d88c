"""Ways through a composition's text, read on lengths: what its exchanges send, and how long that is.

The text is the one that runs; an exchange gives a vector of the length that its page's theorem says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import n, p
from sparring.proofs.reading.lengths import Extent, Number, Reading, call, extents, is_record, k, lengths, r
from sparring.proofs.reading.paths import on_both_sides
from sparring.spec.core.compositions import asked, own, text
from sparring.spec.core.exchanges import Exchange, served
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.rounds import Rounds
from sparring.spec.core.selectors import Selector
from sparring.spec.library.lossy_links import Collected, Handed

CALLS = 8
"""So many calls after the first may have vectors of other lengths in their states, before these are too many."""


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


def unsized_code(code: Any) -> str:
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
    """All ways of one call."""

    def way(decisions: list[bool]) -> Way:
        return once(Reading(decisions, selecting=page.selecting), page, state, first=first)

    return on_both_sides(page, way)


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
    returned = read(self, self.text, had)
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


def answer(self: Reading, e: Exchange, had: list[Sent]) -> Any:
    """What an exchange gives, or rounds of one; what it sends is noted."""
    if isinstance(e, Rounds):
        return in_rounds(self, e, had)
    name = type(e).__name__
    if name not in RULES:
        raise Undecided(f"nothing is known of the lengths of the exchange {name}")
    result, sent = RULES[name](self, e)
    even = name == "Balance" or getattr(e.x, "even", True)  # which deals out what one rank may have
    had += [Sent(name, e.through, lengths(e.code), sent[0], sent[1], e, even)] if sent else []
    return result


def in_rounds(self: Reading, e: Rounds, had: list[Sent]) -> Any:
    """What any round gives, which has to be as long as what it begins with; what it sends is noted so often."""
    often, begins = lengths(e.many), tuple(Number(self) if isinstance(x, Number) else x for x in e.carried)
    each: list[Sent] = []
    ends = read(self, e.one(Number(self), *begins, *e.given), each)
    if often is None or [*map(repr, extents(ends))] != [*map(repr, extents(begins))]:
        raise Undecided("rounds are not told how many they are, or change how long vectors are")
    had += [one._replace(times=one.times * often) for one in each]
    return ends


def read(self: Reading, going: Any, had: list[Sent]) -> Any:
    """What a text returns; what its exchanges send is noted."""
    got = None
    try:
        while True:
            got = answer(self, going.send(got), had)
    except StopIteration as end:
        return end.value


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
