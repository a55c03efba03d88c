"""Derives the cost of a page whose senders change from step to step, in one way first and then in another.

The conditions ``t < X`` of its formulas cut the steps into spans, each of which is looked at as a page of its own: see
``changing_senders``.  The messages of leaders, added up over all spans, are those that steps take.  A path goes through
all of them if the leader who begins a span ended the one before, or just got a message from who did.

The rank that sends the most in all need not lead in any span.  If each sends in one step alone of each span, then what
one sends in all is a sum over two steps.  It is compared with that of the first few ranks, which send in the first few
steps of a span, each message from some number of ranks on, or from there on where that number is even.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, pairwise
from typing import NamedTuple

import sympy

from sparring.costs.derivation.changing_senders import (
    Claims,
    Work,
    adding_nothing,
    how_many,
    once,
    parts_of_vector,
    sending,
    summed,
)
from sparring.costs.derivation.confirmation import confirmed, plausible
from sparring.costs.derivation.leaders import few, sends
from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.derivation.whole_vectors import cuts
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, always, during, every, iff, p, r, t, u
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, evaluate, where

FIRST = range(3)
"""The ranks, and the steps of a span, of which is asked how much they send."""
TRIED = range(1, 33)
"""Numbers of ranks by which is guessed from where on a message is sent; what is guessed the solvers confirm."""
EVEN = 1 + sympy.floor(symbols.p / 2) - sympy.ceiling(symbols.p / 2)
"""1 for an even number of ranks, 0 for an odd one."""


class Since(NamedTuple):
    """From which number of ranks on a message is sent."""

    least: int
    even: bool
    """Whether even numbers alone."""

    @property
    def claim(self) -> Bool:
        return both(p >= self.least, p % 2 == 0) if self.even else p >= self.least

    @property
    def form(self) -> Expr:
        """1 where it is sent, else 0."""
        sent = sympy.Min(1, sympy.floor(symbols.p / self.least))
        return EVEN * (sent if self.least > 2 else 1) if self.even else sent


class Sender(NamedTuple):
    """How much one of the first ranks sends in all."""

    many: Int
    form: Expr
    claims: Claims


def derive_in_spans(page: Page) -> Derivation:
    """Return the closed forms; raise Undecided where there are not two spans, or one has no leaders."""
    parts, spans = parts_of_vector(page), [*pairwise([0, *cuts(page), page.steps(p)])]
    added = adding_nothing(page) if len(spans) == len((t, u)) else None
    if not added:
        raise Undecided("only of two spans, in which nothing is added, are changing senders summed")
    some_steps = [of_span(page, *span) for span in spans]
    each = [*sending(some_steps)]
    most, claims = busiest(page, some_steps, spans)
    shown, below = confirmed(page, claims)
    sent = Work(
        sympy.expand(sum(one.total for one in each)),
        most,
        all(one.path for one in each),
        sum(one.confirmed for one in each) + len(shown),
        below or any(one.below for one in each),
    )
    return summed(page, parts, sent, added)


def of_span(page: Page, first: Int, end: Int) -> Page:
    """Return a page that has the steps of a span alone."""
    return replace(
        page,
        steps=lambda p: end - first,
        messages=lambda t, p: page.messages(first + t, p),
        adds=lambda t, p: page.adds(first + t, p),
        dst=lambda r, t, p, *j: page.dst(r, first + t, p, *j),
        src=lambda r, t, p, *j: page.src(r, first + t, p, *j),
        chunk=lambda r, t, p, *j: page.chunk(r, first + t, p, *j),
        active=lambda r, t, p, *j: page.active(r, first + t, p, *j),
    )


# -- the rank that sends the most in all


def busiest(page: Page, spans: Sequence[Page], ends: Sequence[tuple[Int, Int]]) -> tuple[Expr, Claims]:
    """Return how many messages the rank sends that sends the most, and what shows it; raise Undecided for no such."""
    if not isinstance(page.messages(t, p), int):
        raise Undecided("how many messages a step has depends on p, so that those of a rank are not added up")
    inside = (every(first <= x, x < end) for x, (first, end) in zip((t, u), ends))
    box = (*during(page, t, u), *inside)
    sent = sum((how_many(page, sends(page), r, x) for x in (t, u)), 0)
    alone = [one for span in spans for one in once(span, sends(span))]
    candidates = [one for x in FIRST if (one := sender(page, x, ends))]
    for number in FIRST:
        for chosen in combinations(candidates, number + 1):
            most: Int = reduce(lambda a, b: where(a <= b, b, a), [one.many for one in chosen])
            more = Obligation("no rank sends more in all", box, sent <= most)
            if plausible(more):
                claims = [claim for one in chosen for claim in one.claims]
                return sympy.Max(*(one.form for one in chosen)), [*alone, *claims, more]
    raise Undecided("none of the first ranks was found to send the most")


def sender(page: Page, x: int, spans: Sequence[tuple[Int, Int]]) -> Sender | None:
    """Return what rank ``x`` sends in the first steps of spans; None where it depends on p in another way."""
    asked = [
        every(x < p, first + step < end, page.active(x, first + step, p, *at))
        for first, end in spans
        for step in FIRST
        for at in few(page)
    ]
    found = [(claim, since(claim)) for claim in asked if any(evaluate(claim, p=ranks) for ranks in TRIED)]
    if not all(one for _, one in found):
        return None
    kept = [(claim, one) for claim, one in found if one]
    claims = [Obligation("from where on it sends", always(page), iff(claim, one.claim)) for claim, one in kept]
    many = sum((where(one.claim, 1, 0) for _, one in kept), 0)
    return Sender(many, together([one for _, one in kept]), claims)


def since(claim: Bool) -> Since | None:
    """Return from which number of ranks on ``claim`` holds, as far as they are tried; None where it does not begin."""
    so = [ranks for ranks in TRIED if evaluate(claim, p=ranks)]
    ways = (Since(so[0], even) for even in (False, True))
    return next((one for one in ways if so == [ranks for ranks in TRIED if evaluate(one.claim, p=ranks)]), None)


def together(found: Sequence[Since]) -> Expr:
    """Return how many of these messages are sent: of those from two ranks on, three and so on, the lesser of two."""
    always_sent = sorted(one.least for one in found if not one.even)
    row = sum(1 for at, least in enumerate(always_sent, 2) if at == least)
    rest = [Since(least, even=False) for least in always_sent[row:]] + [one for one in found if one.even]
    return sympy.Min(row, symbols.p - 1) + sum(one.form for one in rest)
