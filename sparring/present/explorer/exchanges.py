"""Exchanges of a composition as stages of an explorer's document: by which page, and what goes with each message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

from msgspec.structs import replace

from sparring.present.explorer import averages, losses, sparse_runs
from sparring.present.explorer.contents import cell, detail, goal, start
from sparring.present.explorer.document import Cell, Detail, Message, Stage, Step
from sparring.present.explorer.letters import lettered
from sparring.spec.core import runs
from sparring.spec.core.exchange_runs import Carried, bounds, extent
from sparring.spec.core.exchanges import Allreduce, Exchange
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector
from sparring.spec.library.group_average import Averaging
from sparring.spec.library.lossy_links import Lossy
from sparring.spec.library.sparse_allreduce import SparseAllreduce


class Meeting(NamedTuple):
    """An exchange of a run: what each rank brings, what comes of it; the page that counts its bytes, and of a value."""

    each: Sequence[Any]
    carried: Carried
    page: Page
    width: int

    @property
    def first(self) -> Any:
        """What rank 0 brings; what all bring alike is that of all."""
        return self.each[0]

    @property
    def p(self) -> int:
        """How many ranks there are."""
        return len(self.each)

    def details(self, t: int, begins: Sequence[int] = ()) -> list[Detail]:
        """Return what is known of the messages of step ``t``; ``begins``: by message where its chunk begins."""
        wire = self.carried.trace[t]
        first = begins or [0] * len(wire)
        return [detail(self.page, i, m.entries, self.width, self.p, first[i]) for i, m in enumerate(wire)]


def name(exchange: Exchange) -> str:
    """Return what an exchange is called in a heading.

    >>> from sparring.spec.core.exchanges import reduce_scatter
    >>> name(reduce_scatter([1]))
    'Reduce-scatter'
    """
    return re.sub("(?<=.)([A-Z])", r"-\1", type(exchange).__name__).capitalize()


def stage(met: Meeting, held: averages.Held) -> Stage:
    """Return an exchange as a stage; ``held``: by rank whose vectors it has, where exchanges average."""
    one = met.first
    if isinstance(one, Averaging):
        return averages.stage(met.each, met.carried, [met.details(t) for t in range(2)], held)
    if isinstance(one, SparseAllreduce):
        return through_sparse(met)
    if one.among:
        sides = " x ".join(map(str, one.among.sides))
        heading = f"{name(one)} by {one.page.name}, along axis {one.among.which} of {sides} ranks"
        return replace(unscheduled(met), heading=heading)
    return by_formulas(met) if one.through else unscheduled(met)


def unscheduled(met: Meeting) -> Stage:
    """Return the messages alone: where no page carries an exchange out, or each group does by itself."""
    steps = [
        Step([Message(m.src, m.dst) for m in wire], t, details=met.details(t))
        for t, wire in enumerate(met.carried.trace)
    ]
    return Stage(name(met.first), steps=steps)


def through_sparse(met: Meeting) -> Stage:
    """Return one of sparse vectors, which a sparse page carries out."""
    page, lists = met.first.page, [one.entries for one in met.each]
    ran = runs.ListRun(page, lists) if page.data == "lists" else runs.PieceRun(page, lists, met.width)
    return replace(sparse_runs.stage(ran, met.width, met.page), heading=f"{name(met.first)} by {page.name}")


def by_formulas(met: Meeting) -> Stage:
    """Return one whose messages a page's formulas say."""
    one, page, cuts = met.first, met.first.page, limits(met)
    steps = [*grouped(met, cuts)]
    if isinstance(one, Lossy):
        steps = [losses.shown(met.each, step, cuts) for step in steps]
    elif steps:
        steps[-1] = replace(steps[-1], cells=ended(met, cuts))
    return Stage(
        f"{name(one)} by {page.name}", page.name, chunks=number(page.chunks(met.p)), start=start(page, met.p),
        goal=goal(page, met.p), sizes=[b - a for a, b in pairwise(cuts)], cells=begun(met, cuts), steps=steps,
    )  # fmt: skip


def grouped(met: Meeting, cuts: Sequence[int]) -> Iterator[Step]:
    """Return the steps: of a page that sends in turns, so many turns are one, by sender."""
    page, bucket = met.first.page, getattr(met.first, "bucket", 0)
    turns = [sends(page, t, met.p) for t in range(number(page.steps(met.p)))]
    for i, first in enumerate(range(0, len(turns), bucket or 1)):
        some = turns[first : first + (bucket or 1)]
        messages = sorted(chain(*some), key=lambda m: m.src)
        begins = [0 if gathers(met.first) or not m.chunks else cuts[m.chunks[0]] for m in messages]
        label = f"t={first}\N{EN DASH}{first + len(some) - 1}" if len(some) > 1 else ""
        step = Step(messages, None if label else first, label, met.details(i, begins))
        yield lettered(step, page, met.p)


def sends(page: Page, t: int, p: int) -> list[Message]:
    """Return the messages of a step, by sender."""
    adds = truth(page.adds(t, p))
    return [Message(r, d, [*chunks], adds) for r, d, chunks in step_sends(page, t, p)]


def gathers(one: Any) -> bool:
    """Whether each rank brings a chunk of its own, of any length."""
    return bool(one.page.kind == "allgather")


def limits(met: Meeting) -> list[int]:
    """Return where chunks begin, and the last ends."""
    one = met.first
    if gathers(one):
        return [*accumulate((extent(each.x) for each in met.each), initial=0)]
    chunks = number(one.page.chunks(met.p))
    return [*(getattr(one, "bounds", ()) or bounds(extent(brought(one, one.x)), chunks))]


def brought(one: Any, x: Any) -> Any:
    """Return what is added up of a vector: in an allreduce of some entries these, filled up."""
    if not isinstance(one, Allreduce):
        return x
    places = range(len(x)) if one.at is None else [i for i, here in enumerate(one.at) if here]
    return x.having([*(x[i] for i in places), *[x.zero] * (-len(places) % one.filled)])


def begun(met: Meeting, cuts: Sequence[int]) -> list[Cell]:
    """Return the copies before the first step."""
    if gathers(met.first):
        return [cell(r, r, one.x, met.p) for r, one in enumerate(met.each)]
    return whole([one.x for one in met.each], met, cuts)


def ended(met: Meeting, cuts: Sequence[int]) -> list[Cell]:
    """Return the copies that the last step leaves, as they are read of their codes."""
    one, results, p = met.first, met.carried.results, met.p
    if gathers(one):
        read = [each.code.decode(each.code.pieces(each.x, [slice(0, extent(each.x))])[0]) for each in met.each]
        return [cell(r, c, x, p) for r in range(p) for c, x in enumerate(read)]
    if isinstance(one, Allreduce):
        return whole(results, met, cuts)
    return [cell(r, r, piece(y, *cuts[r : r + 2], own=True), p) for r, y in enumerate(results)]


def whole(xs: Sequence[Any], met: Meeting, cuts: Sequence[int]) -> list[Cell]:
    """Return all copies of these vectors, one a rank."""
    rows = [brought(met.first, x) for x in xs]
    return [cell(r, c, piece(x, *cut), met.p) for r, x in enumerate(rows) for c, cut in enumerate(pairwise(cuts))]


def piece(x: Any, first: int, end: int, *, own: bool = False) -> Any:
    """Return the entries of a chunk; ``own``: the vector is that chunk, unless it is sparse."""
    if isinstance(x, SparseVector):
        return x.piece(first, end)
    return x if own else x[first:end]
