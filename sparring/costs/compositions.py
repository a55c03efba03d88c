"""Costs of compositions: the sum of what their exchanges cost, whose lengths are read from the text.

It is the cost of a usual call; what the first one, and calls on other branches, send is told beside it.  Lengths are
exact, or, under the hypotheses that the page names, the most that there may be.  What runs send is counted beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import ClassVar

from sparring.costs import claims
from sparring.costs.calls import Call, calls, compared, counts, even, grouped, letters_of_run, supposed, traced
from sparring.costs.claims import Judged
from sparring.costs.costs import Cost
from sparring.costs.derivation import group_averages, proof
from sparring.costs.derivation.exchanges import SPARSE, Priced, amounts, of_grids, priced, unrounded
from sparring.costs.derivation.proof import Checked
from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.formulas import lower_bounds
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.simplified import simplified, tidy
from sparring.costs.formulas.symbols import Expr, alpha, beta, exact, gamma, without_floors
from sparring.costs.published.claim import Claim, published
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, PROVED_BELOW, REFUTED, UNDECIDED, tested
from sparring.proofs.reading.ways import Sent, Way, of_ranks, usual, ways
from sparring.proofs.statements.volume import WIDTHS, volume
from sparring.spec.core.model import Page

ALL, SOME = range(1, 17), (25, 31, 32, 33, 64)
RANKS = (*ALL, *SOME)
"""The numbers of ranks on which runs are counted; for all others the bound is proved."""
PATHS = "V_path: it is at most V_crit; which paths there are depends on the data"
CODED = (
    "words: messages are codes, told in bytes; published and least words do not speak of them",
    "additions: of all entries of messages that are added; derived, and not counted in runs, where these are bytes",
)
OF_CODES = (("Q1", "entries of vectors have 4 or 8 bytes"),)


@dataclass(frozen=True)
class ComposedCost(Cost):
    """The most that a composition costs in a usual call, in closed form."""

    found: Sequence[Way] = ()
    most: Sequence[Priced] = ()

    @property
    def label(self) -> str:
        """The page's name for a table, marked as a bound."""
        return f"{self.page.name} (bound)"

    @property
    def relation(self) -> str:
        """The sign before a form: ``<=``, since no rank has more."""
        return "<= "

    @property
    def hypotheses(self) -> Sequence[tuple[str, str]]:
        """The hypotheses, each with its name: those of codes, of grids and groups, and of the page."""
        coded = OF_CODES if any(one.unit == "bytes" for one in self.most) else ()
        grids = [(f"G{i}", f"{given.partition(' ')[0]} divides p") for i, given in enumerate(of_grids(self.most), 1)]
        sizes = dict.fromkeys(one.members for one in self.most if one.members)
        groups = (found for m in sizes for found in group_averages.hypotheses(m))
        return (*coded, *grids, *groups, *supposed(self.page))

    @property
    def under(self) -> str:
        """The joint name of the hypotheses, as in ``under H1-H4``; empty where there are none."""
        names = [name for name, _ in self.hypotheses]
        return f" under {'-'.join(dict.fromkeys((names[0], names[-1])))}" if names else ""

    @property
    def usual(self) -> Way:
        """The call that is priced."""
        return usual(self.found)

    @property
    def others(self) -> Sequence[Way]:
        """The calls that send something else than the usual one."""
        unlike = {sent_alike(way): way for way in self.found if sent_alike(way) != sent_alike(self.usual)}
        return [*unlike.values()]

    @property
    def qualified(self) -> Sequence[str]:
        """Sentences: that this is a bound, its hypotheses, and what each exchange sends at most."""
        calls = self.usual.name if self.others else "a call"
        first = f"bound{self.under}: no rank sends more in {calls}; it may send less"
        parts = [f"{one.name}: at most {amounts(one)}" for one in self.most]
        return [first, *(f"{name}: {hypothesis}" for name, hypothesis in self.hypotheses), *parts]

    @property
    def supposed(self) -> str:
        """The hypotheses, for a table's foot."""
        return "; ".join([f"upper bounds{self.under}", *(words for _, words in self.hypotheses)])

    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``, one of ``rows.FORMS``; None where there is none."""
        return tidy(without_floors(self.derived.steps)) if name == "steps" and not self.given else super().form(name)

    def number(self, name: str, at: dict[str, Fraction]) -> Fraction | None:
        """Return a form's value at a point, in a call of so many ranks."""
        there = self.of_ranks(int(at["p"])) if "p" in at else self
        return super().number(name, at) if there is self else there.number(name, at)

    def of_ranks(self, ranks: int) -> ComposedCost:
        """Return the cost of a usual call, or of another where the number of ranks alone decides for that."""
        key = sent_alike(way := of_ranks(self.found, ranks))
        if key == sent_alike(self.usual):
            return self
        if key not in self.of_others:
            self.of_others[key] = derived(self.page, [way], all_priced(self.page, way))
        return self.of_others[key]

    @cached_property
    def of_others(self) -> dict[tuple[tuple[str, ...], ...], ComposedCost]:
        """The costs of other calls, as far as they were asked for, by what is sent."""
        return {}

    @property
    def even(self) -> str:
        """The hypothesis under which nothing is rounded."""
        return unrounded(self.most)

    @property
    def gaps(self) -> list[str]:
        """Sentences about what the bound does not cover, and why."""
        return [
            *self.derived.gaps,
            *map(self.beside, self.others),
            *([group_averages.NOTE] if grouped(self.most) else []),
        ]

    @property
    def bounds(self) -> Mapping[str, lower_bounds.Floor]:
        """The lower bounds, by form; empty where ranks are in groups."""
        return {} if grouped(self.most) else super().bounds

    def beside(self, way: Way) -> str:
        """Return a sentence about what another call sends in all."""
        try:
            sent = "; ".join(f"{one.name}: {amounts(one)}" for one in all_priced(self.page, way)) or "nothing is sent"
        except Undecided as why:
            sent = str(why)
        return f"{way.name}: {sent}"

    @cached_property
    def checks(self) -> list[Checked]:
        """The checks: the bound against counts, its proof, and the judgements of lower bounds."""
        bounds = [Checked(*one) for one in lower_bounds.judge_bounds(self.page)]
        return [self.counted(), self.proved(), *bounds]

    def counted(self) -> Checked:
        """Check that runs keep to the bound, and reach it where all pieces are of one length."""
        done, reached = 0, 0
        for one in self.runs():
            if unlike := next(compared(self.most, one), None):
                return Checked("counted", REFUTED, str(unlike))
            done, reached = done + 1, reached + any(even(each, one) for each in self.most)
        detail = (
            f"p = {ALL[0]}..{ALL[-1]}, {', '.join(map(str, SOME))}; never above the bound in runs{self.under}, and all "
            f"of it in {reached} in which an exchange has pieces of one length"
        )
        return Checked("counted", tested(done), detail)

    def unlike(self, ranks: Iterable[int]) -> str:
        """Return the first quantity of which runs of so many ranks have more, or less where all of it is sent."""
        return next((str(unlike) for one in self.runs([*ranks]) for unlike in compared(self.most, one)), "")

    def runs(self, ranks: Sequence[int] = RANKS, *, every: bool = False) -> Iterator[Call]:
        """Yield the runs of usual calls that are counted; or ``every`` run, where entries decide what is usual."""
        for p in ranks:
            steps = sum(int(exact(each.forms["steps"], {"p": p})) for each in self.most)
            for one in calls(self.page, self.found, self.most, p):
                if every or not self.page.selecting or len(traced(one)) == steps:  # on a few ranks nothing is dealt out
                    yield one

    def proved(self) -> Checked:
        """Prove the sums of each exchange, and that no rank sends more."""
        sums = [(one.name, proof.prove(one.page, one.derived)) for one in self.most]
        for name, found in sums:
            if found.verdict not in (PROVED, PROVED_BELOW):
                return found._replace(detail=f"{name}: {found.detail}")
        if lacking := next(filter(None, (one.lacking for one in self.most)), ""):
            return Checked("derivation", NOT_COVERED, f"bytes: {lacking}")
        more = [claim for one in self.most if one.members for claim in group_averages.claims(one.sent)]
        told = "the sums of each exchange, and that no message is longer: {} obligations, z3 and cvc5"
        found = proof.put_to_solvers("derivation", [*volume(self.page), *more], told)
        below = found.verdict == PROVED and any(one.verdict == PROVED_BELOW for _, one in sums)
        return found._replace(verdict=PROVED_BELOW) if below else found

    @cached_property
    def claims(self) -> list[Judged]:
        """Published formulas, judged."""
        return [self.judged(claim) for claim in published(self.page)]

    def judged(self, claim: Claim) -> Judged:
        """Judge a claim beside the bound: a lower one is wrong only if a run sends more than it says."""
        judged = claims.compared(claim, self.needed(claim.quantity), PROVED)
        asked = judged.verdict == "different" or self.page.selecting  # of which entries decide what calls send
        if asked and (found := next(self.exceeding(claim), "")):
            detail = f"{found}{self.under and ','}{self.under}"
            told = judged._replace(verdict="different", checked=REFUTED, detail=detail)
        elif judged.verdict != "different":
            told = judged._replace(detail=f"{judged.detail}, as a bound{self.under}")
        else:
            why = f"lower than the bound{self.under}, which need not be reached: {judged.detail}"
            told = judged._replace(verdict="undecided", checked=UNDECIDED, detail=why)
        return claims.known(claims.exactly(told), self.needed(claim.quantity))

    def exceeding(self, claim: Claim) -> Iterator[str]:
        """Yield a sentence for each run in which more is counted than the claim says."""
        for one in self.runs(every=True):
            at = letters_of_run(one)
            if claim.quantity in ("words", "messages", "critical") and holds(claim.given, at):
                said = exact(claims.stated(claim), at)
                found = counts(one, traced(one), self.most[0].unit)[claim.quantity]
                if found > said:
                    where = ", ".join(f"{x}={at[x]}" for x in ("p", "k" if at["k"] else "n"))
                    yield f"{found} {claim.quantity} are sent, and not {said}, at {where}"


