"""What a page costs at most that is a program: who sends what depends on the data, so that no formula says it exactly.

Its proof module says of which parts a call is made (``bounded``), each with formulas in which every rank
sends all that a rank may send there under the hypotheses.  From these the sums are derived as those of any
page; obligations say that no rank sends more.  What runs send (``played``) is counted beside, part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

from sparring.errors import InputError, Undecided
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import companion
from sparring.proofs.core.verdicts import PROVED, PROVED_BELOW, REFUTED, UNDECIDED, tested
from sparring.proofs.cost import claims, floors, proof
from sparring.proofs.cost.amounts import Most, amounts, derived_part, unrounded
from sparring.proofs.cost.claims import Judged
from sparring.proofs.cost.costs import Checked, Cost
from sparring.proofs.cost.counted import Unlike
from sparring.proofs.cost.derivation import Derivation
from sparring.proofs.cost.published import Claim, holds, published
from sparring.proofs.cost.simplified import simplified, tidy
from sparring.proofs.cost.symbols import Expr, alpha, beta, exact, gamma, plain
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Message, run, worded
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.sparse import SparseVector

RANKS = range(1, 65)
PATHS = "V_path: it is at most V_crit; which paths there are depends on the data"
CODED = (
    "words: messages are codes, told in bytes; published and least words do not speak of them",
    "additions: of all entries of messages that are added; derived, and not counted in runs, where these are bytes",
)
WIDTHS = (4, 8)
"""Bytes of an entry of vectors whose codes are counted."""
NO_BOUND = Bounded("", (), ())


@dataclass(frozen=True)
class BoundedCost(Cost):
    """The most that a program may cost under hypotheses, in closed form."""

    bounded: Bounded = NO_BOUND

    @property
    def label(self) -> str:
        """Whose cost it is, for a table: that it is a bound belongs to it."""
        return f"{self.page.name} (bound)"

    @property
    def relation(self) -> str:
        """What stands before a form: no rank has more."""
        return "<= "

    @property
    def qualified(self) -> Sequence[str]:
        """In words, that this is a bound, and under which hypotheses."""
        first = f"bound under {self.bounded.name}: no rank sends more in {self.bounded.calls}; it may send less"
        parts = [f"{one.part.name}: at most {amounts(one)}" for one in self.most]
        return [first, *(f"{name}: {hypothesis}" for name, hypothesis in self.bounded.hypotheses), *parts]

    @property
    def supposed(self) -> str:
        """The hypotheses, for a table's foot."""
        return "; ".join([f"upper bounds under {self.bounded.name}", *(words for _, words in self.bounded.hypotheses)])

    @cached_property
    def most(self) -> Sequence[Most]:
        """The parts, derived."""
        return [derived_part(part) for part in self.bounded.parts]

    def form(self, name: str) -> Expr | None:
        """The closed form of that name, one of ``tables.FORMS``; None where there is none."""
        return tidy(plain(self.derived.steps)) if name == "steps" and not self.given else super().form(name)

    @property
    def even(self) -> str:
        """The hypothesis under which nothing is rounded."""
        return unrounded(self.most)

    @property
    def bounds(self) -> Mapping[str, floors.Floor]:
        """Lower bounds, by form; none of groups, in which a rank need not hear from all."""
        return {} if any(part.ranks for part in self.bounded.parts) else super().bounds

    @property
    def gaps(self) -> list[str]:
        """What the bound does not say, and why."""
        besides = [f"{more.part.name}: {amounts(more)} more" for more in map(derived_part, self.bounded.besides)]
        return [*self.derived.gaps, *besides, *self.bounded.notes]

    @cached_property
    def checks(self) -> list[Checked]:
        """The bound against counts, and its proof."""
        bounds = [Checked(*one) for one in floors.judged(self.page)]
        return [self.counted(), Checked("derivation", *self.proved()), *bounds]

    def counted(self) -> Checked:
        """Whether runs keep to the bound, and reach it where they aim at it."""
        done, reached = 0, 0
        for one in self.runs():
            if unlike := next(compared(self.most, one), None):
                return Checked("counted", REFUTED, str(unlike))
            done, reached = done + 1, reached + bool(one.reaches)
        ranks = f"p = {RANKS[0]}..{RANKS[-1]}"
        detail = (
            f"{ranks}; never above the bound in runs under its hypotheses, and all of it in {reached} that aim at it"
        )
        return Checked("counted", tested(done), detail)

    def runs(self) -> Iterator[Played]:
        """The runs that are counted."""
        played = companion(self.page).played
        return (one for p in RANKS for one in played(self.page, p))

    def proved(self) -> proof.Proof:
        """The sums of each part, and that no rank sends more."""
        done, verdict = 0, PROVED
        for one in self.most:
            if (found := proof.prove(one.part.page, one.derived)).verdict not in (PROVED, PROVED_BELOW):
                return proof.Proof(found.verdict, f"{one.part.name}: {found.detail}")
            verdict = found.verdict if found.verdict == PROVED_BELOW else verdict
            for answer in answered([*one.part.claims], second_opinion=True):
                if not answer.holds:
                    wrong = answer.problem or claims.told(answer.witness)
                    detail = f"{one.part.name}, {answer.obligation.name}: {wrong}"
                    return proof.Proof(UNDECIDED if answer.problem else REFUTED, detail)
                done += 1
        return proof.Proof(
            verdict, f"the sums of each part, and that no rank sends more: {done} obligations, z3 and cvc5"
        )

    @cached_property
    def claims(self) -> list[Judged]:
        """Published formulas, judged."""
        return [self.judged(claim) for claim in published(self.page)]

    def judged(self, claim: Claim) -> Judged:
        """What a claim is worth beside a bound: one that is lower is wrong only if a run sends more than it says."""
        judged, under = claims.compared(claim, self.needed(claim.quantity), PROVED), f"under {self.bounded.name}"
        if judged.verdict != "different":
            told = judged._replace(detail=f"{judged.detail}, as a bound {under}")
        elif found := next(self.exceeding(claim), ""):
            told = judged._replace(detail=f"{found}, {under}")
        else:
            why = f"lower than the bound {under}, which need not be reached: {judged.detail}"
            told = judged._replace(verdict="undecided", checked=UNDECIDED, detail=why)
        return claims.expected(told)

    def exceeding(self, claim: Claim) -> Iterator[str]:
        """Runs in which more is counted than it says."""
        for one in self.runs():
            at = place(one)
            if claim.quantity in ("words", "messages", "critical") and holds(claim.given, **at):
                pieces, said = cut(self.most, one), exact(claims.stated(claim), at)
                counted = whole(one, pieces, self.most[0].unit)[claim.quantity]
                if counted > said:
                    where = ", ".join(f"{x}={at[x]}" for x in ("p", "k" if "k" in at else "n"))
                    yield f"{counted} {claim.quantity} are sent, and not {said}, at {where}"


