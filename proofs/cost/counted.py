"""What a page sends, counted: message by message from its formulas, and in a run's own trace."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from sparring.proofs.cost.derivation import Derivation
from sparring.proofs.cost.published import holds
from sparring.proofs.cost.symbols import Expr, exact
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import number, run, step_sends, truth
from sparring.spec.core.sparse import SparseVector

RANKS = range(1, 65)
PATHS = 16  # up to so many ranks V_path is counted too


class Counts(NamedTuple):
    """What was counted at one point; each is an exact integer."""

    steps: int
    messages: int
    """The most of a rank in each step, summed."""
    sent: list[int]
    """By rank."""
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


Sends = Sequence[tuple[int, int, range]]
"""Who sends in a step, to whom, and which chunks."""


def schedule(page: Page, p: int) -> list[Sends]:
    """What is sent in each step; raises ScheduleFault where the formulas make no schedule."""
    return [step_sends(page, t, p) for t in range(number(page.steps(p)))]


def count(page: Page, p: int, n: int, k: int, paths: bool = True) -> Counts:
    """Counts from the formulas, on numbers of any size; raises ScheduleFault where they make no schedule."""
    return counts(page, schedule(page, p), p, n, k, paths)


def counts(page: Page, steps: Sequence[Sends], p: int, n: int, k: int, paths: bool) -> Counts:
    """The same for a schedule that is known already."""
    sent, added, critical, added_critical, messages = [0] * p, [0] * p, 0, 0, 0
    ready = [0] * p  # the most words on a path that ends at this rank
    for t, sends in enumerate(steps):
        words, values = [0] * p, [0] * p  # sent by each rank, one message after the other; and added
        for r, d, chunks in sends:
            words[r] += number(page.words(r, t, chunks.start, p, n, k))
            values[d] += number(page.added(r, t, chunks.start, p, n, k)) * truth(page.adds(t, p))
        then = [ready[r] + words[r] for r in range(p)] if paths else ready
        ready = list(then)
        for r, d, _ in sends:
            ready[d] = max(ready[d], then[r])
        sent, added = ([a + b for a, b in zip(*both)] for both in ((sent, words), (added, values)))
        messages += max(Counter(r for r, _, _ in sends).values(), default=0)
        critical += max(words)
        added_critical += max(values)
    return Counts(len(steps), messages, sent, added, critical, added_critical, max(ready) if paths else None)


class Traced(NamedTuple):
    """For each rank, the words that it sends and the values that it adds in a run of the page."""

    sent: list[int]
    added: list[int]


def traced(page: Page, p: int, n: int, k: int) -> Traced:
    """What a run's trace says; each rank has ``k`` entries where it is a list, else no zeros."""
    if page.data == "lists":
        xs: list[Any] = [SparseVector(tuple(range(k)), (0,) * k, max(n, k)) for _ in range(p)]
    elif page.data == "selected":
        page, n = load(page.module, k=k), k + -k % p  # so long that every chunk has its part of k
        xs = [[0] * n for _ in range(p)]
    else:
        xs = [[0] * n for _ in range(p)]
    sent, added = [0] * p, [0] * p
    for t, wire in enumerate(run(page, xs).trace):
        for src, dst, entries in wire:
            values = len(entries.indices if isinstance(entries, SparseVector) else entries)
            sent[src] += values * (2 if isinstance(entries, SparseVector) else 1)
            added[dst] += values * truth(page.adds(t, p))
    return Traced(sent, added)


def points(ranks: Iterable[int], seed: int = 0) -> Iterator[dict[str, int]]:
    """For each number of ranks a short vector and an astronomically long one."""
    rng = random.Random(seed)
    for p in ranks:
        for n in (rng.randrange(3 * p), rng.randrange(10**18)):
            yield {"p": p, "n": n, "k": rng.randrange(n + 1)}


def compared(page: Page, derived: Derivation, ranks: Iterable[int] = RANKS) -> Unlike | None:
    """The first quantity that is not what is counted, at two lengths for each number of ranks."""
    for p, found in groupby(points(ranks), key=lambda at: at["p"]):
        steps = schedule(page, p)
        for at in found:
            if unlike := next(compared_at(page, derived, even(page, derived, at), steps), None):
                return unlike
    return None


def even(page: Page, derived: Derivation, at: Mapping[str, int]) -> Mapping[str, int]:
    """The point, or the next one at which all chunks are equal, where the forms are derived for these."""
    return {**at, "n": at["n"] + -at["n"] % number(page.chunks(at["p"]))} if derived.given else at


def compared_at(page: Page, derived: Derivation, at: Mapping[str, int], steps: Sequence[Sends]) -> Iterator[Unlike]:
    """The quantities whose derived value is not the counted one."""
    found = counts(page, steps, at["p"], at["n"], at["k"], at["p"] <= PATHS)
    if at["n"] < 3 * at["p"]:
        yield from unlike_a_run(page, found, at)
    if not holds(derived.given, **at, **derived.letters):
        return  # what is counted there is in no closed form
    at = {**at, **derived.letters}
    if derived.sent is not None:
        yield from per_rank("words sent", derived.sent, found.sent, at)
    if derived.added is not None:
        yield from per_rank("words added", derived.added, found.added, at)
    whole = {
        "steps": (derived.steps, found.steps),
        "messages": (derived.messages, found.messages),
        "V_max": (derived.largest, max(found.sent)),
        "V_path": (derived.path, found.path),
        "V_crit": (derived.critical, found.critical),
        "most additions": (derived.added_most, max(found.added)),
        "additions step by step": (derived.added_critical, found.added_critical),
    }
    for what, (form, counted) in whole.items():
        if form is not None and counted is not None and (value := exact(form, at)) != counted:
            yield Unlike(what, at, value, counted)
    if found.path is not None and not max(found.sent) <= found.path <= found.critical:
        yield Unlike("V_max <= V_path <= V_crit, where V_path is", at, max(found.sent), found.path)


def unlike_a_run(page: Page, found: Counts, at: Mapping[str, int]) -> Iterator[Unlike]:
    """Where the formulas for sizes are not what a run sends and adds."""
    ran = traced(page, **at)
    for what, counted, seen in (("sent", found.sent, ran.sent), ("added", found.added, ran.added)):
        for r, (a, b) in enumerate(zip(counted, seen)):
            if a != b:
                yield Unlike(f"words {what} in a run by rank {r}", {**at}, a, b)


def per_rank(what: str, form: Expr, counted: list[int], at: Mapping[str, int]) -> Iterator[Unlike]:
    """The ranks for which ``form`` has another value than was counted."""
    for r, words in enumerate(counted):
        if (value := exact(form, {**at, "r": r})) != words:
            yield Unlike(f"{what} by rank {r}", {**at}, value, words)
