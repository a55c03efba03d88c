"""Plays a composition on a few ranks: what is proved of a text that is read must be so where it runs.

A reading may overlook what a text asks of a real vector.  So a theorem also needs that runs end, with the same result
on all ranks and the one that the page ensures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError, ScheduleFault, Undecided
from sparring.proofs.reading.paths import choices, letters_of
from sparring.proofs.statements.by_ranks import ByRanks, at, entries
from sparring.proofs.statements.execution import Wrong
from sparring.proofs.statements.volume import FEW, LONGEST, MOST_NAMED, named
from sparring.spec.core import runner
from sparring.spec.core.compositions import begun, own
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.sparse import SparseVector, every, plain
from sparring.spec.core.vectors import Vector

LENGTHS = (0, 1, 6)
CALLS = 3
FEWER, MORE = 2, 2
LATEST = 64
"""The most calls that are tried where a page names such a number."""
NEAR = 1e-6
"""Beyond rounding: what entries may differ by, for each that they have."""


class Played(NamedTuple):
    """A call of a run that ended."""

    page: Page
    call: int
    given: Sequence[Sequence[float]]
    before: Any
    results: Sequence[Any]
    after: Any

    @property
    def told(self) -> str:
        return f"call {self.call} on {self.given}"


class Promise(NamedTuple):
    """What the page says of a call, by rank: the entries of the result, and the numbers of the state by part."""

    results: Sequence[list[Any]] = ()
    kept: Sequence[Mapping[str, list[Any]]] = ()


def ends(page: Page, p: int) -> Wrong | None:
    """Find a run that raises an error."""
    return next((one for one in played(page, p) if isinstance(one, Wrong)), None)


def alike(page: Page, p: int) -> Wrong | None:
    """Find a run that ends differently on two ranks."""
    for one in played(page, p):
        if isinstance(one, Wrong):
            return one
        rows = [repr([*entries(y, len(one.given[0]))]) for y in one.results]
        if other := next((r for r, row in enumerate(rows) if row != rows[0]), 0):
            return Wrong(p, None, f"{one.told}: rank 0 ends with {rows[0]}, rank {other} with {rows[other]}")
    return None


def as_ensured(page: Page, p: int) -> Wrong | None:
    """Find a run that does not end as the page ensures; raises Undecided where that has no value to compare."""
    for one in played(page, p):
        if isinstance(one, Wrong):
            return one
        promise = ensured(one)
        for r, (has, b) in enumerate(zip(one.results, promise.results)):
            a = entries(has, len(one.given[0]))
            if unlike(a, b):
                return Wrong(p, None, f"{one.told}: rank {r} ends with {a}, and the page ensures {b}")
        for r, parts in enumerate(promise.kept):
            for name, b in parts.items():
                a = numbers(getattr(one.after[r], name))
                if unlike(a, b * len(a) if len(b) == 1 else b):
                    return Wrong(p, None, f"{one.told}: rank {r} keeps {name} = {a}, and the page says {b}")
    return None


def weighs(page: Page) -> bool:
    """Return whether runs tell what is lost: the page says what waits, and its result is one on all ranks."""
    return hasattr(page.module, "waiting") and page.agrees and not page.selecting


def nothing_lost(page: Page, p: int) -> Wrong | None:
    """Find a run whose result and what waits then do not make up what was given and what waited before."""
    for one in played(page, p):
        if isinstance(one, Wrong):
            return one
        n, share = len(one.given[0]), p if page.averages else 1
        waited, waits = (waiting(one, states) for states in (one.before, one.after))
        if waited is None or waits is None:
            continue
        begins = [sum(each) + more for each, more in zip(zip(*one.given), waited)]
        ends = [share * y + more for y, more in zip(entries(one.results[0], n), waits)]
        if unlike(begins, ends):
            return Wrong(p, None, f"{one.told}: {begins} was given and waited, and {ends} comes of it")
    return None


def waiting(one: Played, states: Sequence[Any]) -> list[Any] | None:
    """Return what the page says that waits in these states, entry by entry; None where that is nothing, or no number.

    What cannot be told belies nothing.
    """
    letters = {
        "r": ByRanks(range(len(one.given))),
        "p": len(one.given),
        "state": joined(states),
        "params": own(one.page),
        "selector": one.page.selector,
    }
    with suppress(Exception), np.errstate(all="ignore"):
        found = at(0, said(one.page.module.waiting, letters))
        each = [] if found is None else entries(found, len(one.given[0]))
        return each if each and all(isinstance(v, Number) for v in each) else None
    return None


def unlike(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Return whether two rows of values differ."""
    return len(a) != len(b) or not all(map(near, a, b))


