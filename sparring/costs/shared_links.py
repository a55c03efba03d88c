"""Costs of algorithms where messages share links, as closed forms: out of nodes, or of a topology.

What is shared is that of ``levels``, where it is counted message by message.  Here it follows from a
pattern of partners (``partners``), from how many messages of a step it brings onto the fullest link
(``sharing``), and from how long they are.  The messages of a step must be of one length, so chunks are
taken to be equal.  Where there is no such pattern, or no such form, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import sympy

from sparring.costs import union_cost
from sparring.costs.costs import Cost, summable
from sparring.costs.derivation import message_bytes, proof
from sparring.costs.derivation.partners import Pattern, pattern
from sparring.costs.derivation.proof import Checked
from sparring.costs.derivation.step_ranges import Piece
from sparring.costs.forms import Forms
from sparring.costs.formulas import symbols, units
from sparring.costs.formulas.hypotheses import amount, holds, parts
from sparring.costs.formulas.lower_bounds import PATARASUK, Floor
from sparring.costs.formulas.simplified import even, simplified, tidy
from sparring.costs.formulas.symbols import B, Expr, exact, without_floors
from sparring.costs.links import levels
from sparring.costs.links.places import LETTER, OF, Of, Place, Rates, SharedPoint
from sparring.costs.links.sharing import Sharing, summed
from sparring.costs.pricing import FEW, cost
from sparring.costs.supports import contributions, models
from sparring.costs.union_cost import UnionCost
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, PROVED_BELOW, REFUTED, tested
from sparring.spec.core.model import Page

SHORT = "n <= 2^31"
"""The hypothesis under which an index of a list has 4 bytes."""
ONE_ENTRY = "every word that is sent is of one entry"

RATES = {"alpha": 4, "beta": 3, "alpha_in": 100, "beta_in": 1, "gamma": 11}
"""Values to count costs with; within a node a message takes longer and a byte does not, so either may be slower."""


@dataclass(frozen=True)
class SharedCost(Forms):
    """The cost of ``page`` where messages share the links of ``place``, under the hypotheses ``given``.

    ``base`` is the cost where they share none.
    """

    page: Page
    base: Cost | UnionCost
    place: Place
    pattern: Pattern
    sharing: Sharing
    given: str

    names: ClassVar[tuple[str, ...]] = (*OF, "sharing", "octets", "time")

    @property
    def shown(self) -> tuple[str, ...]:
        """The forms that there are; a sparse chunk's bytes are a formula of their own."""
        return (*self.place.steps, "sharing", "carried", *(("octets",) if self.support else ()), "time")

    @property
    def label(self) -> str:
        """The page's name with the place, and the hypotheses under which the forms hold."""
        return f"{self.page.name} {self.place} where {self.given}"

    @property
    def even(self) -> str:
        """The hypotheses ``given``: nothing is rounded where they hold."""
        return self.given

    @property
    def bounds(self) -> Mapping[str, Floor]:
        """The bound on the fullest link of a dense allreduce, by a cut around every rank or node; else empty."""
        least = self.place.least
        if least is None or self.page.data != "vector" or self.page.kind != "allreduce":
            return {}
        formula = sympy.factor(least * symbols.n * symbols.width)
        return {"carried": Floor("carried", formula, PATARASUK, ONE_ENTRY)}

    def least(self, at: Mapping[str, Any]) -> dict[str, Fraction]:
        """Return the lower bounds at a point, by form; exact."""
        return super().least(self.place.filled(units.full(at)))

    def simplify(self, given: str) -> SharedCost:
        """Return the cost as it is, since nothing is rounded; raise InputError for an unknown hypothesis."""
        simplified(sympy.Integer(0), ", ".join(one for one in parts(given) if one not in parts(self.given)))
        return self

    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``, one of ``names``; None where there is none."""
        if name not in self.shown:
            return None
        if name == "octets":
            return self.base.form(name)
        if name == "sharing":
            return tidy(self.sharing.most)
        return self.time if name == "time" else tidy(self.total(OF[name]))

    @property
    def time(self) -> Expr:
        """Seconds in lock step."""
        letters = (*self.place.rates, symbols.gamma)
        return collected(self.total(self.place.rates.step), letters) + symbols.gamma * self.added

    def total(self, of: Of) -> Expr:
        """Return the sum of ``of`` over all steps."""
        runs, base = self.sharing.runs, self.base
        if isinstance(base, UnionCost):
            length = symbols.n / symbols.p
            return base.total(lambda many: of(runs[0], union_cost.octets(many / symbols.p, length, symbols.width)))
        if self.pattern.to_all:
            steps = (one_length(self.page, derived.pieces) for _, derived in base.derived.parts)
            return sympy.Add(*(of(runs[0], nbytes) for nbytes in steps))
        if not self.pattern.base:
            each = ((x.span.end - x.span.first, octets(self.page, alike(x.words))) for x in base.derived.pieces)
            return sympy.Add(*(sympy.expand(steps) * of(runs[0], nbytes) for steps, nbytes in each))
        courses = (octets(self.page, words) for words in self.pattern.courses)
        return sympy.Add(*(summed(of(run, nbytes), run, self.pattern.base) for nbytes in courses for run in runs))

    @property
    def added(self) -> Expr:
        """The most values that a rank adds in each step, summed."""
        if isinstance(self.base, UnionCost):
            return self.base.added
        critical = self.base.derived.added_critical
        if critical is None:
            raise Undecided(f"{self.page.name}: no closed form of additions: {'; '.join(self.base.derived.gaps)}")
        return tidy(alike(critical.subs(symbols.symbol("radix"), self.pattern.base), self.pattern.base == 2))

    @property
    def support(self) -> str:
        """The model of supports; "" where chunks are not sparse."""
        return self.base.support if isinstance(self.base, UnionCost) else ""

    def under(self, support: str) -> SharedCost:
        """Return the cost under another model of supports, where chunks are sparse."""
        return replace(self, base=self.base.under(support)) if isinstance(self.base, UnionCost) else self

    def at(self, **values: units.Given) -> SharedPoint:
        """Return the cost at a point, in exact arithmetic; in nodes, ``alpha`` is ``alpha_out``.

        Raises InputError for a letter that is unknown, lacks its value or has one that it cannot have.
        """
        at = self.place.filled(units.full(values))
        if amount("p", at) < 2:
            raise InputError("p=1: links are shared by at least 2 ranks")
        if not holds(self.given, at):
            raise InputError(f"this cost holds where {self.given}, not for {format_lengths(at)}")
        timed = all(letter.name in at for letter in self.place.rates if letter != 0)
        names = [name for name in self.shown if name != "octets" and (timed or name != "time")]
        found = self.sizes_at(at) if self.support else {name: value(self.form(name), at) for name in names}
        known: dict[str, Any] = {
            name: x if name in ("carried", "time") else int(x) for name, x in found.items() if name in names
        }
        return SharedPoint(**{**dict.fromkeys(SharedPoint._fields), **known})

    def sizes_at(self, at: Mapping[str, Fraction]) -> Mapping[str, Fraction]:
        """Return the values of the forms of a page of sparse chunks for a model's unions; all steps are alike."""
        page, (only, *_) = self.page, self.sharing.runs
        p, n, k, width = (amount(letter, at) for letter in ("p", "n", "k", "width"))
        rates = Rates(*(at.get(str(letter), Fraction(0)) for letter in self.place.rates))
        run = only._replace(load=exact(only.load, at), near=exact(only.near, at), far=exact(only.far, at))
        union = models.sizes(self.support, n, k)
        sent = [one.nbytes for _, one in union_cost.messages(page, p, n, union, width)]
        sums = {name: sum((Fraction(make(run, size)) for size in sent), Fraction(0)) for name, make in OF.items()}
        time = sum((rates.step(run, size) for size in sent), Fraction(0))
        added = union_cost.measured(page, p, n, union, width).added
        return {**sums, "sharing": run.load, "time": time + at["gamma"] * added}

    @property
    def gaps(self) -> list[str]:
        """Sentences about what the closed forms do not cover, and why."""
        own = self.base.gaps if self.page.listed else []
        others = f"other numbers than those where {self.given}: there messages are counted, not derived"
        return [*own, *([others] if self.given else [])]

    def unlike(self, ranks: Iterable[int]) -> str:
        """Return what runs on so many ranks send otherwise, whatever link it crosses; empty where there is nothing."""
        return self.base.unlike(ranks)

    @cached_property
    def checks(self) -> list[Checked]:
        """The checks: what was proved, and what is counted."""
        proved = PROVED_BELOW if self.pattern.below else PROVED
        fault, points = compared(self)
        fault = fault or self.unlike(FEW)
        ranks = ", ".join(map(str, dict.fromkeys(points)))
        said = f"time, steps and sharing, message by message, p = {ranks}" if points else "counted nowhere"
        if isinstance(self.base, UnionCost):
            sizes = contributions.prove(self.page, contributions.contributions(self.page))
        else:
            sizes = proof.prove(self.page, self.base.derived)
        return [
            Checked("partners", proved, f"{self.pattern}: {self.pattern.confirmed} obligations, z3 and cvc5"),
            Checked("sharing", self.sharing.verdict, self.sharing.detail),
            sizes,
            Checked("counted", REFUTED if fault else tested(len(points)) if points else NOT_COVERED, fault or said),
        ]


