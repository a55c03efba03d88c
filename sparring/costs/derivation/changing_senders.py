"""Derives the cost of a page of whole vectors, or equal parts, whose senders change each step: trees and chains.

In each step some rank *leads*: no other one sends more messages.  Then the messages of leaders, added up, are those
that steps take.  Where one rank leads in all steps, none sends more in all; where each rank sends in one step alone,
none sends more than the leader of the step that has most.  A path of messages goes through all steps if each leader
is the one before, or gets a message from it.  Who gets and adds the most is told likewise; or nobody adds.

Leaders and how many messages they send are tried, see ``leaders`` and ``shapes``; what is used both solvers confirm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import sympy

from sparring.costs.derivation.confirmation import plausible, shown
from sparring.costs.derivation.leaders import Does, Leader, a_rank, adds, few, leaders, least, passes, sends
from sparring.costs.derivation.step_ranges import UNLESS_ALONE, Derivation, StepsReader
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import CeilLog, CeilLog2, Expr, FloorLog2, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import (
    Obligation,
    always,
    c,
    during,
    i,
    iff,
    implies,
    j,
    letter,
    letters,
    n,
    p,
    r,
    some,
    t,
    u,
    within,
)
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate, variables, where

PATH = "V_path: no path was found that goes through the messages of all steps; it is counted, not derived"

Claims = Sequence[Obligation]


class Shape(NamedTuple):
    """How many messages leaders have."""

    total: Expr
    """Of all steps."""
    peak: Expr
    """Of the step that has most."""
    claims: Claims


class Work(NamedTuple):
    """How many messages are sent, or received and added."""

    total: Expr
    """The most of a rank in each step, summed."""
    most: Expr
    """Those of the rank that has the most in all."""
    path: bool
    """Whether a path goes through the messages of all leaders."""
    confirmed: int
    """How many obligations show it."""
    below: bool
    """Whether one is shown for p < 2^31 alone."""
    leader: Leader | None = None
    """Who has the most of each step; None where nobody has any."""


def derive_changing(page: Page) -> Derivation:
    """Return the closed forms; raise Undecided where no leaders are found."""
    parts, [sent] = parts_of_vector(page), sending([page])
    return summed(page, parts, sent, adding(page))


def parts_of_vector(page: Page) -> int:
    """Return into how many equal parts a vector is cut, one of which is in a message; raise Undecided for no such."""
    parts = page.chunks(p)
    if isinstance(parts, int) and not page.blocks:
        words = SympyReader()(page.words(r, t, c, p, parts * n, Sym.var("k")))
        if words.equals(symbols.n):
            return parts
    raise Undecided("a message is neither the whole vector nor one of a few equal parts")


def summed(page: Page, parts: int, sent: Work, added: Work) -> Derivation:
    """Return the closed forms, where a message is one of so many equal parts of a vector."""
    each = symbols.n / parts
    unequal = f"n that {parts} does not divide: then messages differ by one; they are counted, not derived"
    return Derivation(
        steps=StepsReader()(page.steps(p)), messages=sent.total, most=None if sent.most == sent.total else sent.most,
        words=each * sent.most, path=each * sent.total if sent.path else None,
        critical=each * sent.total, added=each * added.most, added_critical=each * added.total,
        confirmed=sent.confirmed + added.confirmed, below=sent.below or added.below,
        given=f"{parts} | n" if parts > 1 else "",
        gaps=(*([unequal] if parts > 1 else []), *([] if sent.path else [PATH])),
    )  # fmt: skip


def sending(spans: Sequence[Page]) -> Iterator[Work]:
    """Yield how much is sent in each span; leaders to whom a path leads are looked for first."""
    before: Page | None = None
    leader: Leader | None = None
    for span in spans:
        found = leaders(span)
        ways = [(one, [passes(span, one)]) for one in found]
        if before and leader:
            on = [carried_on(before, leader, span), *found]
            ways = [(one, [passes(span, one), handed_over(before, leader, one)]) for one in on]
        yield (done := work(span, sends(span), [*ways, *((one, []) for one in found)]))
        before, leader = span, done.leader


def last(span: Page) -> Int:
    return where(p > 1, span.steps(p) - 1, 0)


def carried_on(before: Page, leader: Leader, span: Page) -> Leader:
    """Return the leader at the end of the span before if it sends again at once, else who got a message from it."""
    end, first = last(before), letter(span, 0)
    x = leader(end)
    return lambda _: where(span.active(x, 0, p, *first), x, before.dst(x, end, p, *first))


def handed_over(before: Page, leader: Leader, then: Leader) -> Obligation:
    """Return the obligation that who leads first is who led last in the span before, or just got a message from it."""
    end = last(before)
    x, y = leader(end), then(0)
    sent = (both(before.active(x, end, p, *at), before.dst(x, end, p, *at) == y) for at in few(before))
    return Obligation("a path from span to span", always(before), implies(p > 1, some(x == y, *sent)))


def adding(page: Page) -> Work:
    """Return how much is added: nothing where all steps overwrite, else by those to whom leaders send."""
    if nothing := adding_nothing(page):
        return nothing

    def receiver(leader: Leader) -> Leader:
        return lambda step: page.dst(leader(step), step, p, *letter(page, 0))

    return work(page, adds(page), [(leader, []) for leader in (leaders(page)[0], *map(receiver, leaders(page)))])


def adding_nothing(page: Page) -> Work | None:
    """Return that nothing is added; None where that is not shown."""
    found = shown(page, each_message(page, negate(page.adds(t, p))))
    return Work(sympy.Integer(0), sympy.Integer(0), False, *found) if found else None


def work(page: Page, does: Does, candidates: Iterable[tuple[Leader, Claims]]) -> Work:
    """Return how much is done, by the first leader with a shape, and its path; raise Undecided where there is none."""
    stepping = Obligation("a step where there are two ranks", (p >= 1,), iff(page.steps(p) >= 1, p > 1))
    for leader, path in candidates:
        steady = "t" not in variables(leader(t))
        about = [a_rank(page, leader), *path]
        alone = () if steady else once(page, does)
        for shape in shapes(page, does, leader) if all(map(plausible, about)) else ():
            if found := shown(page, [*about, *shape.claims, *alone, stepping]):
                return Work(shape.total, shape.total if steady else shape.peak, bool(path), *found, leader)
    raise Undecided("in no way that is looked for some rank has the most messages of a step")


def shapes(page: Page, does: Does, leader: Leader) -> Iterator[Shape]:
    """Yield how many messages leaders may have, and what shows it.

    One in each step; all; one, but all in the first or the last step; or as many as a tree's level is wide.
    """
    step, read, first = during(page), StepsReader(), few(page)[0]
    steps, each = read(page.steps(p)), read(page.messages(t, p))
    full = each if (steps, each) == (UNLESS_ALONE, symbols.p - 1) else sympy.expand(steps * each)

    def many(x: Int) -> Int:
        return how_many(page, does, x, t)

    bounded = isinstance(page.messages(t, p), int)
    both_sent = both(does(r, t, *letter(page, i)), does(r, t, *letter(page, j)))
    two = Obligation("one message", (*step, *letters(page, i, j)), implies(both_sent, i == j))
    single = Obligation("one message", step, many(r) <= 1) if bounded else two
    yield Shape(steps, UNLESS_ALONE, [Obligation("has one", step, does(leader(t), t, *first)), single])
    yield Shape(full, each, each_message(page, does(leader(t), t, *letter(page))))
    if not bounded:
        return
    top, width = sympy.Min(each, symbols.p - 1), len(few(page))
    wide, once_wide = least(p - 1, width), sympy.expand(top + steps - UNLESS_ALONE)
    for total, often, also in (
        (once_wide, where(t == 0, wide, 1), True),
        (once_wide, where(t + 1 == page.steps(p), wide, 1), True),
        *(levels(page, width) if page.encoding == "bits" else ()),
    ):
        yield Shape(total, top, [
            Obligation("as many as said", step, both(also, many(leader(t)) == often)),
            Obligation("no rank has more", step, many(r) <= often),
        ])  # fmt: skip


def how_many(page: Page, does: Does, x: Int, step: Int) -> Int:
    """Return how many of a step's few messages rank ``x`` sends, or gets."""
    return sum((where(does(x, step, *at), 1, 0) for at in few(page)), 0)