def near(a: Any, b: Any) -> bool:
    """Return whether two numbers are equal but for rounding; one that is none equals any other that is none."""
    if not all(isinstance(one, Number) for one in (a, b)):
        return bool(a == b)
    return bool(a == b or abs(a - b) <= NEAR * (1 + abs(a) + abs(b)) or (a != a and b != b))  # noqa: PLR0124  # of NaN


def played(page: Page, p: int) -> Iterator[Played | Wrong]:
    """Yield calls on a few ranks, on vectors of several lengths; on two ranks for each word that parameters may be.

    On two ranks there are also longer vectors and more calls than each number that the page names: there it may turn.
    What is read of some numbers of ranks alone is not proved.
    """
    plays = [(one, n, CALLS) for one, n in product(variants(page, choices(page) if p == MORE else [{}]), LENGTHS)]
    if p == MORE:
        plays += [(page, longer + 1, CALLS) for longer in named(page, FEW + 1, LONGEST)[:MOST_NAMED]]
        plays += [(page, 2, latest + 2) for latest in named(page, CALLS, LATEST)[-1:]]
    for one, n, calls in plays:
        state = None
        for call in range(calls):
            given = [[((3 * i + 5 * r + 7 * call) % 11 - 4) / 4 for i in range(n)] for r in range(p)]  # of exact sums
            run = runner.run(one, [*map(np.array, given)], state)
            before = state.ranks if state else [begun(one)] * p
            try:
                with np.errstate(all="ignore"):
                    results = run.results
            except ScheduleFault as fault:
                yield Wrong(p, None, f"call {call} on {given}: {fault.why}")
                return
            except Exception as error:  # noqa: BLE001  # whatever a text raises where it runs
                yield Wrong(p, None, f"call {call} on {given}: {type(error).__name__}: {error}")
                return
            state = run.state
            yield Played(one, call, given, before, results, state.ranks if state else [])


def variants(page: Page, words: Iterable[Mapping[str, Any]]) -> Iterator[Page]:
    """Yield the page for all these words as parameters; and so that it selects fewer entries than there are."""
    for choice in words:
        yield load(page.module, **{**page.params, **choice})
        with suppress(InputError):  # of a page whose k may not be that, or has another meaning
            if "k" in page.params:
                few = load(page.module, **{**page.params, **choice, "k": FEWER})
                yield few


def ensured(one: Played) -> Promise:
    """Return what the page says of the call; nothing where what it requires is not so.

    Raises Undecided where that has no values: with nothing to compare, a run would belie nothing.
    """
    page, p = one.page, len(one.given)
    x: Sequence[Any] = [(every if page.selecting else Vector.of)(np.array(row)) for row in one.given]
    letters = {
        "x": ByRanks(x), "r": ByRanks(range(p)), "p": p, "call": one.call, "state": joined(one.before),
        "params": own(page), "selector": page.selector,
    }  # fmt: skip
    try:
        if hasattr(page.module, "requires") and not said(page.module.requires, letters):
            return Promise()
        with np.errstate(all="ignore"):
            found = said(page.module.ensures, letters)
            result, state = found if type(found) is tuple else (found, None)
            kept = said(page.module.leaves, letters) if hasattr(page.module, "leaves") else state and state._asdict()
            rows = [entries(at(r, result), len(one.given[0])) for r in range(p)]
            parts = [{name: numbers(at(r, part)) for name, part in (kept or {}).items()} for r in range(p)]
    except Exception as error:  # whatever a formula raises on numbers
        raise Undecided(
            f"p={p}: {one.told}: what the page ensures has no value: {type(error).__name__}: {error}"
        ) from error
    if strange := next((v for row in rows for v in row if not isinstance(v, Number)), None):
        raise Undecided(f"p={p}: {one.told}: what the page ensures is no number: {strange!r}")
    return Promise(rows, parts)


def numbers(x: Any) -> list[Any]:
    """Return the values that lie in a part of a state, one after the other."""
    if isinstance(x, dict):
        return [v for key in sorted(x) for v in numbers(x[key])]
    if isinstance(x, SparseVector):
        return [*x.indices, *map(plain, x.values)]
    if isinstance(x, str) or not hasattr(x, "__len__"):
        return [plain(x)]
    return [v for one in x for v in numbers(one)]


def said(formula: Any, letters: dict[str, Any]) -> Any:
    """Return what a formula of the page says."""
    return formula(**{name: letters[name] for name in letters_of(formula)})


def joined(states: Sequence[Any]) -> Any:
    """Return all ranks' states as one of values by rank."""
    first = states[0]
    if not hasattr(first, "_fields"):
        return None
    return type(first)(*(ByRanks(parts) for parts in zip(*states)))
