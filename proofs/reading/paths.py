"""Every path of a composition's text, read on points: with one rank and with more, in the first call and in later ones.

The text is the one that runs.  A branch on what all ranks share is read on both sides, each under its condition; one on
a rank's own condition is refused, since ranks would part ways.  An exchange gives what the theorem of its page says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from sparring.errors import Refuted, Undecided
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.values import PARAMETER
from sparring.proofs.reading import loops
from sparring.proofs.reading.exchange_promises import answer
from sparring.proofs.reading.loops import Loop
from sparring.proofs.reading.points import Apart, Point, point
from sparring.proofs.reading.symbols import Reading
from sparring.spec.core.calling import domain
from sparring.spec.core.compositions import LETTERS, Ending, asked, ending, text
from sparring.spec.core.compositions import begun as begins
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Sym, either, negate
from sparring.spec.core.regions import Regions
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.vectors import Unset

MOST_PATHS = 64
One = TypeVar("One")


class Path(NamedTuple):
    """One way through the text: its conditions, its result and its exchanges.

    ``before`` and ``after`` are the state.  ``refused`` says why no rank can go this way; then the rest is empty.
    """

    name: str
    alone: bool
    """Whether there is only one rank."""
    poisoned: bool
    """Whether the text's tests for being a number all fail."""
    hypotheses: tuple[Bool, ...]
    given: Any
    ended: Ending
    ensured: Any
    before: Any
    after: Any
    exchanges: Sequence[Any]
    same: Sequence[Obligation]
    """The obligations that letters taken for one another have equal arguments."""
    called: frozenset[str]
    """The local functions that the text has called."""
    refused: str = ""
    unread: str = ""
    """Why the path cannot be read, though ranks may well be able to go it."""
    leaves: Mapping[str, Any] = {}
    """What the page says of its state after the call."""
    linear: frozenset[Callable[..., Any]] = frozenset()
    """The local functions that sums have passed through."""
    loops: Sequence[Loop] = ()
    required: tuple[Bool, ...] = ()
    """The conditions under which the result is what the page ensures."""
    barred: bool = False
    """Whether these conditions cannot hold on this path."""


def paths(page: Page) -> Iterator[Path]:
    """Yield every path of the page's text: with one rank and with more, in its first call and in later ones.

    Whole-number parameters are letters, so that proofs hold for all their values; each word that is allowed is tried.
    """
    for choice in choices(page):
        for alone in (False, True):
            placements = remembered(page, choice, alone=alone)
            for first in (True, False) if placements is not None else (True,):
                yield from branches(page, choice, placements or {}, alone=alone, first=first)
        if getattr(page.module, "recovers", False):
            yield from branches(page, choice, placements or {}, alone=False, first=placements is None, poisoned=True)


def choices(page: Page) -> Iterator[Mapping[str, Any]]:
    """Yield all combinations of values of the parameters that are one of a few words."""
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
    """Yield all paths of one call."""

    def path(decisions: list[bool]) -> Path:
        reading = Reading(alone, poisoned, decisions=decisions)
        return once(reading, page, choice, placements, first=first)

    return on_both_sides(page, path)


def on_both_sides(page: Page, one: Callable[[list[bool]], One]) -> Iterator[One]:
    """Yield ``one`` for all combinations of decisions at branches.

    After each, go back to the last branch of which one side has not been read.
    """
    decisions: list[bool] = []
    for _ in range(MOST_PATHS):
        yield one(decisions)
        while decisions and not decisions[-1]:
            decisions.pop()
        if not decisions:
            return
        decisions[-1] = False
    raise Undecided(f"{page.name}: program has more than {MOST_PATHS} paths")


def once(self: Reading, page: Page, choice: Mapping[str, Any], placements: Mapping[str, str], *, first: bool) -> Path:
    """Return one path."""
    letters = {
        "x": entering(self, page),
        "r": self.fresh("r", "partial"),
        "params": parameters(self, page, choice),
        "p": 1 if self.alone else Point(self, "replicate", self.p),
        "selector": page.selector,
        "call": point(self, 0) if first else self.fresh("call", "replicate"),
    }
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
    """Return what a formula of the page says of a call."""
    formula = getattr(page.module, function)
    return formula(**{name: letters[name] for name in letters_of(formula)})


def entering(self: Reading, page: Page) -> Point:
    """Return a rank's vector; on a page that selects, absent entries are 0."""
    x = self.fresh("x", "partial")
    if not page.selecting:
        return x
    there = Sym.var("x_is_there") >= 1
    self.hypotheses.append(either(there, x.rest == 0))
    return replace(x, there=there)


def requirement(page: Page, letters: Mapping[str, Any]) -> tuple[Bool, ...]:
    """Return the conditions under which the result is what the page ensures; empty if it states none."""
    function = getattr(page.module, "requires", None)
    if function is None:
        return ()
    said = said_by(page, "requires", letters)
    if getattr(said, "placement", "replicate") != "replicate":
        raise Apart(f"what is required, {said!r}, is not the same on all ranks")
    return tuple(loops.conjuncts(getattr(said, "value", said)))  # of p and parameters alone it is no point


def letters_of(function: Any) -> Sequence[str]:
    """Return the names of the letters that a formula of the page asks for."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [name for name in names if name in LETTERS]


def followed(self: Reading, page: Page, letters: Mapping[str, Any], had: list[Any]) -> Any:
    """Return the text's result, answering each exchange by what it promises."""
    going, got = text(page, **letters), None
    try:
        while True:
            exchange = going.send(got)
            had.append(exchange)
            got = answer(self, exchange)
    except StopIteration as end:
        return end.value


def parameters(self: Reading, page: Page, choice: Mapping[str, Any]) -> Any:
    """Return the page's parameters, with letters for whole numbers."""
    if not hasattr(page.module, "Params"):
        return None
    kinds = get_type_hints(page.module.Params, include_extras=True)
    made = {name: choice[name] if name in choice else parameter(self, name, kinds[name], page) for name in kinds}
    return page.module.Params(**made)


def parameter(self: Reading, name: str, kind: Any, page: Page) -> Any:
    """Return a letter in its domain for a whole number, else the page's own value."""
    if kind is not int and (get_origin(kind) is not Annotated or get_args(kind)[0] is not int):
        return page.params[name]
    letter = self.fresh(f"{PARAMETER}{name}", "replicate")
    if get_origin(kind) is Annotated:
        least, most = domain(kind)
        self.hypotheses += [letter.rest >= least, *([] if most is None else [letter.rest <= most])]
    return letter


def begun(self: Reading, page: Page, placements: Mapping[str, str], letters: Mapping[str, Any], *, first: bool) -> Any:
    """Return the state before a call."""
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
    """Return the names of the parts of the state that say where regions begin."""
    kinds = get_type_hints(page.module.State) if hasattr(page.module, "State") else {}
    return [name for name, kind in kinds.items() if kind is Regions]


def at_points(self: Reading, state: Any, *, whole: bool = True) -> Any:
    """Return a state whose numbers are points, too; raise Apart where a part of a ``whole`` one is not set."""
    if state is None:
        return None
    for value in state if whole else ():
        if isinstance(value, Unset):
            raise Apart(f"a call ends before it has set {value.name}")
    numbers = {name: v for name, v in state._asdict().items() if isinstance(v, int) or v is NOTHING}
    return state._replace(**{name: point(self, v) for name, v in numbers.items()})


def remembered(page: Page, choice: Mapping[str, Any], *, alone: bool) -> Mapping[str, str] | None:
    """Return the placement of each part of the state, found by induction over calls from the first one on.

    None where there is no state and all calls are alike.
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
