"""Lower bounds: what no algorithm of a kind goes below, and of which kind each speaks.

Sparse ones count pairs, an index and a value, each of them a word and sent as such; none is a bound on bytes where
indices are encoded in less.  What some rank *receives* bounds the most that one rank *sends* where it is the mean over
all ranks: all that is received is sent.  Three have three scopes, and are not to be taken for each other:

*known to one rank*  The result has exactly ``k`` pairs, each known to at most one rank at first, to rank ``r`` ``a_r``
                     of them, so that their sum is at most ``k``.  Rank ``r`` must receive ``k - a_r``; the mean over
                     the ranks is ``k - k/p`` or more, ``2 k (p - 1) / p`` words.
*lacked pairs*       Nothing is dropped.  A rank with ``k`` pairs must receive one for each of the ``u(p) - k`` indices
                     of the union that it lacks: ``2 (u(p) - k)`` words.  Where supports are disjoint that is
                     ``2 k (p - 1)``, ``p`` times the one before, which is no bound for it but far below.
*known supports*     All supports are the same, and known to be: values alone are sent, as in a dense allreduce of ``k``
                     words, ``2 k (p - 1) / p`` at least.  The same number as the first, of something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy
import z3

from sparring.costs.formulas.symbols import CeilLog2, Expr, k, n, p
from sparring.proofs.logic.verdicts import REFUTED, Verdict, proved_up_to
from sparring.spec.core.model import Page

PATARASUK, CHAN, OKTOPK = "Patarasuk and Yuan 2009", "Chan et al. 2007", "Li and Hoefler 2022"
RANKS = 16
"""The most ranks for which z3 looks for a way to know pairs that escapes a bound."""


class Floor(NamedTuple):
    """A lower bound that no algorithm of its kind goes below."""

    quantity: str
    formula: Expr
    source: str
    """The paper; empty where it is our own count."""
    scope: str = ""
    """The algorithms and inputs that the bound is of, in a sentence; empty where of all that do the same."""


def lower_bounds(page: Page) -> Sequence[Floor]:
    """Return bounds for every algorithm that does what the page does; :func:`of_unions` says more of sparse chunks."""
    if page.own is not None:
        return []  # none is known of what only the page promises
    latency = Floor("messages", CeilLog2(p), CHAN)
    if page.data == "lists":
        return [Floor("words", 2 * k * (p - 1), "", ALL_LISTS), latency]
    if page.data == "selected" and not page.once:  # else the result may have more pairs than any rank selects
        return [Floor("words", 2 * k * (p - 1) / p, OKTOPK, ONE_RANK), latency]
    if page.data != "vector" or hasattr(page.module, "words"):  # how much must be sent depends on the data
        return [latency]
    if page.kind == "allreduce":
        return [Floor("words", 2 * n * (p - 1) / p, PATARASUK), latency]
    return [Floor("words", n * (p - 1) / p, CHAN), latency]


ALL_LISTS = "all ranks receive the other ranks' lists; a sparse sum needs that where no two supports meet"
ONE_RANK = "the result has exactly k pairs, each of them known to at most one rank at first"
LACKED = "nothing is dropped, and each rank lacks u(p) - k pairs of the sum"
DISJOINT = "nothing is dropped, and each rank lacks all other ranks' pairs, as many as there is room for"
KNOWN = "all supports are the same and known to be, so that values alone are sent"


def of_unions(support: str, all_: Expr) -> Floor:
    """Return the bound on pairs under a model of supports; ``all_``: the size of the union of all ranks' supports."""
    if support == "identical":
        return Floor("pairs", 2 * k * (p - 1) / p, PATARASUK, KNOWN)
    return Floor("pairs", 2 * sympy.expand(all_ - k), "", DISJOINT if support == "disjoint" else LACKED)


def escaping(words: Expr, ranks: int) -> dict[str, Any] | None:
    """Return how ``k`` pairs can be known, each by one rank at most, so that no rank must receive ``words``; or None.

    ``words``: a multiple of ``k``.  Decided by z3 for all ``k``.
    """
    solver, many = z3.Solver(), z3.Int("k")
    known = [z3.Int(f"known_{r}") for r in range(ranks)]
    each = sympy.Rational(words.subs(p, ranks) / k)
    solver.add(many >= 0, z3.Sum(known) <= many, *(one >= 0 for one in known))
    solver.add(*(2 * (many - one) * each.q < each.p * many for one in known))
    if solver.check() == z3.unsat:
        return None
    model = solver.model()
    return {"k": model[many].as_long(), "known": [model.eval(one, model_completion=True).as_long() for one in known]}


def judge_bounds(page: Page) -> list[tuple[str, Verdict, str]]:
    """Judge with z3 a page's bound for results of which each pair is known to one rank at most."""
    return [("bound", *found(one)) for one in lower_bounds(page) if one.scope == ONE_RANK]


def found(floor: Floor) -> tuple[Verdict, str]:
    """Return the verdict on a bound: refuted where z3 finds a way to know pairs that escapes it."""
    for ranks in range(1, RANKS + 1):
        if known := escaping(floor.formula, ranks):
            return REFUTED, f"p={ranks}: no rank must receive {floor.formula} words where {known}"
    return proved_up_to(RANKS), f"{floor.formula} words, however k pairs are known to one rank each; every k, z3"
