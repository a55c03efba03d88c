"""Finds the pages whose messages a library sends, pair by pair of ranks: how many, and how many bytes.

What a library sends may be one page's messages or those of two, one after the other: a reduction and a broadcast.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from sparring.checks.conventions import CUTS, NUMBERS, Begin
from sparring.errors import SparringError
from sparring.libraries.collectives import begins
from sparring.libraries.counting import WIDTH, Amount, Pair
from sparring.spec import collectives, exchanges
from sparring.spec.core import pages
from sparring.spec.core.blocks import Chunks
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends

Run = tuple[int, int]
"""A number of ranks, and a vector's length."""
STAGES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "allreduce": [("allreduce",), ("reduce", "bcast"), ("reduce_scatter", "allgather")],
    "reduce_scatter": [("reduce_scatter",), ("reduce", "scatter")],
    "reduce_scatter_block": [("reduce_scatter",), ("reduce", "scatter")],
    "allgather": [("allgather",), ("gather", "bcast")],
    "allgatherv": [("allgather",), ("gather", "bcast")],
    "alltoall": [("alltoall",)],
    "bcast": [("bcast",)],
    "reduce": [("reduce",)],
}
"""The kinds of pages that do a collective, one after the other."""


def halved(c: int, n: int, of: int) -> int:
    """Return where chunk ``c`` of ``of`` begins if ``n`` entries are halved again and again.

    The second half is the longer.  So many chunks are a power of two; others are cut as a page cuts them.

    >>> [halved(c, 11, 4) for c in range(5)]
    [0, 2, 5, 8, 11]
    """
    if of & (of - 1):
        return CUTS[""](c, n, of)
    begin = 0
    while of > 1:
        of, half = of // 2, n // 2
        begin, c, n = (begin + half, c - of, n - half) if c >= of else (begin, c, half)
    return begin + c * n


WAYS: Mapping[str, Begin] = {**CUTS, "halved again and again": halved}
"""How libraries cut vectors: as programs do, and one more."""


def in_post_order(number: int, p: int) -> int:
    """Return the rank that ``postorder_reduce`` calls by this number.

    >>> [in_post_order(number, 6) for number in range(6)]
    [0, 2, 4, 5, 3, 1]
    """
    root = (1 << p.bit_length() - 1) - 1
    place = {0: root, root: 0}.get(number, number)
    before, size = 0, p
    for level in range((place + 1).bit_length() - 1):
        first = size // 2  # ranks below one child; those below the other come after them
        other = place + 1 >> level & 1
        before, size = (before + first, size - first - 1) if other else (before, first)
    return before + size - 1


RANKS: Mapping[str, Callable[[int, int], int]] = {"postorder_reduce": in_post_order}
"""The rank of a page's number, of pages whose numbers are not the ranks."""


@dataclass(eq=False)
class Stage:
    """A page, and what is known of its messages."""

    page: Page
    plans: dict[int, list[tuple[int, int, Chunks]]] = field(default_factory=dict)
    amounts: dict[tuple[object, ...], Mapping[Pair, Amount]] = field(default_factory=dict)

    def plan(self, p: int) -> list[tuple[int, int, Chunks]]:
        """Return who sends which chunks to whom, step by step.  Raises SparringError where the page has no run."""
        if p not in self.plans:
            sends = [send for t in range(number(self.page.steps(p))) for send in step_sends(self.page, t, p)]
            place = RANKS.get(self.page.name.rpartition(".")[2])
            ranks = [place(r, p) for r in range(p)] if place else range(p)
            self.plans[p] = [(ranks[src], ranks[dst], chunks) for src, dst, chunks in sends]
        return self.plans[p]

    def sent(self, p: int, sizes: tuple[int, ...], apart: bool = False, empty: bool = True) -> Mapping[Pair, Amount]:
        """Return what each pair of ranks sends of chunks of so many entries; ``apart``: each chunk by itself.

        ``empty``: empty messages are sent, too.
        """
        if (key := (p, sizes, apart, empty)) not in self.amounts:
            messages = [(src, dst, [c for c in chunks if empty or sizes[c]]) for src, dst, chunks in self.plan(p)]
            self.amounts[key] = total(
                {(src, dst): Amount(len(chunks) if apart else 1, WIDTH * sum(sizes[c] for c in chunks))}
                for src, dst, chunks in messages
                if chunks
            )
        return self.amounts[key]