@dataclass(frozen=True)
class CodedCost(BoundedCost):
    """The most that a program may cost whose messages are codes: in bytes, where vectors have entries of 4 or 8."""

    names: ClassVar[tuple[str, ...]] = ("messages", "bytes", "added", "time")

    def form(self, name: str) -> Expr | None:
        """The closed form of that name; None where there is none, as of words."""
        if name == "time":
            return self.time
        if name == "bytes":
            return tidy(simplified(plain(sum(one.forms["bytes"] for one in self.most)), self.given))
        return super().form(name)

    @property
    def time(self) -> Expr:
        """Seconds in lock step: ``alpha`` a message, ``beta`` a byte, ``gamma`` an addition."""
        return alpha * self.messages + beta * self.needed("bytes") + gamma * self.needed("added")

    def octets(self, words: int | None, at: Mapping[str, Fraction]) -> int | None:
        """The bytes of all messages; raises InputError where entries have another width than the page's."""
        if at["width"] not in WIDTHS:
            widths = " or ".join(map(str, WIDTHS))
            raise InputError(f"width={at['width']}: entries of {self.page.name} have {widths} bytes")
        found = self.number("bytes", dict(at))
        return None if found is None else int(found)


KNOWN: dict[tuple[ModuleType, Callable[[Page], Bounded], str], BoundedCost] = {}
"""By module, by who says of which parts a call is made, and by parameters: runs are counted once in a process."""


def cost(page: Page) -> BoundedCost:
    """The bound of a program; raises Undecided where its proof module has none."""
    said = getattr(companion(page), "bounded", None)
    if said is None:
        raise Undecided(f"{page.name} is a program, whose cost depends on the data; its proof module has no bound")
    key = page.module, said, repr(page.params)
    if key not in KNOWN:
        KNOWN[key] = derived(page, said(page))
    return KNOWN[key]


def derived(page: Page, bounded: Bounded) -> BoundedCost:
    """The sums of all parts."""
    most = [derived_part(part) for part in bounded.parts]
    if len({one.unit for one in most}) > 1:
        raise Undecided(f"{page.name}: of its parts some send words and some bytes, which do not add up")
    coded = any(one.unit == "bytes" for one in most)

    def of(name: str) -> Expr:
        return sum(tidy(one.forms[name]) for one in most)

    sums = Derivation(
        steps=of("steps"), pieces=(), sent=None, adding=None, added=None, largest=None if coded else of("words"),
        path=None, critical=None if coded else of("critical"), added_most=of("added"), added_critical=of("added"),
        gaps=CODED if coded else (PATHS,), several=of("messages"),
    )  # fmt: skip
    return (CodedCost if coded else BoundedCost)(page, sums, bounded=bounded)


def place(one: Played) -> dict[str, int]:
    """The letters of a run; ``k`` where the page has it."""
    x, kept = one.xs[0], {"k": one.page.params.get("k", 0)} if "k" in one.page.params else {}
    width = {"width": x.dtype.itemsize} if hasattr(x, "dtype") else {}
    return {"p": len(one.xs), "n": x.n if isinstance(x, SparseVector) else len(x), **kept, **width}


