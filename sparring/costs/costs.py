"""Costs of algorithms, as closed forms that can be evaluated, simplified and typeset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import sympy

from sparring.costs.claims import Judged, judge
from sparring.costs.derivation import comparison, proof
from sparring.costs.derivation.proof import Checked
from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.forms import Forms
from sparring.costs.formulas import lower_bounds, units
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.simplified import DIVIDED, even, simplified, tidy
from sparring.costs.formulas.symbols import Expr, alpha, beta, exact, gamma, width, without_floors
from sparring.costs.published.claim import published
from sparring.errors import InputError, SparringError, Undecided
from sparring.proofs.logic.verdicts import PROVED, PROVED_BELOW, REFUTED, UNDECIDED, tested
from sparring.ranges import spans
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

DERIVED = ("messages", "most", "sent", "words", "path", "critical", "added")
"""The forms that a derivation has by these names."""


class Point(NamedTuple):
    """A cost at a point: exact numbers; None where there is no closed form or a letter has no value."""

    messages: int
    """The most messages of a rank in each step, summed."""
    most: int | None
    """Messages of the rank that sends the most; None where no rank is ever silent: then they equal ``messages``."""
    words: int | None
    nbytes: int | None
    """Bytes of the most words that one rank sends, with the indices of lists, or of all its codes, at most.

    None where sizes are the page's own and no proof module says what they add up to.
    """
    path: int | None
    critical: int | None
    added: int | None
    time: Fraction | None
    """Seconds; None unless alpha and beta are given."""


@dataclass(frozen=True)
class Cost(Forms):
    """The cost of ``page``, exact, or under the hypothesis ``given``.

    A word is one value; an index counts as one word.  ``alpha`` is seconds a message, ``beta``
    seconds a byte, ``gamma`` seconds an addition, ``width`` bytes a word.
    """

    page: Page
    derived: Derivation
    given: str = ""

    names: ClassVar[tuple[str, ...]] = ("messages", "most", "words", "path", "critical", "added", "time")

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of all forms, but for the most messages of a rank where no rank is ever silent."""
        return tuple(name for name in self.names if name != "most" or self.derived.most is not None)

    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``, one of ``rows.FORMS``; None where there is none."""
        d = self.derived
        if name == "time":
            return None if None in (d.critical, d.added_critical) else self.time
        if name == "added" and self.page.data == "lists":
            return None  # what is added after the last step is in no message
        x = getattr(d, name) if name in DERIVED else None
        if x is None and name in ("words", "path"):
            x = level(d, self.given)
        return None if x is None else tidy(simplified(without_floors(x), self.given))

    def of_ranks(self, ranks: int) -> Cost:
        """Return the cost of calls of so many ranks; of a composition their number may decide what it sends."""
        return self

    def needed(self, name: str) -> Expr:
        """Return the closed form; raise Undecided, with the reasons, where there is none."""
        form = self.form(name)
        if form is None:
            raise Undecided(f"{self.page.name}: no closed form of {name}: {'; '.join(self.derived.gaps)}")
        return form

    @property
    def words(self) -> Expr:
        """V_max: the most words that one rank sends."""
        return self.needed("words")

    @property
    def messages(self) -> Expr:
        """The most messages that one rank sends in each step, summed: so many start-ups there are in lock step."""
        return self.needed("messages")

    @property
    def time(self) -> Expr:
        """Seconds in lock step: ``alpha`` a step, ``beta width`` a word of V_crit, ``gamma`` an addition."""
        if self.derived.added_critical is None:
            raise Undecided(f"{self.page.name}: no closed form of time: {'; '.join(self.derived.gaps)}")
        added = tidy(simplified(without_floors(self.derived.added_critical), self.given))
        return alpha * self.messages + beta * width * self.needed("critical") + gamma * added

    def simplify(self, given: str) -> Cost:
        """Return the cost under hypotheses: "p | n", "p | k", "p = 2^m"; raise InputError for one that is not known."""
        simplified(sympy.Integer(0), given)
        return replace(self, given=", ".join(dict.fromkeys(h for h in (self.derived.given, given) if h)))

    def at(self, **values: units.Given) -> Point:
        """Return the cost at a point, in exact arithmetic; times may be written ``"5us"``.

        Raises InputError for a letter that is unknown, lacks its value or has one that it cannot have.
        """
        at = {**units.full(values), **{name: Fraction(value) for name, value in self.derived.letters.items()}}
        n, p, k = (int(at.get(letter, least)) for letter, least in (("n", 0), ("p", 1), ("k", 0)))
        if not holds(self.given, {"n": n, "p": p, "k": k, **self.derived.letters}):
            raise InputError(f"this cost holds where {self.given}, not for p={p}, n={n}, k={k}")
        found = {name: self.number(name, at) for name in ("messages", "most", "words", "path", "critical", "added")}
        whole: dict[str, Any] = {name: None if x is None else int(x) for name, x in found.items()}
        time = self.number("time", at) if {"alpha", "beta"} <= at.keys() else None
        return Point(**whole, nbytes=self.octets(whole["words"], at), time=time)

    def octets(self, words: int | None, at: Mapping[str, Fraction]) -> int | None:
        """Return the bytes of so many words: values alone, or entries with their indices."""
        own = self.page.data not in ("vector", "lists") or hasattr(self.page.module, "octets")
        if own or words is None or "n" not in at:
            return None
        entries = words // 2 if self.page.data == "lists" else words
        return number(self.page.octets(entries, int(at["n"]), int(at["width"])))

    def number(self, name: str, at: dict[str, Fraction]) -> Fraction | None:
        """Return a form's value at a point."""
        form = self.form(name)
        if form is None:
            return None
        units.need((s.name for s in form.free_symbols), at, f"{name} of {self.page.name} needs")
        return exact(form, at)

    @property
    def even(self) -> str:
        """The hypothesis under which no chunk's size or part, and no logarithm, is rounded."""
        found = even([self.derived.steps, *(piece.words for piece in self.derived.pieces)])
        if not self.derived.given or self.page.several:
            return found
        return f"{self.derived.given if self.derived.given in DIVIDED else 'p | n'}, {found}"

    @property
    def gaps(self) -> list[str]:
        """Sentences about what the closed forms do not cover, and why."""
        lists = "lists of different sizes, and adding them after the last step, which no message needs"
        short = "chunks with fewer entries than their part of k, which are sent whole, as happens where k is near n"
        of_data = {"lists": [lists], "selected": [short]}
        return [*self.derived.gaps, *of_data.get(self.page.data, [])]

    def unlike(self, ranks: Iterable[int]) -> str:
        """Return the first quantity that is counted otherwise on so many ranks; empty where none is."""
        return str(comparison.compared(self.page, self.derived, ranks=ranks) or "")

    @cached_property
    def checks(self) -> list[Checked]:
        """The checks: the derivation against counts, its proof, and the judgements of lower bounds."""
        unlike = comparison.compared(self.page, self.derived)
        d = self.derived
        ranks = f"p = {spans(comparison.RANKS)}" + (f" where {d.given}" if d.letters else "")
        at = (comparison.even(self.page, d, point) for point in comparison.points(comparison.RANKS))
        examples = sum(holds(d.given, {**point, **d.letters}) for point in at)
        if unlike:
            told = Checked("counted", REFUTED, str(unlike))
        else:
            runs = f"in runs, p <= {comparison.RUNS}"
            kind = "also counted" if d.path is not None else "counted only, there is no closed form"
            path = f"V_path {kind}, p <= {comparison.PATHS}"
            told = Checked("counted", tested(examples), f"{ranks}, short and up to 10^18 words; {path}; {runs}")
        bounds = [Checked(*one) for one in lower_bounds.judge_bounds(self.page)]
        return [told, proof.prove(self.page, self.derived), *bounds]

    @cached_property
    def claims(self) -> list[Judged]:
        """Published formulas, judged."""
        d = self.derived
        proved = PROVED_BELOW if d.below else PROVED
        found = []
        for claim in published(self.page):
            form = getattr(d, claim.quantity)
            form = self.simplify(claim.given).form(claim.quantity) if form is None else form
            gaps = Judged(claim, "undecided", "; ".join(self.derived.gaps), UNDECIDED)
            found.append(gaps if form is None else judge(claim, form, proved, d.given))
        return found


def level(derived: Derivation, given: str) -> Expr | None:
    """Return V_max, and V_path, where it is V_crit under the hypothesis ``given``: all ranks send as many words."""
    if None in (derived.sent, derived.critical):
        return None
    sent, critical = (tidy(simplified(without_floors(x), given)) for x in (derived.sent, derived.critical))
    return critical if sympy.expand(sent - critical) == 0 else None


@contextmanager
def summable(page: Page) -> Iterator[None]:
    """Report a fault in the page's own formulas as bad input."""
    try:
        yield
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        if isinstance(error, SparringError):
            raise
        raise InputError(f"page {page.name}: its formulas cannot be summed: {error}") from error
