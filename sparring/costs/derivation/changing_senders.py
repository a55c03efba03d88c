"""Derives the cost of a page of whole vectors whose senders change from step to step: trees and chains.

Either one rank, the same in all steps, sends all messages that a step has: then no rank sends more, and a path goes
through all of them.  Or each rank sends at most one message in all, and in each step some rank does.  Likewise one rank
gets and adds all messages of all steps, or each rank adds at most one in all; or nobody adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

import sympy

from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.derivation.whole_vectors import SOME_RANKS, LogReader, confirmed
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import (
    Obligation,
    during,
    every,
    i,
    iff,
    implies,
    j,
    letter,
    letters,
    n,
    p,
    r,
    t,
    u,
    within,
)
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Sym, both, negate

UNLESS_ALONE = sympy.Min(1, symbols.p - 1)
"""1, but 0 for one rank."""
PATH = "V_path: no rank sends in all steps; it is counted, not derived"

Claims = Sequence[Obligation]


class StepsReader(LogReader):
    """Reads a number of steps that may be 1, but 0 for one rank."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "where" and args == [sympy.Lt(1, symbols.p), 1, 0]:
            return UNLESS_ALONE
        return super().operator(x, args)


def derive_changing(page: Page) -> Derivation:
    """Return the closed forms; raise Undecided where some rank sends, or adds, several of the messages, but not all."""
    if page.cuts or page.blocks or not SympyReader()(page.words(r, t, 0, p, n, Sym.var("k"))).equals(symbols.n):
        raise Undecided("a message is not the whole vector")
    read = StepsReader()
    steps, each = read(page.steps(p)), read(page.messages(t, p))
    full = each if (steps, each) == (UNLESS_ALONE, symbols.p - 1) else sympy.expand(steps * each)
    root, silent, sink = (shown(page, ways(page)) for ways in (sends_all, adds_nothing, adds_all))
    sent, got = root or shown(page, sends_once(page)), silent or sink or shown(page, adds_once(page))
    if not sent or not got:
        raise Undecided("some rank sends, or adds, several of the messages, but none of them all")
    messages, most = (full, full) if root else (steps, UNLESS_ALONE)
    adding, added = (0 * full, 0 * full) if silent else (full, full) if sink else (steps, UNLESS_ALONE)
    return Derivation(
        steps=steps, messages=messages, most=None if root else most, words=symbols.n * most,
        path=symbols.n * messages if root else None, critical=symbols.n * messages,
        added=symbols.n * added, added_critical=symbols.n * adding, confirmed=len(sent) + len(got),
        gaps=() if root else (PATH,),
    )  # fmt: skip


def shown(page: Page, ways: Iterable[Claims]) -> Claims:
    """Return the first claims that both solvers confirm; none where there are none."""
    for claims in ways:
        with suppress(Undecided):
            return confirmed(page, claims)[0]
    return ()


def each_message(page: Page, claim: Bool) -> Claims:
    return [Obligation("each message of each step", (*during(page), *letters(page)), claim)]


def sends_all(page: Page) -> Iterator[Claims]:
    """Yield, for each of some ranks, that it sends all messages of all steps."""
    yield from (each_message(page, page.active(x, t, p, *letter(page))) for x in SOME_RANKS)


def sends_once(page: Page) -> Iterator[Claims]:
    """Yield, for each of some ranks, that it sends in a step; and that each rank sends one message in all."""
    zero: tuple[Int, ...] = (0,) if page.several else ()
    stepping = Obligation("a step where there are two ranks", (p >= 1,), iff(page.steps(p) >= 1, p > 1))
    for x in (t, p - 1 - t, *(page.src(x, t, p, *zero) for x in SOME_RANKS)):
        somebody = Obligation("somebody sends", during(page), both(within(x), page.active(x, t, p, *zero)))
        yield [stepping, somebody, *once(page, lambda step, *j: page.active(r, step, p, *j))]


def adds_nothing(page: Page) -> Iterator[Claims]:
    """Yield that all steps overwrite."""
    yield each_message(page, negate(page.adds(t, p)))


def adds_all(page: Page) -> Iterator[Claims]:
    """Yield, for each of some ranks, that it gets and adds all messages of all steps."""
    for x in SOME_RANKS:
        got = page.active(page.src(x, t, p, *letter(page)), t, p, *letter(page))
        yield each_message(page, both(page.adds(t, p), got))


def adds_once(page: Page) -> Iterator[Claims]:
    """Yield that all steps add, and that each rank gets one message in all."""
    adding = each_message(page, page.adds(t, p))
    yield [*adding, *once(page, lambda step, *j: page.active(page.src(r, step, p, *j), step, p, *j))]


def once(page: Page, does: Callable[..., Bool]) -> Claims:
    """Return the obligations that rank ``r`` does it for one message of one step at most."""
    at = ((t, letter(page, i)), (u, letter(page, j)))
    of = [within(x, page.messages(step, p)) for step, which in at for x in which]
    two = every(*(does(step, *which) for step, which in at))
    same = both(t == u, i == j) if page.several else t == u
    return [Obligation("once in all", (*during(page, t, u), *of), implies(two, same))]
