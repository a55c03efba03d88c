"""Runs of pages with formulas: these say who sends what, the runner does the sending.

All sends of a step read the state before it.  Whatever makes no schedule (a peer or a chunk
out of range, a message to oneself, a receiver that listens elsewhere) is a
:class:`~sparring.errors.ScheduleFault` that names the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, reduce
from itertools import pairwise
from typing import Any, NamedTuple

from sparring.errors import InputError, ScheduleFault
from sparring.spec.core.blocks import Chunks
from sparring.spec.core.local_selection import entering
from sparring.spec.core.model import Page, bound, list_words
from sparring.spec.core.schedule import number, places, step_sends, truth
from sparring.spec.core.selectors import Selector
from sparring.spec.core.sparse import SparseVector, every, strung, taken, total, width
from sparring.spec.core.vector_parts import Places, copy, part, plain, plus, put


class Message(NamedTuple):
    """What one rank sends in one step: the entries of one chunk, a part of a vector or a whole list; or of a block.

    The entries of a block's lists or chunks are one after the other, so that indices ascend list by list.
    """

    src: int
    dst: int
    entries: Any


class Step(NamedTuple):
    """One step: its number, the messages by sender, every rank's vector after it."""

    t: int
    wire: list[Message]
    states: list[Any]


class Run:
    """A run of ``page`` on one vector a rank; iterating yields a :class:`Step` after each step.

    ``trace``: the messages of every step; ``results``: every rank's vector at the end, with
    -0.0 turned into +0.0.  Both are computed once, on first use.
    """

    def __init__(self, page: Page, xs: Sequence[Any]) -> None:
        if not xs:
            raise InputError("no ranks: run needs one vector a rank, at least one")
        lengths = [len(x) for x in xs]
        if len(set(lengths)) > 1:
            r = next(r for r, n in enumerate(lengths) if n != lengths[0])
            raise InputError(f"rank {r} has {lengths[r]} entries, rank 0 has {lengths[0]}: all vectors need one length")
        self.page, self.xs = page, xs

    def __iter__(self) -> Iterator[Step]:
        for t, wire, states in self._steps([copy(x) for x in self.xs]):
            yield Step(t, wire, [copy(x) for x in states])

    @cached_property
    def trace(self) -> list[list[Message]]:
        return self._ran[0]

    @cached_property
    def results(self) -> list[Any]:
        return list(self._ran[1])

    @property
    def residuals(self) -> list[SparseVector]:
        """By rank, what was not sent: of pages that select, empty of others."""
        return []

    @property
    def apart(self) -> list[int]:
        """By rank, the most bytes of what it tells others apart from messages: empty of pages of formulas."""
        return []

    @property
    def state(self) -> Any:
        """What the next call of a composition or of a selector begins with; None of other pages."""
        return None

    @cached_property
    def _ran(self) -> tuple[list[list[Message]], Any]:
        state = [copy(x) for x in self.xs]
        trace = [wire for _, wire, _ in self._steps(state)]
        return trace, [plain(x) for x in state]

    def _steps(self, state: list[Any]) -> Iterator[Step]:
        page, p, n = self.page, len(state), len(state[0])
        steps, chunks = number(page.steps(p)), number(page.chunks(p))
        if steps < 0:
            raise ScheduleFault(p, None, f"steps({p}) = {steps}; a page has at least 0 steps")
        cut_of = cache(lambda some: self._places(some, n, chunks))
        for t in range(steps):
            sends = step_sends(page, t, p)
            cuts = [cut_of(some) for _, _, some in sends]
            wire = [Message(r, d, self._sent(state, r, cut, t)) for (r, d, _), cut in zip(sends, cuts)]
            adds = truth(page.adds(t, p))
            came: dict[tuple[int, Chunks], tuple[Places, list[Message]]] = {}  # by receiver and chunks
            for (_, d, c), message, cut in zip(sends, wire, cuts):
                came.setdefault((d, c), (cut, []))[1].append(message)
            for (d, _), (cut, got) in came.items():
                put(state[d], cut, summed(got, Message(d, d, part(state[d], cut))) if adds else got[0].entries)
                if adds:
                    self._added(state, d, cut)
            yield Step(t, wire, state)

    def _places(self, some: Chunks, n: int, chunks: int) -> Places:
        """Where chunks lie in a vector of ``n`` entries."""
        return places(some, n, chunks)

    def _sent(self, state: list[Any], r: int, cut: Places, t: int) -> Any:
        """What rank ``r`` sends of its state in step ``t``."""
        return copy(part(state[r], cut))

    def _added(self, state: list[Any], r: int, cut: Places) -> None:
        """Something was added there to rank ``r``'s state."""


