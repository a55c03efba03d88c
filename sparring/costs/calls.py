"""Calls of compositions, in which what exchanges send is counted beside their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import sympy

from sparring.costs.derivation import group_averages
from sparring.costs.derivation.counted import Message, Unlike, held, tally
from sparring.costs.derivation.exchanges import SPARSE, Priced
from sparring.costs.formulas.symbols import exact
from sparring.errors import Undecided
from sparring.proofs.reading.ways import Way, usual
from sparring.proofs.statements.volume import terms
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Evaluator
from sparring.spec.core.runner import Message as Sent
from sparring.spec.core.runner import run, worded
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.sparse import SparseVector

MANY, FEW, LONG = 16, 4, 257
"""Above ``MANY`` ranks one call is counted; up to ``FEW``, calls with ``LONG`` times the entries a chunk, too."""
CALLS = 4
"""The number of calls after which a usual one has come, or none will."""
EVEN = "chunks of one length"


class Call(NamedTuple):
    """A call that is counted: its vectors, the state that the call before left, and whether lengths are exact in it."""

    what: str
    page: Page
    xs: list[Any]
    state: Any
    full: bool = False


def calls(page: Page, found: Sequence[Way], most: Sequence[Priced], p: int) -> Iterator[Call]:
    """Yield usual calls on ``p`` ranks: with chunks of one length, and on fewer ranks with any and with long ones.

    ``found``: the ways that calls of the page go; ``most``: what the exchanges of a usual one cost.
    """
    if page.selecting:
        yield from selecting(page, found, p)
        return
    if grouped(most):
        (m,) = {one.members for one in most}
        for many, even in group_averages.lengths(p, m):  # on a full grid all that the bound says is sent
            yield Call(EVEN if even else "any parts", page, [*group_averages.vectors(p, many)], None, even)
        return
    rng, coded = np.random.default_rng(p), any(one.unit == "bytes" for one in most)
    kinds: tuple[Any, ...] = (np.float32, np.float64) if coded else (None,)
    page = load(page.module, **{**page.params, "k": p}) if "k" in page.params else page
    least = 1 if any(hasattr(one.sent.code, "sample") for one in most) else -9  # such codes are shorter where zeros are
    for what, n, kind in sizes(p, lcm(*map(filled, most), *map(rounded, most)), rng, kinds):
        rows = rng.integers(least, 10, (CALLS, p, n))
        given = [[row.astype(kind) if kind else [*map(float, row)] for row in xs] for xs in rows]
        if one := usual_call(page, found, what, given):
            yield one


def grouped(most: Sequence[Priced]) -> bool:
    """Return whether ranks are in groups, in which a rank need not hear from all."""
    return any(one.members for one in most)


def selecting(page: Page, found: Sequence[Way], p: int) -> Iterator[Call]:
    """Yield a call in which each rank selects an entry of each region, and all sums that stay are rank 0's."""
    page, half = load(page.module, **{**page.params, "k": p}), p // 2
    rows = [{r: 2 * p, **{c * p + half: 1 for c in range(1, p)}} for r in range(p)]
    xs = [SparseVector(tuple(sorted(row)), tuple(row[i] for i in sorted(row)), p * p) for row in rows]
    if one := usual_call(page, found, EVEN, [xs] * CALLS):
        yield one


def filled(one: Priced) -> int:
    """Return how many entries of a chunk fill whole bytes, which the bound takes to be full."""
    return 8 if one.unit == "bytes" and terms(one.sent.code) else 1


def rounded(one: Priced) -> int:
    """Return how many entries of a vector fill whole rows, from which the exchange's length is made."""
    atoms = one.length.atoms(sympy.ceiling, sympy.floor)
    return lcm(*(int(sympy.fraction(sympy.together(x.args[0]))[1]) for x in atoms))