@dataclass(frozen=True)
class CodedCost(ComposedCost):
    """The most that a composition costs whose messages are codes: in bytes, where entries have 4 or 8."""

    names: ClassVar[tuple[str, ...]] = ("messages", "bytes", "added", "time")

    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``; None where there is none, as of words."""
        if name in ("time", "bytes") and any(one.lacking for one in self.most):
            return None
        if name == "time":
            return self.time
        if name == "bytes":
            return tidy(simplified(without_floors(sum(one.forms["bytes"] for one in self.most)), self.given))
        return super().form(name)

    @property
    def time(self) -> Expr:
        """Seconds in lock step: ``alpha`` a message, ``beta`` a byte, ``gamma`` an addition."""
        return alpha * self.messages + beta * self.needed("bytes") + gamma * self.needed("added")

    def octets(self, words: int | None, at: Mapping[str, Fraction]) -> int | None:
        """Return the bytes of all messages; raise InputError where entries have another width than the page's."""
        if at["width"] not in WIDTHS:
            widths = " or ".join(map(str, WIDTHS))
            raise InputError(f"width={at['width']}: entries of {self.page.name} have {widths} bytes")
        found = self.number("bytes", dict(at))
        return None if found is None else int(found)


KNOWN: dict[tuple[ModuleType, str], ComposedCost] = {}
"""Costs by module and parameters, so that runs are counted once in a process."""


