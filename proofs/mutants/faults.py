"""Faults in what a page's theorems are about, generated from the source of its text and refuted one by one.

A theorem is trusted only where each of its obligations is refuted for some fault: one that no fault can
upset says nothing.  Faults are planted in the page's formulas or its text, in what its proof module says beside
them, in the bounds of chunks, in the pages of exchanges, in the modules that hold codes and local functions, and
in the functions with which a proof module compares the page.

Two sorts of obligations hold for every page by construction and need none: those that the kernel generates
without a formula of the page (a rank's own port, what a standard kind wants), and those that a formula
which the page leaves out makes true of all numbers (``live``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice, zip_longest
from typing import Any

import z3

from sparring.proofs.logic import hints, small_points
from sparring.proofs.logic.obligations import LEMMA, Obligation
from sparring.proofs.logic.queries import Answer, Memory
from sparring.proofs.mutants import sites, texts
from sparring.proofs.mutants.sites import STATED, Operators, Planted
from sparring.proofs.mutants.syntax import FURTHER, IN_PAGES, OPERATORS
from sparring.proofs.reading.annotations import Subject
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements.conjectures import CLAIM, PEERS, Conjecture, Found
from sparring.proofs.statements.formulas import schedule
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Node, Reader

PEER = " dst: "
"""In words, that a fault is in the formula that says to whom ranks send."""
POINTS = 1000
"""At so many a claim is evaluated; where that finds nothing, faults are put to the solver all the same."""
Sorts = Mapping[str, Callable[[Subject, Operators], Iterator[Planted]]]
OF_PAGES: Sorts = {"page": sites.in_page, "bounds": sites.in_bounds, "compared": sites.in_compared}
OF_TEXTS: Sorts = {
    "text": texts.in_text, "exchanges": texts.in_exchanges, "bounds": sites.in_bounds, "local": texts.in_local,
    "compared": sites.in_compared,
}
"""By sort, the faults of a page of formulas, and of a composition."""
UPSET_BY: Mapping[str, Sequence[str]] = {
    "partition": ("bounds",), **dict.fromkeys(STATED, ("page", "compared")), "": ("page",),
}
UPSET_IN_TEXTS: Mapping[str, Sequence[str]] = {
    "partition": ("bounds", "exchanges", "text"), "deadlock": ("exchanges", "text"),
    "contention": ("exchanges", "text"), "peers": ("exchanges", "local", "compared", "text"),
    "volume": ("bounds", "exchanges", "local", "text"), "": ("text", "exchanges", "local"),
}
"""By theorem, or of all others, in which order faults of these sorts are tried."""


def stated(theorem: str) -> bool:
    """Return whether a proof module writes its obligations down."""
    return theorem in STATED or theorem.startswith(CLAIM)


class Faults:
    """The faults of one page, each planted once for all theorems."""

    def __init__(self, whole: Subject, memory: Memory) -> None:
        self.whole, self.memory = whole.general, memory
        self.planted: dict[tuple[str, bool], Sequence[Planted]] = {}
        self.known: dict[str, texts.Spoken] = {}
        self.tried: dict[tuple[Any, ...], bool] = {}

    def sort(self, name: str, further: bool) -> Sequence[Planted]:
        """Return the faults of a sort, the usual ones or further ones; each is planted when it is asked for."""
        if (name, further) not in self.planted:
            composed = self.whole.page.composed
            operators = FURTHER if further else IN_PAGES if composed else OPERATORS
            generate = (OF_TEXTS if composed else OF_PAGES)[name]
            self.planted[name, further] = in_turn(generate(self.whole, operators))
        return self.planted[name, further]

    @cached_property
    def ours(self) -> bool:
        """Return whether what is stated is stated by proof modules of sparring's own."""
        said = (getattr(self.whole, name) for name in (*STATED, "theorems"))
        return all(getattr(f, "func", f).__module__.startswith("sparring.proofs.") for f in said if f)

    def of(self, theorem: str, further: bool | None) -> Iterator[Planted]:
        """Yield the faults that may upset the theorem; one that was planted for an earlier theorem is there already.

        ``further``: the usual ones or further ones; None: the one that was refuted in an earlier proof.
        """
        if further is None:
            yield from self.hinted(theorem)
        elif self.whole.page.composed:
            yield from self.of_text(theorem, further)
        else:
            first = PEER if " on " in theorem else ""  # what is said of links is false where peers are wrong
            yield from sorted(self.sorts(UPSET_BY, theorem, further), key=lambda one: first not in one.told)

    def hinted(self, theorem: str) -> Sequence[Planted]:
        """Return the fault that was refuted in an earlier proof of the theorem, if that is known and there is one."""
        told = self.memory.hints.faults.get(hints.theorem(self.whole.page.name, theorem))
        upset_by = UPSET_IN_TEXTS if self.whole.page.composed else UPSET_BY
        every = (one for further in (False, True) if told for one in self.sorts(upset_by, theorem, further))
        return [*islice((one for one in every if one.told == told), 1)]

    def sorts(self, upset_by: Mapping[str, Sequence[str]], theorem: str, further: bool) -> Sequence[Planted]:
        """Return the faults of all sorts that may upset the theorem."""
        return [one for sort in upset_by.get(theorem, upset_by[""]) for one in self.sort(sort, further)]

    def of_text(self, theorem: str, further: bool) -> Iterator[Planted]:
        """Yield the faults of a composition, those in functions that do not run for the theorem last of all.

        In the page's own functions these upset at most that its text calls what is spoken of; elsewhere nothing.
        """
        parts, functions = self.spoken(theorem)
        usual = [one for one in self.sorts(UPSET_IN_TEXTS, theorem, False) if one.part in parts]
        found = [one for one in self.sorts(UPSET_IN_TEXTS, theorem, True) if one.part in parts] if further else usual
        yield from (one for one in found if one.home is None or one.home in functions)
        for one in (*usual, *found) if further else ():
            if one.home and one.home not in functions and not one.local:
                yield one

    def spoken(self, theorem: str) -> texts.Spoken:
        """Return what the theorem speaks of; and the functions that run while the text is read, where it has to be."""
        if theorem not in self.known:
            said = texts.spoken_of(self.whole, theorem)
            apart = theorem == PEERS or theorem.startswith(CLAIM)
            self.known[theorem] = said if apart else said._replace(functions=said.functions | self.reading)
        return self.known[theorem]

    @cached_property
    def reading(self) -> frozenset[sites.Home]:
        """Return the functions that run while a composition's text is read."""
        return texts.running(self.whole.page.module, lambda: [*paths(self.whole.page)])

    def evidence(self, conjecture: Conjecture) -> tuple[Iterable[Found], str]:
        """Return faults that upset the conjecture, and an obligation that none upsets, though one should; or "".

        One is enough for obligations that the kernel generates, or a proof module of sparring's own states: that
        each of these has a fault of its own is tested.  Of those that any other page states each needs one here.
        """
        if stated(conjecture.name) and not self.ours:
            found, left = self.refuting(conjecture)
            return found.values(), "".join(left[:1])
        return (one for _, one in self.upsetting(conjecture, own(self.whole.page, conjecture))), ""

    def refuting(self, conjecture: Conjecture) -> tuple[dict[str, Found], list[str]]:
        """Return by obligation a fault that refutes it; and the names of those that none refutes, though one should."""
        found: dict[str, Found] = {}
        left = {one.name: one for one in conjecture.obligations}
        for name, one in self.upsetting(conjecture, left):
            found[name] = one
            del left[name]
        return found, [*left]

    def upsetting(self, conjecture: Conjecture, left: dict[str, Obligation]) -> Iterator[tuple[str, Found]]:
        """Yield which of the obligations ``left`` a fault refutes, and the fault; the caller takes away what is enough.

        What evaluation at small numbers shows false is put to the solver first: only its answer counts.  What
        speaks of no formula of the page, and is the kernel's, or what is true of all numbers, is taken away
        where no evaluation shows it false.
        """
        every, touched = {**left}, {*left} if stated(conjecture.name) else set[str]()
        links = " on " in conjecture.name  # ranks that all send to one, say, are no usual fault
        rounds = ((True, links), (True, not links), (False, False), (False, True))
        for suspected, further in ((True, None), (False, None), *rounds):
            for fault in self.of(conjecture.name, further) if left else ():
                changed = fault.conjecture(conjecture.name)
                for other in changed.obligations if changed else ():
                    names = [name for name in meant(other, every) if name in left and not self.same(left[name], other)]
                    touched |= {name for name in names if self.differs(left[name].claim, other.claim)}
                    if changed and names and (answer := self.upset(other, conjecture.encoding, suspected)):
                        found = Found(fault.told, fault.plant(), changed, answer)
                        yield from ((name, found) for name in names)
                if not left:
                    return
            if further is None or (suspected and further == links):  # other faults have not been evaluated yet
                continue
            for name in [n for n, one in left.items() if n not in touched or made_true(conjecture, one)]:
                del left[name]

    def upset(self, claim: Obligation, encoding: str, suspected: bool) -> Answer | None:
        """Ask a solver for a counterexample to the claim, only if small numbers are one, or only if they are not."""
        if claim.claim is False and claim.annotation:  # a text that cannot be read may be right
            return None
        with suppress(z3.Z3Exception, TypeError):  # a fault may give a truth for a number
            if self.suspicious(claim) == suspected:
                answer = self.memory.answer(claim, False, claim.encoding or encoding)
                return answer if answer.witness and not answer.problem else None
        return None

    def suspicious(self, claim: Obligation) -> bool:
        """Return whether small numbers upset the claim."""
        key = self.key(claim)
        if key not in self.tried:
            self.tried[key] = bool(small_points.false_at(claim, POINTS))
        return self.tried[key]

    def key(self, claim: Obligation) -> tuple[Any, ...]:
        """Return a key that is the same for equal obligations alone."""
        return tuple(map(self.memory.identity, (claim.claim, *claim.hypotheses)))

    def same(self, one: Obligation, other: Obligation) -> bool:
        """Return whether the fault leaves the obligation as it is."""
        return self.key(one) == self.key(other)

    def differs(self, one: Bool, other: Bool) -> bool:
        return self.memory.identity(one) != self.memory.identity(other)