def sizes(p: int, full: int, rng: Any, kinds: Sequence[Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield for each vector length its name, the number of entries, and the kind of entries."""
    yield EVEN, full * p, kinds[p % len(kinds)]
    if p <= MANY:
        yield "any chunks", int(rng.integers(1, 3 * p * full + 2)), kinds[(p + 1) % len(kinds)]
    if p <= FEW:
        yield from (("long chunks", LONG * full * p, kind) for kind in kinds)


def usual_call(page: Page, found: Sequence[Way], what: str, given: Sequence[list[Any]]) -> Call | None:
    """Return the first call on these vectors that is a usual one; None where there is none."""
    state, later = None, any(way.first for way in found)
    for called, xs in enumerate(given):
        one = Call(what, page, xs, state)
        at = {**letters_of_run(one), "call": called, "r": 0}
        if not (later and called == 0) and all(Evaluator(at)(claim) for claim in usual(found).hypotheses):
            return one._replace(full=not supposed(page) or what == EVEN)
        state = run(page, xs, state).state
    return None


def supposed(page: Page) -> Sequence[tuple[str, str]]:
    """Return the page's hypotheses, each with its name; with hypotheses, lengths are the most that there may be."""
    found: Sequence[tuple[str, str]] = getattr(page.module, "hypotheses", ())
    return found


def even(each: Priced, one: Call) -> bool:
    """Return whether all pieces of an exchange are of one length in a call, and full."""
    at = letters_of_run(one)
    met = each.members or int(exact(each.ranks, at))
    entries, pieces = int(Evaluator(at)(each.sent.length)), 1 if each.sent.whole else met
    by_values = each.packed or getattr(each.sent.code, "by_values", False)
    return one.full and not by_values and at["p"] > 1 and entries % (pieces * filled(each)) == 0


def letters_of_run(one: Call) -> dict[str, int]:
    """Return the values of a run's letters; ``k`` is 0 where the page has none."""
    x, kept = one.xs[0], {"k": one.page.params.get("k", 0)}
    width = {"width": x.dtype.itemsize} if hasattr(x, "dtype") else {}
    return {"p": len(one.xs), "n": x.n if isinstance(x, SparseVector) else len(x), **kept, **width}


Trace = Sequence[Sequence[Sent]]


def traced(one: Call) -> Trace:
    """Return the steps of a call."""
    return run(one.page, one.xs, one.state).trace


def cut(most: Sequence[Priced], one: Call) -> list[Trace]:
    """Return the steps of each exchange; raise Undecided where there are others."""
    trace, p = traced(one), len(one.xs)
    if p == 1 and not any(trace):
        return [[] for _ in most]
    many = [int(exact(each.forms["steps"], {"p": p})) for each in most]
    if len(trace) != sum(many):
        raise Undecided(f"{one.what} at p={p}: {len(trace)} steps, and the exchanges have {sum(many)}")
    return [trace[sum(many[:i]) : sum(many[: i + 1])] for i in range(len(many))]


def sized(page: Page, entries: Any, unit: str, width: int) -> int:
    """Return the length of a message, in words or in bytes; raise Undecided for one whose bytes are not counted."""
    if unit == "words":
        return worded(page, entries, 8)
    if isinstance(entries, SparseVector):
        return number(page.octets(len(entries.indices), entries.n, width))
    if not isinstance(entries, memoryview):
        raise Undecided(f"{page.name}: a message is a {type(entries).__name__}, whose bytes are not counted")
    return entries.nbytes


def counts(one: Call, trace: Trace, unit: str, adds: Callable[[int], Bool] = lambda t: False) -> dict[str, int]:
    """Return the most that a rank sends, in messages and in ``unit``, if any; and the sum of each step's largest.

    Where words are counted, also the most values that a rank hears in the steps in which it ``adds`` them.
    """
    width, words = letters_of_run(one).get("width", 8), unit == "words"
    steps = [
        [
            Message(src, dst, sized(one.page, x, unit, width) if unit else 0, held(x) if words else 0, truth(adds(t)))
            for src, dst, x in wire
        ]
        for t, wire in enumerate(trace)
    ]
    found = tally(steps, len(one.xs))
    return {
        "messages": found.most,
        **({unit: found.words, "critical": found.critical} if unit else {}),
        **({"added": found.added} if words else {}),
    }


def adding(each: Priced, p: int) -> Callable[[int], Bool]:
    """Return a function that says of a step of an exchange whether what is heard in it is added."""
    if each.sent.exchange == "Balance":
        return lambda t: False
    if each.sent.exchange in ("Allreduce", SPARSE) and each.page.kind == "allgather":
        return lambda t: True
    if m := each.members:  # in rounds, each of full groups
        return lambda t: each.page.adds(t % number(each.page.steps(m)), m)
    met = int(exact(each.ranks, {"p": p}))
    return lambda t: each.page.adds(t, met)


def compared(most: Sequence[Priced], one: Call) -> Iterator[Unlike]:
    """Yield where a run is above the bound of an exchange, or below where it must reach it."""
    at, p = letters_of_run(one), len(one.xs)
    for each, trace in zip(most, cut(most, one)):
        for what, found in counts(one, trace, "" if each.lacking else each.unit, adding(each, p)).items():
            bound = int(exact(each.forms[what], at))
            if found > bound or (found < bound and even(each, one)):
                yield Unlike(f"{one.what}, {each.name}, {what}", at, bound, found)
