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
from sparring.spec.core.grids import Axis
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Evaluator, Int, variables
from sparring.spec.core.origins import sparrings
from sparring.spec.core.rounds import Rounds
from sparring.spec.core.selectors import Selector
from sparring.spec.library.lossy_links import Collected, Handed

CALLS = 8
"""The most calls after the first that may bring states with vectors of new lengths, before these are too many."""


class Sent(NamedTuple):
    """One exchange, and the length of what it sends.

    It sends a vector of ``length`` entries that is cut into chunks, or, if ``whole``, one such vector of each rank.
    """

    exchange: str
    through: str
    code: Any
    length: Int
    whole: bool
    asked: Any
    """The exchange as it was asked for."""
    even: bool = True
    """Whether pieces are as long as chunks; else one rank may have all."""
    times: Int = 1
    """How often it is sent: the number of rounds."""
    among: Axis | None = None
    """The axis along which ranks meet, with numbers or terms for its sides; None where all meet."""

    @property
    def same(self) -> tuple[str, ...]:
        """The values that distinguish this exchange from another."""
        return (
            self.exchange,
            self.through,
            repr(self.code),
            repr(self.length),
            repr(self.whole),
            repr(self.times),
            repr(self.among),
        )


def unsized_code(code: Any) -> str:
    """Return a sentence that says why the bytes of messages in this code are not known; empty where they are."""
    why = f"the code {type(code).__name__} has no method octets(c, width), which says how many bytes c entries take"
    return "" if hasattr(code, "octets") else why


PIECES = ("Allgather", "Balance", "Hand")
"""Exchanges to which each rank brings its chunk."""


class Way(NamedTuple):
    """One way through the text: ``sides``, which says for each condition whether it holds, and what is sent."""

    first: bool
    sides: Sequence[tuple[str, bool]]
    unknown: frozenset[str]
    """Those of the conditions that entries decide."""
    hypotheses: Sequence[Bool]
    sent: Sequence[Sent]
    after: Any

    @property
    def name(self) -> str:
        """The name of the calls that go this way."""
        told = [text for text, side in self.sides if side]
        when = f"calls where {' and '.join(told)}" if told else "a usual call"
        return "the first call" + (f" where {' and '.join(told)}" if told else "") if self.first else when


def ways(page: Page) -> list[Way]:
    """Return all ways through the text with more than one rank, in the first call and in later ones.

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
    """Return one way of all that take the same sides and send the same."""
    kept = {(one.first, tuple(one.sides), tuple(sent.same for sent in one.sent)): one for one in reversed(found)}
    return [*reversed(kept.values())]


def begun(page: Page) -> Any:
    """Return the state before the first call."""
    return page.module.State() if hasattr(page.module, "State") else None


def branches(page: Page, state: Any, *, first: bool) -> Iterator[Way]:
    """Yield all ways of one call."""

    def way(decisions: list[bool]) -> Way:
        return once(Reading(decisions, selecting=page.selecting), page, state, first=first)

    return on_both_sides(page, way)


def once(self: Reading, page: Page, state: Any, *, first: bool) -> Way:
    """Return one way."""
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
    """Return the selector, with a letter for how many entries it aims at."""
    return selector and replace(selector, params={**selector.params, "k": k})


def moved(self: Reading, x: Any) -> Any:
    """Return the remembered state as a part of this reading."""
    if isinstance(x, Extent):
        return replace(x, reading=self)
    if isinstance(x, Number):
        return Number(self, x.value)
    if is_record(x):
        return x._replace(**{name: moved(self, getattr(x, name)) for name in x._fields})
    return Number(self, x) if isinstance(x, int) else x


def parameters(self: Reading, page: Page) -> Any:
    """Return the page's parameters: their values, and a letter for ``k``."""
    return own(page, **({"k": Number(self, k)} if "k" in page.params else {}))


def usual(found: Sequence[Way]) -> Way:
    """Return the way of a usual call: a later one that takes no branch which the number of the call decides.

    Where entries decide a branch, it is the side with more exchanges.
    """

    def order(way: Way) -> tuple[list[bool], int]:
        return [side for text, side in way.sides if text not in way.unknown], -len(way.sent)

    return min((one for one in found if not one.first), key=order)