class ListRun(Run):
    """A run of a page whose chunks are lists: cell ``c`` of a rank's state is its copy of rank ``c``'s list.

    A message's entries are a SparseVector, of a block all lists' one after the other; ``results`` are
    sums, in the class of the inputs.
    """

    def __init__(self, page: Page, xs: Sequence[Any]) -> None:
        for r, x in enumerate(xs):
            if not hasattr(x, "indices"):
                raise InputError(f"rank {r} has a {type(x).__name__}: {page.name} takes sparring.Sparse")
            if x.n != xs[0].n:
                raise InputError(f"rank {r} has n={x.n}, rank 0 has n={xs[0].n}: all vectors need one length")
        self.given, p = xs, len(xs)
        lists = [taken(x) for x in xs]
        super().__init__(page, [[begun(page, lists, r, c) for c in range(p)] for r in range(p)])

    def _steps(self, state: list[Any]) -> Iterator[Step]:
        for t, wire, states in super()._steps(state):
            yield Step(t, [m._replace(entries=strung(m.entries, self.given[0].n)) for m in wire], states)

    @cached_property
    def results(self) -> list[Any]:
        rows = [tuple(map(id, row)) for row in self._ran[1]]
        alike = dict(zip(rows, self._ran[1]))  # ranks with the same lists share a sum
        sums = {key: total(row) for key, row in alike.items()}
        return [x.having(sums[key].indices, sums[key].values) for x, key in zip(self.given, rows)]


class PieceRun(Run):
    """A run of a page whose chunks are pieces of sparse vectors: cell ``c`` of a rank's state is its chunk ``c``.

    A message's entries are a SparseVector, indices counted from where the chunk begins; of a block
    all chunks' one after the other.  A vector that is not sparse is taken with all its entries.

    ``results``: for sparse vectors in their class, else a SparseVector.  ``residuals``: by rank, what stays behind.
    ``wide``: the bytes of a value, where the vectors do not say it.
    """

    def __init__(self, page: Page, xs: Sequence[Any], wide: int | None = None) -> None:
        self.given, p, whole = xs, len(xs), vectors(xs)
        self.whole, self.width = whole, wide or (width(xs[0]) if xs else 0)
        self.n = whole[0].n if xs else 0
        chunks = number(page.chunks(p))
        self.bounds = [number(bound(c, self.n, chunks)) for c in range(chunks + 1)]
        super().__init__(page, [[x.piece(*cut) for cut in pairwise(self.bounds)] for x in whole])

    def _steps(self, state: list[Any]) -> Iterator[Step]:
        page, p = self.page, len(state)
        self.cut = [SparseVector((), (), self.n)] * p
        for r, row in enumerate(state):
            self._cut(page.selects, state, r, slice(0, len(row)))
        for t, wire, states in super()._steps(state):
            yield Step(t, [m._replace(entries=strung(m.entries, sum(x.n for x in m.entries))) for m in wire], states)
        for r, row in enumerate(state):
            self._sent(state, r, slice(0, len(row)), number(page.steps(p)))

    def _sent(self, state: list[Any], r: int, cut: Places, t: int) -> Any:
        return self._cut(lambda x, c, *at: self.page.sends(x, c, t, *at), state, r, cut)

    def _added(self, state: list[Any], r: int, cut: Places) -> None:
        self._cut(self.page.keeps, state, r, cut)

    def _cut(self, takes: Callable[..., SparseVector], state: list[Any], r: int, cut: Places) -> list[SparseVector]:
        """From now on rank ``r`` has of these chunks what ``takes`` makes of them; the rest it has cut."""
        some = range(len(state[r]))[cut] if isinstance(cut, slice) else cut
        for c in some:
            x = state[r][c]
            if (part := takes(x, c, len(state), self.n, self.width)) is not x:
                self.cut[r] += x.without(part).within(self.bounds[c], self.n)
                state[r][c] = part
        return [state[r][c] for c in some]

    @cached_property
    def _sums(self) -> list[SparseVector]:
        return [total([x.within(b, self.n) for x, b in zip(row, self.bounds)]) for row in self._ran[1]]

    @cached_property
    def results(self) -> list[Any]:
        return [x.having(y.indices, y.values) if hasattr(x, "having") else y for x, y in zip(self.given, self._sums)]

    @property
    def residuals(self) -> list[SparseVector]:
        sums = self._sums  # running leaves behind what is cut
        return [self.page.left(x, cut, y) for x, cut, y in zip(self.whole, self.cut, sums)]


