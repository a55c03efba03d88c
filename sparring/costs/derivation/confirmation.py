"""Asks whether claims about a page hold: evaluated for a few ranks, then put to both solvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from sparring.errors import Undecided
from sparring.proofs.logic import obligations
from sparring.proofs.logic.obligations import Obligation, always, implies
from sparring.proofs.logic.queries import answered
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Evaluator, variables

FEW, NUMBERS = range(1, 8), range(8)
"""Numbers of ranks, and of ranks and steps: a claim that is false for some of them is not put to the solvers."""


def always_so(page: Page, claim: Bool, given: Bool = True) -> bool:
    """Return whether z3 finds that ``claim``, in which there is no step, holds for every p that is given."""
    tried = Obligation("tried", always(page), implies(given, claim))
    return plausible(tried) and all(answer.holds for answer in answered([tried], False, page.encoding))


def so(page: Page, claims: Sequence[Obligation]) -> bool:
    """Return whether both solvers confirm the claims."""
    return all(answer.holds for answer in answered(claims, second_opinion=True, encoding=page.encoding))


def plausible(claim: Obligation) -> bool:
    """Return whether the claim, evaluated, holds for a few ranks; what counts is confirmed by both solvers."""
    points = [{**dict.fromkeys("qrsctuij", 0), "p": p} for p in FEW]
    known = {"p"}
    for name in sorted(variables(claim.claim) - known):
        known.add(name)
        about = [h for h in claim.hypotheses if name in variables(h) <= known]
        points = [at for point in points for x in NUMBERS if true_at(about, at := {**point, name: x})]
    return all(not true_at(claim.hypotheses, at) or true_at([claim.claim], at) for at in points)


def true_at(claims: Iterable[Bool], at: Mapping[str, int]) -> bool:
    """Return whether the claims hold at a point."""
    return all(map(Evaluator({**at}), claims))


def confirmed(page: Page, claims: Sequence[Obligation]) -> tuple[Sequence[Obligation], bool]:
    """Return ``claims``, which both solvers confirm, and whether one only for p < 2^31.

    Raises Undecided at the first that they do not confirm.
    """
    helped = tuple(obligations.with_lemmas(page, subject(page).lemmas, claims))
    below = False
    for answer in answered(helped, second_opinion=True, encoding=page.encoding):
        below |= answer.below
        if not answer.holds:
            raise Undecided(f"{answer.obligation.name}: {answer.problem or answer.witness}")
    return helped, below


def shown(page: Page, claims: Sequence[Obligation]) -> tuple[int, bool] | None:
    """Return how many claims both solvers confirm, and whether one for p < 2^31 alone; None if they do not."""
    if all(map(plausible, claims)):
        with suppress(Undecided):
            found, below = confirmed(page, claims)
            return len(found), below
    return None
