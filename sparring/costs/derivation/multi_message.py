"""Derives the cost of a page that sends several messages in a step, of whole vectors or of chunks.

*Whole vectors*: derived where in every step every rank sends every message, and every step adds: then each rank
sends, receives and adds so many vectors, and so does a path of messages.  Where this is so only if p is a power of
the page's base, the forms are given under that hypothesis; for other p, at which some ranks fold and others are
silent, messages are counted and not derived.

*Chunks*: a step's messages, which a rank sends one after the other, are summed as the steps are of a page that sends
one message in each.  If a page has as many messages a step as there are other ranks, and all go to different ranks,
then from every rank a path of messages leads to every other in one step, so that V_path is V_crit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy

from sparring.costs.derivation.confirmation import so
from sparring.costs.derivation.step_ranges import Derivation, StepsReader
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr, Log, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, during, i, implies, j, letter, letters, n, p, r, t, within
from sparring.proofs.reading.annotations import Subject, subject
from sparring.spec.core.digits import log, power
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Sym, variables, where
from sparring.spec.core.schedule import number

POWER = "p = radix^m"
FOLDED = "other p: then some ranks fold and are silent in the rounds; their messages are counted, not derived"
FEW = 16
"""The most steps of chunks that are summed, each by itself."""


def rounds(page: Page) -> Derivation:
    """Return the closed forms; raise Undecided where some rank sends fewer messages, or not all steps add."""
    whole = subject(page).general
    if page.cuts or not SympyReader()(page.words(r, t, 0, p, n, Sym.var("k"))).equals(symbols.n):
        raise Undecided("only of whole vectors are several messages of a step summed")
    if "t" in variables(whole.page.messages(t, p)):
        raise Undecided("how many messages a rank sends depends on the step")
    radix = whole.page.params.get("radix")
    ways: list[tuple[str, tuple[Bool, ...], Sequence[Obligation], Expr | None]] = [("", (), (), None)]
    if isinstance(radix, Sym):
        powers = (p == power(radix, log(p, radix)),)
        step = (*whole.given, *during(whole.page), *powers)
        digits = Obligation("through all digits", step, whole.page.steps(p) == log(p, radix))
        ways.append((POWER, powers, [digits], Log(symbols.p, symbols.symbol("radix"))))
    for given, hypotheses, also, known in ways:
        claims = [*alike(whole, hypotheses), *also]
        if so(whole.page, claims):
            steps = known or sympy.expand(StepsReader()(whole.page.steps(p)))
            many = sympy.expand(steps * StepsReader()(whole.page.messages(t, p)))
            words = sympy.expand(symbols.n * many)
            return Derivation(
                steps=steps, messages=many, sent=words, received=words, words=words, path=words, critical=words,
                added=words, added_critical=words, gaps=(FOLDED,) if given else (), given=given,
                confirmed=len(claims), letters={"radix": page.params["radix"]} if given else {},
            )  # fmt: skip
    raise Undecided("in some step a rank sends fewer messages than another, which is not yet summed")


def alike(whole: Subject, hypotheses: tuple[Bool, ...]) -> Sequence[Obligation]:
    """Return the obligations that every rank sends every message of each step, and adds what it receives."""
    page, any_j = whole.page, letter(whole.page)
    step = (*whole.given, *during(page), *letters(page), *hypotheses)
    return [
        Obligation("all send all messages", step, page.active(r, t, p, *any_j)),
        Obligation("all receive all messages", step, page.active(page.src(r, t, p, *any_j), t, p, *any_j)),
        Obligation("every step adds", step, page.adds(t, p)),
    ]


def step_by_step(page: Page) -> Sequence[Page]:
    """Return, for each step, a page whose steps are its messages; raise Undecided if their number is no constant."""
    many = number(page.steps(2))
    steady = [
        Obligation("as many steps for all ranks but one", (p >= 1,), page.steps(p) == where(p > 1, many, 0)),
        Obligation("all send all messages", (*during(page), *letters(page)), page.active(r, t, p, j)),
    ]
    if many > FEW or not so(page, steady):
        raise Undecided("several messages in each of so many steps, or from some of the ranks alone, are not summed")
    return [apart(page, step) for step in range(many)]


def apart(page: Page, step: int) -> Page:
    """Return a page that sends the messages of a step one after the other."""

    def of(formula: Any) -> Any:
        return lambda r, t, p, j=0: formula(r, step, p, t)

    def sized(formula: Any) -> Any:
        return lambda r, t, c, p, n, k: formula(r, step, c, p, n, k)

    return replace(
        page, steps=lambda p: page.messages(step, p), messages=lambda t, p: 1, adds=lambda t, p: page.adds(step, p),
        dst=of(page.dst), src=of(page.src), chunk=of(page.chunk), active=of(page.active),
        words=sized(page.words), added=sized(page.added),
    )  # fmt: skip


def to_all(page: Page) -> bool:
    """Return whether in every step every rank sends to every other."""
    step, (low, high) = during(page), (page.dst(r, t, p, x) for x in (i, j))
    two = (*step, within(i, p - 1), within(j, p - 1))
    return so(
        page,
        [
            Obligation("a message for each other rank", step, page.messages(t, p) == p - 1),
            Obligation("each for another one", two, implies(low == high, i == j)),
        ],
    )
