"""Counts what a page sends, message by message from its formulas, and in a run's own trace.

Needs no solver and no algebra, so that whoever only counts starts quickly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from sparring.spec.core.blocks import Chunks
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run, worded
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector


class Message(NamedTuple):
    """One message of a step."""

    src: int
    dst: int
    words: int
    values: int
    adds: bool
    """Whether the receiver adds the values to its own."""


class Counts(NamedTuple):
    """The counts at one point; each is an exact integer."""

    steps: int
    messages: int
    """The most messages of a rank in each step, summed."""
    most: int
    """The messages of the rank that sends the most."""
    sent: list[int]
    """Words, by rank."""
    values: list[int]
    """Values that are sent, by rank."""
    received: list[int]
    """Received values that are added, by rank."""
    critical: int
    added_critical: int
    path: int | None

    @property
    def words(self) -> int:
        """The words of the rank that sends the most."""
        return max(self.sent)

    @property
    def added(self) -> int:
        """The additions of the rank that adds the most."""
        return max(self.received)


class Unlike(NamedTuple):
    """A quantity whose derived value is not the counted one."""

    what: str
    at: Mapping[str, int]
    derived: Fraction | int
    counted: int

    def __str__(self) -> str:
        return f"{self.what} at {format_point(self.at)}: derived {self.derived}, counted {self.counted}"


def format_point(at: Mapping[str, int]) -> str:
    """Return a point in words."""
    return ", ".join(f"{letter}={x}" for letter, x in at.items())


Sends = Sequence[tuple[int, int, Chunks]]
"""The messages of a step: sender, receiver, and chunks."""


def schedule(page: Page, p: int) -> list[Sends]:
    """Return the messages of each step; raise ScheduleFault where the formulas make no schedule."""
    return [step_sends(page, t, p) for t in range(number(page.steps(p)))]


def count(page: Page, p: int, n: int, k: int, paths: bool = True) -> Counts:
    """Count from the formulas, on numbers of any size; raise ScheduleFault where they make no schedule."""
    return counts(page, schedule(page, p), p, n, k, paths)


def counts(page: Page, steps: Sequence[Sends], p: int, n: int, k: int, paths: bool) -> Counts:
    """Count the messages of a schedule that is known already."""

    def message(t: int, r: int, d: int, chunk: int, adds: bool) -> Message:
        at = r, t, chunk, p, n, k
        return Message(r, d, number(page.words(*at)), number(page.added(*at)), adds)

    adding = [truth(page.adds(t, p)) for t in range(len(steps))]
    sent = [[message(t, r, d, chunks.start, adding[t]) for r, d, chunks in sends] for t, sends in enumerate(steps)]
    return tally(sent, p, paths)


def tally(steps: Sequence[Sequence[Message]], p: int, paths: bool = False) -> Counts:
    """Count the messages of all steps, between ``p`` ranks; ``paths``: the most words along one, too."""
    sent, valued, received, messages, critical, added_critical = [0] * p, [0] * p, [0] * p, 0, 0, 0
    ready = [0] * p  # the most words on a path that ends at this rank
    for step in steps:
        words, values = [0] * p, [0] * p  # sent by each rank, one message after the other; and added
        for one in step:
            words[one.src] += one.words
            valued[one.src] += one.values
            values[one.dst] += one.values * one.adds
        if paths:
            then = [ready[r] + words[r] for r in range(p)]
            ready = list(then)
            for one in step:
                ready[one.dst] = max(ready[one.dst], then[one.src])
        sent, received = ([a + b for a, b in zip(*both)] for both in ((sent, words), (received, values)))
        messages += max(Counter(one.src for one in step).values(), default=0)
        critical += max(words)
        added_critical += max(values)
    most = max(Counter(one.src for step in steps for one in step).values(), default=0)
    path = max(ready) if paths else None
    return Counts(len(steps), messages, most, sent, valued, received, critical, added_critical, path)


def traced(page: Page, p: int, n: int, k: int) -> Counts:
    """Count in a run's trace, in which all values are 0; each rank has ``k`` entries where it is a list."""
    if page.data == "lists":
        xs: list[Any] = [SparseVector(tuple(range(k)), (0,) * k, max(n, k)) for _ in range(p)]
    elif page.data == "selected":
        page, xs = load(page.module, k=k), [[0] * n for _ in range(p)]
    else:
        xs = [[0] * n for _ in range(p)]
    return tally(
        [[Message(src, dst, worded(page, x, 8), held(x), truth(page.adds(t, p))) for src, dst, x in wire]
         for t, wire in enumerate(run(page, xs).trace)], p)  # fmt: skip


def held(entries: Any) -> int:
    """Return the number of values in a message."""
    return len(entries.indices if isinstance(entries, SparseVector) else entries)


def unlike_a_run(page: Page, found: Counts, at: Mapping[str, int]) -> Iterator[Unlike]:
    """Yield the quantities for which the formulas for sizes differ from what a run sends and adds."""
    compared = [("sent", "sent"), ("added", "received")]
    if page.data == "selected":  # so long that every chunk has more entries than its part of k has words
        at = {**at, "n": (2 * (at["k"] // at["p"]) + 5) * at["p"]}
        found = count(page, **at, paths=False)
        compared.append(("that are values", "values"))  # what is not added costs by how many of its words are values
    ran = traced(page, **at)
    for what, name in compared:
        for r, (a, b) in enumerate(zip(getattr(found, name), getattr(ran, name))):
            if a != b:
                yield Unlike(f"words {what} in a run by rank {r}", at, a, b)