class Played(NamedTuple):
    """Pages that are played one after the other, with their chunks cut and numbered by a convention.

    ``apart``: each chunk of a message is sent by itself.
    """

    stages: tuple[Stage, ...]
    cut: str = ""
    numbers: str = ""
    apart: bool = False

    @property
    def name(self) -> str:
        """The pages' names."""
        names = " + ".join(stage.page.name.rpartition(".")[2] for stage in self.stages)
        return f"{names}, chunk by chunk" if self.apart else names

    def sent(self, collective: str, p: int, n: int, empty: bool = True) -> dict[Pair, Amount]:
        """Return what each pair of ranks sends: messages, with the empty ones or without, and bytes.

        Raises SparringError where a page has no run.
        """
        return total(
            stage.sent(p, self.sizes(stage.page, collective, p, n), self.apart, empty) for stage in self.stages
        )

    def sizes(self, page: Page, collective: str, p: int, n: int) -> tuple[int, ...]:
        """Return how many entries each chunk has."""
        of = number(page.chunks(p))
        given = lengths(collective, p, n)
        order = [NUMBERS[self.numbers](c, of) for c in range(of)]
        if len(given) == of:
            return tuple(given[c] for c in order)
        if len(given) == p and of == p * p:
            return (given[0],) * of
        whole, cut = sum(given), WAYS[self.cut]
        return tuple(cut(c + 1, whole, of) - cut(c, whole, of) for c in order)


def total(stages: Iterable[Mapping[Pair, Amount]]) -> dict[Pair, Amount]:
    """Return the sums, pair by pair."""
    sums: dict[Pair, Amount] = {}
    for stage in stages:
        for pair, amount in stage.items():
            old = sums.get(pair, Amount(0, 0))
            sums[pair] = Amount(old.messages + amount.messages, old.nbytes + amount.nbytes)
    return sums


def whole(sent: Mapping[Pair, Amount]) -> Amount:
    """Return what all ranks send together."""
    return Amount(sum(one.messages for one in sent.values()), sum(one.nbytes for one in sent.values()))