def cost(page: Page) -> ComposedCost:
    """Return the cost of a composition; raise Undecided where something that it sends has no formula."""
    key = page.module, repr(page.params)
    if key not in KNOWN:
        KNOWN[key] = derived(page, ways(page), most(page))
    return KNOWN[key]


def most(page: Page) -> list[Priced]:
    """Return the costs of a usual call's exchanges; raise Undecided where something that it sends has no formula."""
    return all_priced(page, usual(ways(page)))


def sent_alike(way: Way) -> tuple[tuple[str, ...], ...]:
    """Return a key that is equal for two ways that cost the same."""
    return tuple(one.same for one in way.sent)


def all_priced(page: Page, way: Way) -> list[Priced]:
    """Return the costs of the exchanges on one way through the text."""
    return [priced(name, one, selecting=page.selecting) for name, one in zip(name_exchanges(way.sent), way.sent)]


WORDS = {"ReduceScatter": "reduce_scatter", "Averaging": "rounds of groups", SPARSE: "sparse allreduce"}
ORDINALS = ("", "second ", "third ", "fourth ", "fifth ")


def name_exchanges(sent: Sequence[Sent]) -> Iterator[str]:
    """Yield the names of exchanges, with an ordinal from the second of a kind on."""
    for i, one in enumerate(sent):
        before = sum(other.exchange == one.exchange for other in sent[:i])
        yield ORDINALS[before] + WORDS.get(one.exchange, one.exchange.lower())


def derived(page: Page, found: Sequence[Way], most: Sequence[Priced]) -> ComposedCost:
    """Return the sums over all exchanges; raise Undecided where some send words and some bytes."""
    lacking = [*dict.fromkeys(f"bytes: {one.lacking}" for one in most if one.lacking)]
    if len({one.unit for one in most}) > 1 and not lacking:
        raise Undecided(f"{page.name}: of its exchanges some send words and some bytes, which do not add up")
    coded = any(one.unit == "bytes" for one in most)

    def of(name: str) -> Expr:
        return sum(tidy(one.forms[name]) for one in most)

    sums = Derivation(
        steps=of("steps"), messages=of("messages"), words=None if coded else of("words"),
        critical=None if coded else of("critical"), added=of("added"), added_critical=of("added"),
        gaps=(*lacking, *CODED[1:]) if lacking else CODED if coded else (PATHS,),
    )  # fmt: skip
    return (CodedCost if coded else ComposedCost)(page, sums, found=found, most=most)
