"""Costs where messages share links at points: whether they hold there, what they are, and what is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sparring.errors import InputError
from sparring.proofs.cost import contributions, densely, models, unioncost, units
from sparring.proofs.cost.places import LETTER, OF, Place, Rates, SharedPoint
from sparring.proofs.cost.sharing import Run, whole_power
from sparring.proofs.cost.symbols import Expr, exact
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

RANKS = (*range(2, 13), 16, 27, 32, 64)
"""Where costs are counted message by message."""
RATES = {"alpha": 4, "beta": 3, "alpha_in": 100, "beta_in": 1, "gamma": 11}
"""Where costs are counted; within a node a message takes longer and a byte does not, so that either may be slower."""


def holds(hypothesis: str, at: Mapping[str, Fraction]) -> bool:
    """Whether ``p | n``, ``p = 2^m``, ``node < p`` or ``n <= 2^31`` is so; raises InputError for a missing letter."""
    left, relation, right = hypothesis.split(" ")
    x = needed(at, left)
    if relation == "=":
        return whole_power(x, int(right.partition("^")[0]))
    y = needed(at, right)
    return {"|": y % x == 0, "<": x < y, "<=": x <= y}[relation]


def fits(given: str, at: Mapping[str, Fraction]) -> bool:
    """Whether all these hypotheses are so."""
    return all(holds(one, at) for one in given.split(", ") if one)


def needed(at: Mapping[str, Fraction], text: str) -> int:
    """A number, or a letter's value; raises InputError where it has none."""
    base, _, exponent = text.partition("^")
    if base.isdigit():
        return int(int(base) ** int(exponent or 1))
    if text not in at:
        raise InputError(f"this cost needs a value for {text}: {text}=VALUE")
    return int(at[text])


def value(form: Expr, at: Mapping[str, Fraction]) -> Fraction:
    """A form's value at a point."""
    for letter in sorted(s.name for s in form.free_symbols):
        if letter not in at:
            needed(at, letter)
    return exact(form, at)


def sizes_at(
    page: Page, support: str, only: Run, rates: Rates, at: Mapping[str, Fraction]
) -> Mapping[str, Fraction]:  # fmt: skip
    """The forms of a page of sparse chunks, all of whose steps are alike, for unions of a model's sizes."""
    p, n, k, width = (needed(at, letter) for letter in ("p", "n", "k", "width"))
    if k > n:
        raise InputError(f"k={k}: a rank has at most n={n} entries")
    union = modelled(support, n, k)
    run = only._replace(load=exact(only.load, at), near=exact(only.near, at), far=exact(only.far, at))
    many = contributions.contributions(page)
    sending, steps = densely.sending(page), range(number(page.steps(p)))
    held = [sending(Fraction(union(number(many(t, p)))) / p, n // p, t, p).entries for t in steps]
    of: Any = page.octets  # typed for integers and symbols, and right for fractions
    size = {m: Fraction(of(m, n // p, width)) for m in {*held}}
    sums = {name: sum((Fraction(make(run, size[m])) for m in held), Fraction(0)) for name, make in OF.items()}
    time = sum((rates.step(run, size[m]) for m in held), Fraction(0))
    added = unioncost.measured(page, p, n, union, width).added
    return {**sums, "sharing": run.load, "time": time + at["gamma"] * added}


def modelled(support: str, n: int, k: int) -> Callable[[int], Any]:
    """The sizes of unions under a model; raises InputError for "union"."""
    model = models.valued(support)
    return lambda s: model.union(s, n, k)


def compared(
    page: Page, place: Place, base: int, given: str, derived: Callable[..., SharedPoint]
) -> tuple[str, list[int]]:  # fmt: skip
    """The first quantity that is not what is counted, and the ranks of the points that were looked at.

    ``derived(**at)``: the cost at a point, where supports are independent; ``base``: that of the pattern.
    """
    seen = []
    for p in (*RANKS, *place.further(base)):
        for sizes in place.sizes(base, p):
            n, k = 6 * p * (1 + p % 8), 2 * p * (1 + p % 8)
            at = {"p": p, "n": n, "k": k, **RATES, **sizes}
            full = place.filled(units.full({letter: Fraction(x) for letter, x in at.items()}))
            if not fits(given, full):
                continue
            seen.append(p)
            union = modelled("independent", n, k) if page.data == "sparse" else None
            counted = place.counted(page, full, 4, union)
            found = derived(**at)._asdict()
            for what, many in counted.items():
                if found[what] != many:
                    where = ", ".join(f"{letter}={at[letter]}" for letter in ("p", LETTER, "n", "k") if letter in at)
                    return f"{what} at {where}: derived {found[what]}, counted {many}", seen
    return "", seen