def sharedcost(page: Page, place: Place, support: str = "union") -> SharedCost:
    """Return the cost of ``page`` in nodes or on a topology.

    Raises Undecided, with the reason, where there is no pattern of partners, or no form of what they share.
    """
    with summable(page):
        found = pattern(page)
        if page.data == "sparse" and not found.by:
            raise Undecided("of sparse chunks only shifts are summed where links are shared")
        sharing = place.sharing(found)
        base = cost(page, support)
        base = base.simplify("p | n") if isinstance(base, UnionCost) else base
        given = [*parts(found.given), *sharing.given, *lengths(base)]
        powers = [one for one in given if one.startswith("p = ")]
        kept = dict.fromkeys(one for one in given if one and one not in powers[:-1])  # the last one implies the others
        return SharedCost(page, base, place, found, sharing, ", ".join(kept))


def collected(x: Expr, letters: Sequence[Expr]) -> Expr:
    """Return ``x`` collected by these letters, where it is linear in them."""
    parts = sympy.collect(sympy.expand(x), [one for one in letters if one != 0], evaluate=False)
    if x.has(sympy.Max, sympy.Sum) or not {*parts} <= {*letters}:
        return tidy(x)
    return sympy.Add(*(letter * tidy(factor) for letter, factor in parts.items()))