class LocalRun(Run):
    """A run of a page that selects, on what the page's selector takes of each rank's vector; see ``spec.core.local``.

    ``residuals``: what the selector left out and what the page leaves behind; ``state``: by rank the selector's.
    """

    def __init__(self, page: Page, selector: Selector, xs: Sequence[Any], state: Any = None) -> None:
        self.entered = entering(selector, xs, state)
        super().__init__(page, xs)
        self.inner = PieceRun(replace(page, selector=None), self.entered.xs)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.inner)

    @cached_property
    def _ran(self) -> tuple[list[list[Message]], Any]:
        return self.inner.trace, self.inner.results

    @cached_property
    def _left(self) -> list[SparseVector]:
        return [rest + left for rest, left in zip(self.entered.left, self.inner.residuals)]

    @property
    def residuals(self) -> list[SparseVector]:
        return [*self._left]

    @property
    def state(self) -> Any:
        return self.entered.states


def vectors(xs: Sequence[Any]) -> list[SparseVector]:
    """Vectors as they are, or with all their entries; raises InputError unless all have one length."""
    whole = [taken(x) if hasattr(x, "indices") else every(x) for x in xs]
    for r, x in enumerate(whole):
        if x.n != whole[0].n:
            raise InputError(f"rank {r} has n={x.n}, rank 0 has n={whole[0].n}: all vectors need one length")
    return whole


def begun(page: Page, lists: Sequence[SparseVector], r: int, c: int) -> SparseVector:
    """What rank ``r`` has of list ``c`` before the first step."""
    p, empty = len(lists), lists[c]._replace(indices=(), values=())
    return sum((lists[q] for q in range(p) if truth(page.start(q, r, c, p))), empty)


RUNS: dict[str, type[Run]] = {"vector": Run, "lists": ListRun}


def worded(page: Page, entries: Any, w: int) -> int:
    """The words of a message: its values, of ``w`` bytes, and their indices unless these go without."""
    if not isinstance(entries, SparseVector):
        return len(entries)
    m = len(entries.indices)
    return m if page.encoded(m, entries.n, w) == "values" else number(list_words(m))


def summed(got: Sequence[Message], own: Message) -> Any:
    """A rank's own copy of a chunk and the messages that are added to it.

    One message comes first, then the copy; of several, all are added in the order of their ranks.
    """
    parts = [*got, own] if len(got) == 1 else sorted([*got, own], key=lambda message: message.src)
    return reduce(plus, (message.entries for message in parts))
