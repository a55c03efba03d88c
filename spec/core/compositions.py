"""Compositions: local code between exchanges, written as one rank's text and played by all ranks in lock step.

A page that is a composition has, in the place of formulas, a generator::

    def program(x, state, params):
        v = x + state.residual
        y = yield allreduce(v)
        return y, State(v - y)

It may ask for ``x``, the rank's vector; ``r``, its rank; ``p``, how many there are; ``call``, how many calls were
before; ``state``, what it returned as such in the call before, at first ``State()``, of which a part may be ``UNSET``
until a call sets it; ``params``; and ``selector``, the one that these name.  It returns the
result, what stays behind of the vector if the page selects entries, and the state if it has one.

A page whose next call begins as a first one, where its vector held what is no number, says ``recovers = True``.

A rank sees nothing but that and what its exchanges give it.  Ranks that yield different exchanges, or end while others
go on, part ways: that is a :class:`~sparring.errors.ScheduleFault` which names both lines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from sparring.errors import InputError, ScheduleFault
from sparring.spec.core.exchange_runs import Carried, Trace
from sparring.spec.core.exchanges import Apart, Exchange, carried
from sparring.spec.core.model import Page
from sparring.spec.core.runs import Run, Step, vectors
from sparring.spec.core.sparse import NOTHING, SparseVector, total
from sparring.spec.core.vector_parts import copy
from sparring.spec.core.vectors import Unset, Vector, rank_speaking

LETTERS = ("x", "r", "p", "call", "state", "params", "selector")
"""What a text may ask for."""


class Memory(NamedTuple):
    """What the next call begins with: ``call``, how many there were; by rank, the text's ``State``."""

    call: int
    ranks: Sequence[Any]

    def __getattr__(self, field: str) -> list[Any]:
        """By rank, what it has in a field of its state; empty where no rank has anything there."""
        if field.startswith("_") or not all(hasattr(one, field) for one in self.ranks):
            raise AttributeError(field)
        found = [getattr(one, field) for one in self.ranks]
        return [] if all(one is NOTHING for one in found) else found

    @property
    def fields(self) -> dict[str, list[Any]]:
        """All of it, field by field."""
        return {name: getattr(self, name) for name in getattr(self.ranks[0], "_fields", ())}


class Ending(NamedTuple):
    """What a rank's text returns: its result, what stays behind, its state."""

    result: Any
    residual: Any
    state: Any


Text = Generator[Exchange, Any, Any]


def begun(page: Page) -> Any:
    """The state before the first call; what is not set by then is told by its name."""
    if not hasattr(page.module, "State"):
        return None
    state = page.module.State()
    return state._replace(**{name: Unset(name) for name, v in state._asdict().items() if isinstance(v, Unset)})


def text(page: Page, **given: Any) -> Text:
    """One rank's text, begun; ``given``: by letter."""
    with rank_speaking():
        begun: Any = page.module.program(**{name: given[name] for name in asked(page)})
    return Speaking(begun if inspect.isgenerator(begun) else silent(begun))


class Speaking(Text):
    """A rank's text, which is refused what speaks of all ranks; it looks as the generator that it goes on with."""

    def __init__(self, going: Any) -> None:
        self.going = going

    def send(self, got: Any) -> Exchange:
        with rank_speaking():
            asked: Exchange = self.going.send(got)
        return asked

    def throw(self, *raised: Any) -> Exchange:
        with rank_speaking():
            asked: Exchange = self.going.throw(*raised)
        return asked

    def __getattr__(self, field: str) -> Any:
        return getattr(self.going, field)


def own(page: Page, **changed: Any) -> Any:
    """The page's ``Params``, without those of its selector; some of them may be ``changed``."""
    params: Any = getattr(page.module, "Params", None)
    return params and params(**{name: changed.get(name, page.params[name]) for name in params._fields})


def silent(value: Any) -> Text:
    """A text without exchanges."""
    yield from ()
    return value


def asked(page: Page) -> Sequence[str]:
    """For what the text asks; raises InputError for a letter that there is not."""
    names = tuple(inspect.signature(page.module.program).parameters)
    if strange := [name for name in names if name not in LETTERS]:
        raise InputError(f"page {page.name}: program asks for {strange[0]!r}; it may ask for {', '.join(LETTERS)}")
    return names


def ending(page: Page, returned: Any) -> Ending:
    """What was returned, by its names: a result, then what stays behind and the state, of pages that have these."""
    parts = [page.selecting, hasattr(page.module, "State")]
    many = returned if isinstance(returned, tuple) and not hasattr(returned, "_fields") else (returned,)
    if len(many) != 1 + sum(parts):
        raise InputError(f"page {page.name}: program returns {len(many)} things; it must return {1 + sum(parts)}")
    found = iter(many)
    return Ending(next(found), *(next(found) if has else None for has in parts))


Watch = Callable[[Sequence[Exchange], Carried], None]
"""Is told of each exchange, while the texts wait at it: what each rank brings, and what comes of it."""


