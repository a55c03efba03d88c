"""Published formulas beside what is derived from the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import sympy

from sparring.costs.derivation.counted import format_point
from sparring.costs.formulas.hypotheses import POWER, holds, parts
from sparring.costs.formulas.simplified import simplified
from sparring.costs.formulas.symbols import Expr, Log2, exact, k, n, p
from sparring.costs.published.claim import Claim
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED, Verdict, tested


class Judged(NamedTuple):
    """The judgement of a claim."""

    claim: Claim
    verdict: str
    """*equal*, *bound* (stated as one: never below what is sent, somewhere above) or *different*."""
    detail: str
    checked: Verdict
    """How the judgement was found: proved as formulas, tested at points, or refuted at one."""
    difference: str = ""
    """Claimed minus derived, as a formula; empty where they are equal."""


Found = TypeVar("Found", bound=Any)
"""The result of judging something: a tuple with ``checked`` and ``detail``."""


def points(ranks: Iterable[int]) -> tuple[dict[str, int], ...]:
    """Return points with short and with long vectors for each number of ranks."""
    return tuple(
        {"p": p, "n": n, "k": k}
        for p in ranks
        for n in (0, 1, p - 1, p, p + 1, 2 * p + 1, 1000 * p, 10**18 + 9)
        for k in {0, n // 2, n // 2 // p * p, n}
    )


POINTS = points((*range(1, 17), 31, 32, 33, 64))
"""The points at which a claim that is no identity is compared with what is derived, exactly."""
MORE = points((*range(17, 31), *range(34, 41), 48, 63, 65, 96, 97, 100, 127, 128, 129))
"""Points at which one that is right or never too low at ``POINTS`` must be so, too."""


def judge(claim: Claim, derived: Expr, proved: Verdict = PROVED, where: str = "") -> Judged:
    """Compare a claim with the closed form ``derived``: as formulas, and at points where they differ.

    ``proved``: what a proof of ``derived`` is worth; ``where``: the hypotheses under which it is one.  A claim that is
    known to be different is expected to be.
    """
    if lacking := beyond(claim, where):
        return Judged(claim, "undecided", f"the cost is derived where {lacking}, the claim speaks of more", UNDECIDED)
    if bool(claim.xfail) != bool(claim.actual):
        raise InputError(f"claim {claim.name!r}: xfail says why it is wrong, actual what is right; it has one of them")
    return known(exactly(compared(claim, derived, proved)), derived)


def beyond(claim: Claim, where: str) -> str:
    """Return the hypotheses of a derivation, of ``where``, that those of the claim do not imply; "" where they do.

    How many messages there are depends on no length.
    """
    spoken = [at for at in POINTS if holds(claim.given, at)]
    asked = [one for one in parts(where) if claim.quantity != "messages" or one[-1] not in "nk"]
    return ", ".join(one for one in asked if not (spoken and all(holds(one, at) for at in spoken)))


def known(judged: Judged, derived: Expr) -> Judged:
    """Return the judgement of a claim that may be known to differ: then what it says to be right must be derived."""
    claim = judged.claim
    found = expected(judged, claim.xfail, "differ")
    if found.checked != EXPECTED or not claim.actual:
        return found
    right = compared(claim._replace(formula=claim.actual), derived, PROVED)
    if right.verdict == "equal":
        return found
    wrong = f"expected {stated(right.claim)} ({claim.xfail}), but: {right.detail}"
    return found._replace(checked=REFUTED, detail=wrong)


def exactly(judged: Judged) -> Judged:
    """Refute what is too high somewhere, unless it is stated as a bound."""
    if judged.verdict != "bound" or judged.claim.bound:
        return judged
    detail = f"{judged.detail}: what is stated is no bound"
    return judged._replace(verdict="different", detail=detail, checked=REFUTED)


def expected(found: Found, why: str, what: str) -> Found:
    """Return the judgement of what is known to differ, or to fail, ``why``: that is then expected."""
    judged: Found = found
    if why and found.checked == REFUTED:
        judged = found._replace(checked=EXPECTED, detail=f"{found.detail} ({why})")
    elif why:
        judged = found._replace(checked=REFUTED, detail=f"expected to {what} ({why}), but: {found.detail}")
    return judged


def compared(claim: Claim, derived: Expr, proved: Verdict) -> Judged:
    """Judge the claim by comparison, whether it is expected to differ or not."""
    formula, given = stated(claim), f" where {claim.given}" if claim.given else ""
    if not any(holds(claim.given, at) for at in POINTS):
        return Judged(claim, "undecided", f"no point that is tried is one{given}", UNDECIDED)
    difference = sympy.simplify(simplified(formula - derived, claim.given))
    if difference == 0:
        return Judged(claim, "equal", f"the same formula{given}", proved)
    lists = difference.has(k)
    points = [at for at in POINTS if holds(claim.given, at) and (lists or at["k"] == 0)]
    gaps = [(at, gap) for at in points if (gap := above(formula, derived, at)) is not None]
    further = [at for at in MORE if holds(claim.given, at) and (lists or at["k"] == 0)]
    others = [(at, gap) for at in further if (gap := above(formula, derived, at))]
    below = next(((at, gap) for at, gap in (*gaps, *others) if gap < 0), None)
    if below:
        detail = f"it is {-below[1]} too low at {format_point(below[0])}"
        return Judged(claim, "different", detail, REFUTED, str(difference))
    at, gap = max(gaps, key=lambda found: found[1] / max(1, found[0]["n"]))
    at, gap = (at, gap) if gap else next(iter(others), (at, gap))
    if gap == 0:
        detail = f"at all points that were tried, p <= {MORE[-1]['p']}{given}; not shown as formulas"
        return Judged(claim, "equal", detail, tested(len(gaps)), str(difference))
    detail = f"never too low{given}; {gap} too high at {format_point(at)}"
    return Judged(claim, "bound", detail, tested(len(gaps)), str(difference))


def above(formula: Expr, derived: Expr, at: Mapping[str, int]) -> Fraction | None:
    """Return by how much a formula exceeds what is derived; None where one has no value, as shares of no entries."""
    try:
        return exact(formula, at) - exact(derived, at)
    except ZeroDivisionError:
        return None


def stated(claim: Claim) -> Expr:
    """Return the claim as a formula; raise InputError where it is no exact one."""
    try:
        formula = sympy.sympify(claim.formula(n, p, k))
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputError(f"claim {claim.name!r}: {error}") from error
    letters = {one.name: one for one in (n, p, k)}
    if not isinstance(formula, sympy.Expr) or not {s.name for s in formula.free_symbols} <= letters.keys():
        raise InputError(f"claim {claim.name!r}: {formula} is no formula of n, p and k")
    formula = formula.xreplace({s: letters[s.name] for s in formula.free_symbols})
    if formula.has(sympy.Float):
        raise InputError(f"claim {claim.name!r}: {formula} has a decimal fraction; write it with integers")
    if formula.has(Log2) and POWER not in parts(claim.given):
        raise InputError(f"claim {claim.name!r}: {formula} holds where {POWER}; give it that, or round up or down")
    return formula