def in_turn(faults: Iterable[Planted]) -> Sequence[Planted]:
    """Order faults: first one of each line, then another of each: where one upsets nothing, neighbours seldom do."""
    lines: dict[str, list[Planted]] = {}
    for one in faults:
        lines.setdefault(one.line, []).append(one)
    return [one for turn in zip_longest(*lines.values()) for one in turn if one]


def meant(other: Obligation, every: Mapping[str, Obligation]) -> Iterable[str]:
    """List what it stands for with a fault: the obligation of its name; if ranks cannot go a path, all of the path."""
    if other.name in every or other.claim is not False:
        return (other.name,)
    return [name for name in every if name.startswith(f"{other.name.partition(': ')[0]}: ")]


class Folded(Reader[Any]):
    """A reader of what a claim is whatever its numbers are: True, False, or the term itself where they decide."""

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return name

    def operator(self, x: Node, args: list[Any]) -> Any:
        known = {"or": any(a is True for a in args), "and": all(a is True for a in args)}
        if x.op == "where":
            return True if args[1] is True and args[2] is True else x
        return True if known.get(x.op) else x


def made_true(conjecture: Conjecture, claim: Obligation) -> bool:
    """Return whether the kernel generated a claim, true of all numbers, from formulas that the page leaves out."""
    return not stated(conjecture.name) and Folded()(claim.claim) is True


def own(page: Page, conjecture: Conjecture) -> dict[str, Obligation]:
    """Return a theorem's obligations, by name, that not every theorem has; of *deadlock*, which has no other, all.

    Of formulas that are not read as integers all, too: to find such a fault takes solvers minutes there.
    """
    every = {one.name: one for one in conjecture.obligations}
    shared = set[str]() if page.composed else {one.name for one in schedule(page)}
    mine = {name: one for name, one in every.items() if name not in shared and not name.startswith(LEMMA)}
    return mine if mine and page.encoding == "wrap" else every