def unwatched(each: Sequence[Exchange], carried: Carried) -> None:
    """Nobody watches."""


def played(page: Page, texts: Sequence[Text], watch: Watch = unwatched) -> tuple[list[Any], Trace]:
    """All ranks' texts in lock step: what each returns, and the messages of all exchanges."""
    p = len(texts)
    trace: Trace = []
    answers: list[Any] = [None] * p
    while True:
        asked, ends = [], []
        for r, one in enumerate(texts):
            try:
                asked.append((r, one.send(answers[r])))
            except StopIteration as end:
                ends.append((r, end.value))
        if not asked:
            return [value for _, value in ends], trace
        together(p, texts, asked, ends)
        each = [one for _, one in asked]
        found = carried(each)
        watch(each, found)
        answers, trace = found.results, trace + found.trace


def together(p: int, texts: Sequence[Text], asked: Sequence[tuple[int, Exchange]], ends: Sequence[Any]) -> None:
    """Raises ScheduleFault where not all ranks are at the same exchange."""
    if ends:
        here, gone = f"rank {asked[0][0]} is at {where(texts[asked[0][0]])}", f"rank {ends[0][0]} has ended"
        raise ScheduleFault(p, None, f"{here} and {gone}: ranks part ways")
    axis = asked[0][1].among
    firsts = {r: ranks[0] for ranks in axis.groups(p) for r in ranks} if axis else {}
    for s, other in asked:
        r = firsts.get(s, 0) if other.among == axis else 0
        if other.terms != asked[r][1].terms:
            here, there = (f"rank {q} yields {named(asked[q][1])} at {where(texts[q])}" for q in (r, s))
            raise ScheduleFault(p, None, f"{here}, {there}: ranks part ways")


def named(exchange: Exchange) -> str:
    """An exchange and its terms, in words."""
    name, *terms = exchange.terms
    return f"{name}({', '.join(map(repr, terms))})"


def where(one: Any) -> str:
    """The line at which a text waits, of the innermost generator."""
    while (inner := getattr(one, "gi_yieldfrom", None)) is not None and hasattr(inner, "gi_frame"):
        one = inner
    frame = one.gi_frame
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}" if frame else "its end"


class ComposedRun(Run):
    """A run of a composition, one call.

    What ranks know between two steps is their texts' own: a step's ``states`` are empty.  ``results``: by rank what the
    text returns, which need be no sum, nor alike.  ``state``: a :class:`Memory`, as the call before left it, None at
    first; after the run, what the next call begins with.
    """

    def __init__(self, page: Page, xs: Sequence[Any], state: Memory | None = None) -> None:
        self.given, self.before = xs, state
        super().__init__(page, xs if page.dense else [[x] for x in vectors(xs)])

    def __iter__(self) -> Any:
        return (Step(t, wire, []) for t, wire in enumerate(self.trace))

    @cached_property
    def _ran(self) -> tuple[Trace, list[Ending]]:
        return self._played[:2]

    @cached_property
    def _played(self) -> tuple[Trace, list[Ending], list[int]]:
        told = [0] * len(self.xs)

        def watch(each: Sequence[Exchange], _: Carried) -> None:
            for r, one in enumerate(each):
                told[r] += octets(one.x) if isinstance(one, Apart) else 0

        returned, trace = played(self.page, self.texts(), watch)
        return trace, [ending(self.page, one) for one in returned], told

    def texts(self) -> list[Text]:
        """All ranks' texts, begun."""
        page, p = self.page, len(self.xs)
        entries = [Vector.of(x) for x in self.xs] if page.dense else vectors(self.given)
        before = self.before or Memory(0, [begun(page)] * p)
        params = own(page)
        if hasattr(page.module, "checked"):
            page.module.checked(params)
        alike = {"p": p, "call": before.call, "params": params, "selector": page.selector}
        return [text(page, x=x, r=r, state=before.ranks[r], **alike) for r, x in enumerate(entries)]

    @cached_property
    def results(self) -> list[Any]:
        ys = [one.result for one in self._ran[1]]
        if self.page.dense:
            return [like(x, y) for x, y in zip(self.xs, ys)]
        held = [total([y]) for y in ys]
        return [x.having(y.indices, y.values) if hasattr(x, "having") else y for x, y in zip(self.given, held)]

    @property
    def apart(self) -> list[int]:
        return self._played[2]

    @property
    def residuals(self) -> list[SparseVector]:
        return [one.residual for one in self._ran[1]] if self.page.selecting else []

    @property
    def state(self) -> Memory:
        return Memory((self.before.call if self.before else 0) + 1, [one.state for one in self._ran[1]])


def octets(told: Any) -> int:
    """The most bytes of numbers, 8 each, and of masks, as their true places or a byte an entry."""
    if not isinstance(told, Vector | tuple | list):
        return 8 * (told is not False)
    return max(sum(map(octets, told)), len(told))


def like(x: Any, y: Vector) -> Any:
    """Entries in a vector of ``x``'s class."""
    z = copy(x)
    z[:] = [*y]
    return z