def levels(page: Page, width: int) -> Iterator[tuple[Expr, Int, Bool]]:
    """Yield how many messages there are over all steps, how many in step ``t``, and that later steps have none.

    Step by step, or backwards, the messages that there are lead to the ranks m b**t, b = ``width`` + 1, or, on the
    levels of a binary tree, to the ranks (m + 1) 2**t - 1, for m from 1 to ``width``.
    """
    bits, steps, each = width.bit_length(), page.steps(p), range(1, width + 1)
    for step in (t, steps - 1 - t):
        if width + 1 == 1 << bits:
            there = [where(m << (bits * step) < p, 1, 0) for m in each]
            total = sum(CeilLog(sympy.ceiling(symbols.p / m), width + 1) for m in each)
            yield total, sum(there, 0), p <= 1 << (bits * steps)
        if width == 2:
            there = [where((m + 1) << step <= p, 1, 0) for m in each]
            yield FloorLog2(symbols.p) + CeilLog2(sympy.floor(symbols.p / 3) + 1), sum(there, 0), p < 2 << steps


def each_message(page: Page, claim: Bool) -> Claims:
    return [Obligation("each message of each step", (*during(page), *letters(page)), claim)]


def once(page: Page, does: Does) -> Claims:
    """Return the obligation that rank ``r`` does it in one step at most."""
    at = ((t, letter(page, i)), (u, letter(page, j)))
    of = [within(x, page.messages(step, p)) for step, which in at for x in which]
    both_times = both(*(does(r, step, *which) for step, which in at))
    return [Obligation("in one step", (*during(page, t, u), *of), implies(both_times, t == u))]
