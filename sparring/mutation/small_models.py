"""Theorems about a page that has a fault: small numbers are tried before solvers are asked.

What a mutant shares with its page is neither tried nor asked twice: equal terms are one in a
:class:`~sparring.proofs.logic.queries.Memory`, which goes from mutant to mutant.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from sparring.proofs.kernel import kernel
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.queries import Memory, answered
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import Mutant
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.statements.conjectures import Conjecture
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Evaluator, variables

UNREADABLE = "bad input"
RANKS = 7  # up to so many are tried
TRIES = 1400


class Trials:
    """Tries of obligations with small numbers; those that no try has upset are remembered.

    ``memory`` makes equal terms one, and knows the solvers' answers.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.clean: set[tuple[Any, ...]] = set()

    def tried(self, whole: Subject, *names: str) -> Iterator[str]:
        """Yield the obligations that small numbers upset, of the named theorems or of all that are expected to hold."""
        for conjecture in claimed(whole, names):
            yield from (f"{conjecture.name}: {found}" for found in self.upset(tuple(conjecture.obligations)))

    def asked(self, whole: Subject, *names: str) -> Iterator[str]:
        """Yield the obligations of these theorems for which a solver has a counterexample."""
        for conjecture in claimed(whole, names):
            for answer in answered(conjecture.obligations, False, conjecture.encoding, self.memory):
                if not answer.holds and not answer.problem:
                    yield f"{conjecture.name}: {kernel.describe_failure(answer)}"

    def refused(self, page: Page, mutant: Mutant) -> str:
        """Return a theorem that is no longer proved of the page with this fault, by proof alone, with nothing run.

        It is the first that small numbers upset, else the first that the two solvers do not prove; "bad input" for a
        page that cannot be read; empty if all hold.  A wrong algorithm and a wrong statement of the page about itself
        count alike; only a run would tell them apart.  Claims of contention that are expected to be refuted, and those
        that only runs decide, are left out.
        """
        try:
            claims = claimed(subject(load(built(page.module, mutant.tree), **page.params)), ())
            upset = (one.name for one in claims if next(self.upset(tuple(one.obligations)), ""))
            return next(upset, "") or next((one.name for one in claims if self.unproved(one)), "")
        except Exception:  # noqa: BLE001 - whatever a planted fault raises has found it out
            return UNREADABLE

    def unproved(self, one: Conjecture) -> bool:
        """Return whether some obligation lacks a proof by both solvers."""
        asked = answered(one.obligations, True, one.encoding, self.memory)
        return not all(answer.holds for answer in asked)

    def upset(self, claims: Sequence[Obligation]) -> Iterator[str]:
        """Yield counterexamples of small numbers, in words; after the last, remember the obligations as tried.

        All obligations see the same numbers, so that a term that they share is evaluated once for each number.
        """
        ours = [one for one in map(self.shared, claims) if self.key(one) not in self.clean]
        for point in points(frozenset().union(*(variables(x) for one in ours for x in (*one.hypotheses, one.claim)))):
            reader = Evaluator(point)
            for one in ours:
                with suppress(ValueError, ZeroDivisionError):  # a shift by a negative number, a remainder by none
                    if all(map(reader, one.hypotheses)) and not reader(one.claim):
                        yield f"{one.name} fails at {', '.join(f'{k}={point[k]}' for k in letters(one))}"
        self.clean |= {self.key(one) for one in ours}

    def shared(self, claim: Obligation) -> Obligation:
        """Return the obligation with each term replaced by the first equal one in memory."""
        shared = self.memory.shared
        return claim._replace(hypotheses=tuple(map(shared, claim.hypotheses)), claim=shared(claim.claim))

    def key(self, claim: Obligation) -> tuple[Any, ...]:
        """Return a key that is the same for equal obligations alone."""
        return tuple(map(self.memory.identity, (*claim.hypotheses, claim.claim)))


def claimed(whole: Subject, names: Sequence[str]) -> list[Conjecture]:
    """Return the conjectures to be proved of the page, for every value of its parameters."""
    return [c for c in kernel.readable(whole.general) if not c.contended and (c.name in names or not names)]


def letters(claim: Obligation) -> list[str]:
    """Return the variables of an obligation, the number of ranks first."""
    found = frozenset().union(*map(variables, (*claim.hypotheses, claim.claim)))
    return ["p", *sorted(found - {"p"})]


def points(names: frozenset[str]) -> Iterator[dict[str, int]]:
    """Yield small numbers for these variables, the same in every run."""
    rng = random.Random("small numbers")
    for i in range(TRIES):
        p = i % RANKS + 1
        yield {"p": p, **{name: rng.randrange(p + 2 * (name not in "qrsc")) for name in sorted(names - {"p"})}}
