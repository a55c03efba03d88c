"""What a page costs whose ranks form a tree: messages of one length, added on their way to rank 0, then shown to all.

As many steps add as show.  A rank that is ``spent`` has sent once and not been shown the result; every
other has sent nothing as long as steps add, and afterwards at most once in each step.  So no rank sends
more messages than there are steps on one way; and rank 0 gets one in each of the first half of the steps
and sends one in each of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import sympy

from sparring.errors import Undecided
from sparring.proofs.core.obligations import Obligation, always, during, iff, implies, n, p, r, t
from sparring.proofs.core.supplement import subject
from sparring.proofs.cost.symbols import Expr, SympyReader
from sparring.proofs.cost.whole import LogReader, confirmed, cuts
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, negate, where


class Tree(NamedTuple):
    """Closed forms, and how many obligations they rest on."""

    levels: Expr
    """The steps of one way."""
    words: Expr
    """Of a message."""
    added: Expr
    """Values of it that are added."""
    confirmed: int
    below: bool


def tree(page: Page) -> Tree:
    """The closed forms; raises Undecided where the page is no such tree, or a solver does not confirm it."""
    first = next(iter(cuts(page)), page.steps(p))
    words, added = (SympyReader()(of(r, t, 0, p, n, Sym.var("k"))) for of in (page.words, page.added))
    if words.has(*map(SympyReader(), (r, t))):
        raise Undecided(f"a message has {words} words, which depends on who sends it when")
    claims, below = confirmed(page, [*shape(page, first)])
    return Tree(sympy.expand(LogReader()(first)), words, added, len(claims), below)


def shape(page: Page, levels: Int) -> Iterator[Obligation]:
    """What makes it a tree with so many steps on one way."""
    spent, step = subject(page).spent, during(page)
    if spent is None:
        raise Undecided("which ranks have nothing left is not stated: spent(r, c, t, p)")

    def sent(at: Int) -> Int:
        """At most so many messages has a rank sent before that step."""
        return where(spent(r, 0, at, p), 1, where(at <= levels, 0, at - levels))

    def sends(rank: Int) -> Int:
        return where(page.active(rank, t, p), 1, 0)

    yield Obligation("there and back", always(page), page.steps(p) == 2 * levels)
    yield Obligation("half of the steps add", step, iff(page.adds(t, p), t < levels))
    yield Obligation("none sent before", always(page), sent(0) >= 0)
    yield Obligation("messages sent", step, sent(t + 1) >= sent(t) + sends(r))
    yield Obligation("no rank sends more", always(page), sent(page.steps(p)) <= levels)
    yield Obligation("the root is sent to", step, implies(t < levels, page.active(page.src(0, t, p), t, p)))
    yield Obligation("and sends", step, implies(negate(t < levels), page.active(0, t, p)))
