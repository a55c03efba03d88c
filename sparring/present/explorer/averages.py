"""Averages of groups as stages: whose vectors each part of a rank's vector has in it, round after round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from msgspec.structs import replace as replaced

from sparring.present.explorer.contents import Sets, cell
from sparring.present.explorer.document import Cell, Detail, Message, Stage, Step
from sparring.spec.core.exchange_runs import Carried
from sparring.spec.core.vectors import Vector
from sparring.spec.library import group_average
from sparring.spec.library.group_average import Averaging, Group, present


class Whose(frozenset[int]):
    """The ranks whose vectors an entry has in it, in the place of a number: sums and means of such are unions."""

    def __add__(self, other: Any) -> Whose:
        return Whose(self | other)

    def same(self, _: Any) -> Whose:
        return self

    __mul__ = __rmul__ = __truediv__ = same


Held = list[Any]
"""By rank its vector, whose entries are :class:`Whose`."""


def begun(p: int, n: int) -> Held:
    """Return what ranks hold before the first round: each its own."""
    return [Vector([Whose([r])] * n, Whose()) for r in range(p)]


def stage(each: Sequence[Averaging], carried: Carried, details: Sequence[list[Detail]], held: Held) -> Stage:
    """Return a round as a stage, and leave in ``held`` what ranks hold after it."""
    one, n = each[0], len(each[0].x)
    groups = met(each)
    cuts = sorted({0, n, *(end for g in groups for part in g.parts for end in (part.start, part.stop))})
    before = whose(held, cuts)
    held[:] = [x for x, _ in one.carry([replace(e, x=x) for e, x in zip(each, held)]).results]
    parts = {rank: part for g in groups for rank, part in zip(g.ranks, g.parts)}
    copies, means = (
        Step([message(m.src, m.dst, parts[m.src if t else m.dst], cuts, t) for m in wire], t, LABELS[t], details[t])
        for t, wire in enumerate(carried.trace)
    )
    first = replaced(copies, details=[*told(copies, means, groups)])
    last = replaced(means, cells=cells([x for x, _ in carried.results], cuts))
    return Stage(
        f"Averaging in groups, round {one.t}", text="\n".join(sentences(groups, gone(each))), chunks=len(cuts) - 1,
        start=before, goal=whose(held, cuts), sizes=[b - a for a, b in pairwise(cuts)],
        cells=cells([e.x for e in each], cuts), steps=[first, last],
    )  # fmt: skip


LABELS = ("copies of the others' parts", "means of one's own part")


def met(each: Sequence[Averaging]) -> list[Group]:
    """Return the groups of a round."""
    one, there = each[0], present(len(each), each[0].t, each[0].params.dead)
    chunks = group_average.grouped({r: e.key for r, e in enumerate(each) if r in there}, one)
    return [group_average.group(some, len(one.x), one) for some in chunks]


def gone(each: Sequence[Averaging]) -> list[int]:
    """Return the ranks that are not there."""
    return sorted({*range(len(each))} - present(len(each), each[0].t, each[0].params.dead))


def message(src: int, dst: int, part: slice, cuts: Sequence[int], t: int) -> Message:
    """Return a message with a part: a copy, which is added, or the mean, which takes the place of what was there."""
    return Message(src, dst, [c for c, at in enumerate(cuts[:-1]) if part.start <= at < part.stop], t == 0)


def told(copies: Step, means: Step, groups: Sequence[Group]) -> Iterator[Detail]:
    """Return what is known of the copies that are sent: some are in no mean that a rank has then."""
    made = {m.src for m in means.messages} | {rank for g in groups for rank in keeping(g)}
    for one, m in zip(copies.details, copies.messages):
        yield one if m.dst in made else replaced(one, says="is in no mean")


def keeping(g: Group) -> list[int]:
    """Return the members that have the means of their own parts themselves: who sent all copies, and does not die."""
    full = [part.start < part.stop for part in g.parts]
    members = zip(g.ranks, full, g.weights, g.left, g.dies)
    return [r for r, own, weight, left, dies in members if weight > 0 and left >= sum(full) - own and not dies]


def whose(held: Held, cuts: Sequence[int]) -> Sets:
    """Return by rank and chunk the ranks whose vectors are in it."""
    return [[sorted(x[at]) for at in cuts[:-1]] for x in held]


def cells(xs: Sequence[Any], cuts: Sequence[int]) -> list[Cell]:
    """Return all ranks' copies."""
    return [cell(r, c, x[a:b], len(xs)) for r, x in enumerate(xs) for c, (a, b) in enumerate(pairwise(cuts))]


def sentences(groups: Sequence[Group], missing: Sequence[int]) -> list[str]:
    """Return who meets whom, and who is not there, or will not be."""
    said = [f"Ranks {', '.join(map(str, sorted(g.ranks)))} average." for g in groups if len(g.ranks) > 1]
    said += [f"Rank {g.ranks[0]} is alone." for g in groups if len(g.ranks) == 1]
    said += [ending(*member) for g in groups for member in zip(g.ranks, g.left, g.dies) if member[1] < 2 * len(g.ranks)]
    return said + [f"Rank {r} is dead." for r in missing]


def ending(rank: int, left: int, dies: bool) -> str:
    """Return what becomes of a rank that can send only so many messages."""
    sent = f"{left} message{'' if left == 1 else 's'}"
    return f"Rank {rank} {'dies' if dies else 'fails'} after {sent}."