Trace = Sequence[Sequence[Message]]


def cut(most: Sequence[Most], one: Played) -> list[tuple[Sequence[Most], Trace]]:
    """The steps of each part; where one that leaves in one step is left out, of it and the next.

    Raises Undecided where there are other steps than the parts have.
    """
    trace, p = run(one.page, one.xs, one.state).trace, len(one.xs)
    if p == 1 and not any(trace):
        return []
    many = [0 if each.part.once else int(exact(each.forms["steps"], {"p": p})) for each in most]
    more, begun = len(trace) - sum(many), 0
    left_out: list[Most] = []
    found: list[tuple[Sequence[Most], Trace]] = []
    if more not in (0, 1):
        raise Undecided(f"{one.what} at p={p}: {len(trace)} steps, and the parts have {sum(many)}")
    for each, steps in zip(most, many):
        if each.part.once and not more:
            left_out.append(each)
            continue
        end = begun + steps + each.part.once
        found.append(([*left_out, each], trace[begun:end]))
        begun, left_out = end, []
    if begun != len(trace):
        raise Undecided(f"{one.what} at p={p}: {len(trace)} steps, and the parts have {begun}")
    return found


def sized(page: Page, entries: Any, unit: str) -> int:
    """How long a message is, in words or in bytes; raises Undecided for one that is to be bytes and is none."""
    if unit == "words":
        return worded(page, entries, 8)
    if not isinstance(entries, memoryview):
        raise Undecided(f"{page.name}: a message is a {type(entries).__name__}, whose bytes are not counted")
    return entries.nbytes


def rows(page: Page, trace: Trace, p: int, unit: str) -> dict[str, list[int]]:
    """By rank what it sends, in ``unit`` and messages, and the values that it receives; by step the fullest rank's."""
    found = {name: [0] * p for name in (unit, "messages", "received")}
    critical = []
    for wire in trace:
        step = [0] * p
        for src, dst, entries in wire:
            step[src] += sized(page, entries, unit)
            found["messages"][src] += 1
            found["received"][dst] += len(entries.indices if isinstance(entries, SparseVector) else entries)
        critical.append(max(step, default=0))
        found[unit] = [a + b for a, b in zip(found[unit], step)]
    return found | {"critical": critical}


def counts(page: Page, trace: Trace, p: int, adds: Trace, unit: str) -> dict[str, int]:
    """The most that a rank sends, in ``unit`` and messages, the fullest rank's of each step, and the most values added.

    ``adds``: the steps in which what is received is added.  How many values bytes are is not counted.
    """
    found = rows(page, trace, p, unit)
    most = {name: max(found[name]) for name in (unit, "messages")} | {"critical": sum(found["critical"])}
    if unit == "bytes":
        return most
    return {**most, "added": max(found["received"] if adds is trace else rows(page, adds, p, unit)["received"])}


def adding(part: Part, trace: Trace, p: int) -> Trace:
    """The steps of a part in which something is added: all, unless whole vectors' own page says which."""
    if part.length is None and part.ranks is None:
        return trace
    each = len(trace) if part.ranks is None else number(part.page.steps(part.ranks))
    return [wire for t, wire in enumerate(trace) if truth(part.page.adds(t % each, p))]


def compared(most: Sequence[Most], one: Played) -> Iterator[Unlike]:
    """Where a run is above the bound of a part, or below where it is to reach it."""
    at, p, pieces, unit = place(one), len(one.xs), cut(most, one), most[0].unit
    for parts, trace in pieces:
        last, name = parts[-1], f"{one.what}, {parts[-1].part.name}"
        counted = counts(one.page, trace, p, adding(last.part, trace, p), unit)
        bound = {what: int(exact(sum(each.forms[what] for each in parts), at)) for what in counted}
        within = [what for what in counted if what != "added" or bound[what]]  # else nothing is added there
        yield from (
            Unlike(f"{name}, {what}", at, bound[what], counted[what]) for what in within if counted[what] > bound[what]
        )
        reached = last.part.name in one.reaches
        alike = not last.part.once and (last.part.ranks is None or reached)
        fewest = min(rows(one.page, trace, p, unit)["messages"])
        if alike and fewest != (right := int(exact(last.forms["messages"], at))):
            yield Unlike(f"{name}, messages of each rank", at, right, fewest)
        if reached and counted[unit] != (all_ := int(exact(last.forms[unit], at))):
            yield Unlike(f"{name}, all {unit} of the bound", at, all_, counted[unit])
    most_sent, sent = int(exact(sum(each.forms[unit] for each in most), at)), whole(one, pieces, unit)[unit]
    if sent > most_sent or (sent < most_sent and "" in one.reaches):
        yield Unlike(f"{one.what}, {unit} of all parts", at, most_sent, sent)


def whole(one: Played, pieces: Sequence[tuple[Sequence[Most], Trace]], unit: str) -> dict[str, int]:
    """What is counted of a whole call."""
    trace = [wire for _, part in pieces for wire in part]
    return counts(one.page, trace, len(one.xs), trace, unit)