def of_ranks(found: Sequence[Way], ranks: int) -> Way:
    """Return the usual way, or the one for which the number of ranks alone decides."""
    reads, later = Evaluator({"p": ranks}), (one for one in found if not one.first and not one.unknown)
    alone = (one for one in later if one.hypotheses and all(variables(each) <= {"p"} for each in one.hypotheses))
    return next((one for one in alone if all(map(reads, one.hypotheses))), usual(found))


def answer(self: Reading, e: Exchange, had: list[Sent]) -> Any:
    """Return the result of an exchange, or of rounds of one; add what it sends to ``had``."""
    if not sparrings(type(e)):  # whatever it is called
        raise Undecided(f"nothing is known of the lengths of the exchange {type(e).__name__}: it is not sparring's own")
    if isinstance(e, Rounds):
        return in_rounds(self, e, had)
    name = type(e).__name__
    rules = ALONG_AN_AXIS if e.among else RULES
    if name not in rules:
        where = " along an axis" if e.among else ""
        raise Undecided(f"nothing is known of the lengths of the exchange {name}{where}")
    result, sent = rules[name](self, e)
    even = name == "Balance" or getattr(e.x, "even", True)  # Balance deals out what one rank may have
    had += [Sent(name, e.through, lengths(e.code), *sent, e, even, among=lengths(e.among))] if sent else []
    return result


def in_rounds(self: Reading, e: Rounds, had: list[Sent]) -> Any:
    """Return the result of any round; add what one round sends to ``had``, times the number of rounds.

    The result has to be as long as what the round begins with.
    """
    often, begins = lengths(e.many), tuple(Number(self) if isinstance(x, Number) else x for x in e.carried)
    each: list[Sent] = []
    ends = read(self, e.one(Number(self), *begins, *e.given), each)
    if often is None or [*map(repr, extents(ends))] != [*map(repr, extents(begins))]:
        raise Undecided("rounds are not told how many they are, or change how long vectors are")
    had += [one._replace(times=one.times * often) for one in each]
    return ends


def read(self: Reading, going: Any, had: list[Sent]) -> Any:
    """Return the result of a text; add what its exchanges send to ``had``."""
    got = None
    try:
        while True:
            got = answer(self, going.send(got), had)
    except StopIteration as end:
        return end.value


Answer = tuple[Any, tuple[Int, Any] | None]
"""A vector or a number; and the length of what is sent, and whether it is sent whole or in chunks."""


def vector(self: Reading, x: Any) -> Extent:
    """Return a vector as it is, and a number that all ranks send as a vector of one entry."""
    return x if isinstance(x, Extent) else Extent(self, 1)


def reduce_scatter(self: Reading, e: Any) -> Answer:
    """Return the chunks and the length that is sent; each rank may have selected different entries."""
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
    """Return the result and the length that is sent.

    Of lists each rank sends at most as many entries as it takes; of pieces, some of which go dense, all may be sent.
    """
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
    """Return the mean and the part that the rank looked after, and the length that is sent."""
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
"""The rule of each exchange: the length of its result, and what it sends."""


def scattered(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return replace(x, chunk=True, cut=(*x.cut, e.among)), (x.piece, False)


def summed(self: Reading, e: Any) -> Answer:
    x = vector(self, e.x)
    return x, (x.piece, served(e.through).kind == "allgather")


def joined(self: Reading, e: Any) -> Answer:
    """Return what pieces make, which is sent, too; raise Undecided where they were not cut."""
    x = vector(self, e.x)
    if not x.cut:
        raise Undecided(f"pieces of {x!r} are put together, which was not cut along an axis")
    whole = replace(x, cut=x.cut[:-1], chunk=len(x.cut) > 1)
    return whole, (whole.piece, False)


ALONG_AN_AXIS: dict[str, Callable[[Reading, Any], Answer]] = {
    "ReduceScatter": scattered,
    "Allreduce": summed,
    "Allgather": joined,
}
"""The same of exchanges among groups: what is sent is the longest piece."""
