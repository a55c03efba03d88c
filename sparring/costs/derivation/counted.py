"""Counts what a page sends, message by message from its formulas, and in a run's own trace.

Needs no solver and no algebra, so that whoever only counts starts quickly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from sparring.spec.core.blocks import Chunks
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import run, worded
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector


class Counts(NamedTuple):
    """The counts at one point; each is an exact integer."""

    steps: int
    messages: int
    """The most messages of a rank in each step, summed."""
    most: int
    """The messages of the rank that sends the most."""
    sent: list[int]
    """Words, by rank."""
    added: list[int]
    critical: int
    added_critical: int
    path: int | None


class Unlike(NamedTuple):
    """A quantity whose derived value is not the counted one."""

    what: str
    at: Mapping[str, int]
    derived: Fraction | int
    counted: int

    def __str__(self) -> str:
        at = ", ".join(f"{letter}={value}" for letter, value in self.at.items())
        return f"{self.what} at {at}: derived {self.derived}, counted {self.counted}"


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
    sent, added, critical, added_critical, messages = [0] * p, [0] * p, 0, 0, 0
    often = Counter(r for sends in steps for r, _, _ in sends)
    ready = [0] * p  # the most words on a path that ends at this rank
    for t, sends in enumerate(steps):
        words, values = [0] * p, [0] * p  # sent by each rank, one message after the other; and added
        adds = truth(page.adds(t, p))
        for r, d, chunks in sends:
            words[r] += number(page.words(r, t, chunks.start, p, n, k))
            if adds:
                values[d] += number(page.added(r, t, chunks.start, p, n, k))
        if paths:
            then = [ready[r] + words[r] for r in range(p)]
            ready = list(then)
            for r, d, _ in sends:
                ready[d] = max(ready[d], then[r])
        sent, added = ([a + b for a, b in zip(*both)] for both in ((sent, words), (added, values)))
        messages += max(Counter(r for r, _, _ in sends).values(), default=0)
        critical += max(words)
        added_critical += max(values)
    most, path = max(often.values(), default=0), max(ready) if paths else None
    return Counts(len(steps), messages, most, sent, added, critical, added_critical, path)


class Traced(NamedTuple):
    """The words that each rank sends in a run of the page, the values that it adds and those that it sends."""

    sent: list[int]
    added: list[int]
    values: list[int]


def traced(page: Page, p: int, n: int, k: int) -> Traced:
    """Count in a run's trace, in which all values are 0; each rank has ``k`` entries where it is a list."""
    if page.data == "lists":
        xs: list[Any] = [SparseVector(tuple(range(k)), (0,) * k, max(n, k)) for _ in range(p)]
    elif page.data == "selected":
        page, xs = load(page.module, k=k), [[0] * n for _ in range(p)]
    else:
        xs = [[0] * n for _ in range(p)]
    sent, added, valued = [0] * p, [0] * p, [0] * p
    for t, wire in enumerate(run(page, xs).trace):
        for src, dst, entries in wire:
            values = len(entries.indices if isinstance(entries, SparseVector) else entries)
            sent[src] += worded(page, entries, 8)
            added[dst] += values * truth(page.adds(t, p))
            valued[src] += values
    return Traced(sent, added, valued)


def worth(page: Page, p: int, n: int, k: int) -> list[int]:
    """Return the number of values in all messages of each rank, by rank."""
    found = [0] * p
    for t, sends in enumerate(schedule(page, p)):
        for r, _, chunks in sends:
            found[r] += number(page.added(r, t, chunks.start, p, n, k))
    return found


def unlike_a_run(page: Page, found: Counts, at: Mapping[str, int]) -> Iterator[Unlike]:
    """Yield the quantities for which the formulas for sizes differ from what a run sends and adds."""
    if page.data == "selected":  # so long that every chunk has more entries than its part of k has words
        at = {**at, "n": (2 * (at["k"] // at["p"]) + 5) * at["p"]}
        found = count(page, **at, paths=False)
    ran = traced(page, **at)
    compared = [("sent", found.sent, ran.sent), ("added", found.added, ran.added)]
    if page.data == "selected":  # what messages cost that are not added depends on how many of their words are values
        compared.append(("that are values", worth(page, **at), ran.values))
    for what, counted, seen in compared:
        for r, (a, b) in enumerate(zip(counted, seen)):
            if a != b:
                yield Unlike(f"words {what} in a run by rank {r}", {**at}, a, b)