def lengths(base: Cost | UnionCost) -> list[str]:
    """Return the hypotheses under which the messages of a step are of one length, and bytes a formula."""
    if isinstance(base, UnionCost):
        return ["p | n"]
    words = [piece.words for piece in base.derived.pieces]
    return [*([even(words)] if any(x.atoms(B) for x in words) else []), *([SHORT] if base.page.data == "lists" else [])]


def alike(x: Expr, power: bool = False) -> Expr:
    """Return the words where all chunks are equal; raise Undecided where they still depend on the rank."""
    found = simplified(without_floors(x), "p = 2^m, p | n, p | k" if power else "p | n, p | k")
    if found.has(symbols.r, symbols.t, symbols.c):
        raise Undecided(f"the messages of a step, of {found} words, are not all alike")
    return found


def one_length(page: Page, pieces: Sequence[Piece]) -> Expr:
    """Return the bytes of every message of a step; raise Undecided where they differ."""
    lengths = {octets(page, alike(piece.words)) for piece in pieces}
    if len(lengths) != 1:
        raise Undecided(f"the messages of a step have {len(lengths)} lengths")
    return lengths.pop()


def octets(page: Page, words: Expr) -> Expr:
    """Return the bytes of a message of so many words, an index being one."""
    m, size, _ = symbols.OCTETS
    found = message_bytes.octets(page)
    if page.data == "lists":
        found = found.subs(sympy.Le(size, 2**31), True)
    return sympy.expand(found.subs({m: words / 2 if page.listed else words, size: symbols.n}, simultaneous=True))


# -- at points: whether costs hold there, what they are, and what is counted


def value(form: Expr, at: Mapping[str, Fraction]) -> Fraction:
    """Return a form's value at a point."""
    units.need((s.name for s in form.free_symbols), at, "this cost needs")
    return exact(form, at)


def compared(cost: SharedCost) -> tuple[str, list[int]]:
    """Return the first quantity that differs from what is counted, and the ranks of the points that were looked at.

    Where chunks are sparse, supports are independent.
    """
    cost, seen = cost.under("independent"), []
    for p, sizes in cost.place.points(cost.pattern.base):
        n, k = 6 * p * (1 + p % 8), 2 * p * (1 + p % 8)
        at: dict[str, Any] = {"p": p, "n": n, "k": k, **RATES, **sizes}
        full = cost.place.filled(units.full({letter: Fraction(x) for letter, x in at.items()}))
        if not holds(cost.given, full):
            continue
        seen.append(p)
        union = models.sizes("independent", n, k) if cost.page.data == "sparse" else None
        found, links = cost.at(**at)._asdict(), cost.place.links(full)
        counted = levels.counted(cost.page, links, p=p, n=n, k=k, union=union)._asdict()
        counted["steps"] = counted["outside"]
        for what in ("time", *cost.place.steps, "sharing"):
            if found[what] != counted[what]:
                return f"{what} at {format_lengths(at)}: derived {found[what]}, counted {counted[what]}", seen
    return "", seen


def format_lengths(at: Mapping[str, Any]) -> str:
    """Return the lengths of a point, in words."""
    return ", ".join(f"{letter}={at[letter]}" for letter in ("p", LETTER, "n", "k") if letter in at)