def lengths(collective: str, p: int, n: int) -> list[int]:
    """Return the entries of each block that a collective speaks of, as the targets call it with ``n`` entries."""
    at = begins(n, p)
    return {
        "reduce_scatter": [b - a for a, b in pairwise(at)],
        "reduce_scatter_block": [-(-n // p)] * p,
        "alltoall": [-(-n // p)] * p,
        "allgather": [n] * p,
        "allgatherv": [n + r for r in range(p)],
    }.get(collective, [n])


@cache
def known() -> list[Stage]:
    """Return all pages of dense vectors that keep no state and are no compositions, and those of the rooms below."""
    rooms = [f"{room.__name__}.{one.name}" for room in (collectives, exchanges)
             for one in pkgutil.iter_modules(room.__path__) if one.name[0] != "_"]  # fmt: skip
    found = [pages.find(name) for name in [*pages.names(), *rooms]]
    return [Stage(page) for page in found if not (page.composed or page.listed or page.stateful)]


def candidates(collective: str, names: Sequence[str] = ()) -> Iterator[Played]:
    """Yield what may do the collective, of these names or of any.

    Pages come in the order in which they are known, with their own convention first.
    """
    for kinds in STAGES[collective]:
        for some in product(*([stage for stage in known() if stage.page.kind == kind] for kind in kinds)):
            if not names or Played(some).name in names:
                yield from conventions(collective, some)


def conventions(collective: str, some: tuple[Stage, ...]) -> Iterator[Played]:
    """Yield the ways to cut, number and send chunks that make a difference.

    Chunks that lie in no row may be sent one by one.
    """
    cuts = any(number(stage.page.chunks(2)) > 1 for stage in some)
    free = cuts and len(lengths(collective, 2, 2)) == 1  # else the caller says how long each block is
    for cut in WAYS if free else [""]:
        for numbers in NUMBERS if cuts else [""]:
            yield Played(some, cut, numbers)
            if any(stage.page.carries for stage in some):
                yield Played(some, cut, numbers, apart=True)


class Explanation(NamedTuple):
    """The pages that send what a library does in these runs; ``segments``: each of their messages in so many, at most.

    1: messages are the pages' own.
    """

    played: Played
    runs: frozenset[Run]
    segments: int = 1

    @property
    def name(self) -> str:
        """The pages' names."""
        return self.played.name

    def __str__(self) -> str:
        return f"{self.name}{f' in up to {self.segments} segments' if self.segments > 1 else ''}"


def explained(
    collective: str, seen: Mapping[Run, Mapping[Pair, Amount]], names: Sequence[str] = ()
) -> list[Explanation]:
    """Return the pages, of these names or of any, that explain most runs, then those that explain most of the others.

    Pages whose messages are cut into segments come after those whose messages are sent as they are.
    """
    found: dict[tuple[bool, str], tuple[Played, dict[Run, int]]] = {}
    for one in candidates(collective, names):
        cut = {run: times for run in seen if (times := segments(one, collective, *run, seen[run]))}
        for segmented in (False, True):
            some = {run: times for run, times in cut.items() if (times > 1) == segmented}
            if len(some) > len(found.get((segmented, one.name), (one, {}))[1]):
                found[segmented, one.name] = one, some
    cover: list[Explanation] = []
    left = set(seen)
    for segmented in (False, True):
        sent = [some for (kind, _), some in found.items() if kind is segmented]
        while best := max(sent, key=lambda one: len(left & one[1].keys()), default=None):
            runs = frozenset(left & best[1].keys())
            if not runs:
                break
            cover.append(Explanation(best[0], runs, max(best[1][run] for run in runs)))
            left -= runs
    return cover


def segments(played: Played, collective: str, p: int, n: int, seen: Mapping[Pair, Amount]) -> int:
    """Return into how many messages each of the page's is cut, alike for all pairs; 0 if something else is sent.

    Empty messages may be left out, and pairs that send each other these alone do not count.
    """
    try:
        planned, least = (played.sent(collective, p, n, empty) for empty in (True, False))
    except SparringError:
        return 0
    if nonempty(planned) != nonempty(seen):
        return 0
    if all(one.messages <= seen[pair].messages <= planned[pair].messages for pair, one in least.items()):
        return 1
    ratios = {seen[pair].messages / amount.messages for pair, amount in planned.items() if pair in seen}
    return int(max(ratios, default=1)) if len(ratios) < 2 and ratios <= set(range(1, 10_000)) else 0


def nonempty(sent: Mapping[Pair, Amount]) -> dict[Pair, int]:
    """Return the bytes of each pair of ranks that sends any."""
    return {pair: amount.nbytes for pair, amount in sent.items() if amount.nbytes}


def difference(planned: Mapping[Pair, Amount], seen: Mapping[Pair, Amount]) -> str:
    """Say where what is sent first differs from what a page plans; "" if it does not."""
    for src, dst in sorted({*planned, *seen}):
        ours, theirs = (side.get((src, dst), Amount(0, 0)) for side in (planned, seen))
        if ours != theirs:
            return f"rank {src} sends rank {dst} {told(theirs)}, by the page {told(ours)}"
    return ""


def told(amount: Amount) -> str:
    """Say how much is sent."""
    return f"{amount.messages} message{'s' * (amount.messages != 1)} of {amount.nbytes} bytes in all"


def distance(planned: Mapping[Pair, Amount], seen: Mapping[Pair, Amount]) -> float:
    """Return how far two plans are apart, from 0 to 1: the bytes that only one of them sends, as a part of all."""
    ours, theirs = (Counter({pair: a.nbytes for pair, a in one.items()}) for one in (planned, seen))
    return 1 - (ours & theirs).total() / max(1, (ours | theirs).total())


def nearest(
    collective: str, p: int, n: int, seen: Mapping[Pair, Amount], names: Sequence[str] = ()
) -> tuple[Played, dict[Pair, Amount]] | None:
    """Return the pages, of these names or of any, that come nearest, and what they send; None if none has a run."""
    plans = []
    for one in candidates(collective, names):
        with suppress(SparringError):
            plans.append((one, one.sent(collective, p, n)))
    return min(plans, key=lambda plan: distance(plan[1], seen), default=None)
