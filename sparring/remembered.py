"""What ``verify`` and ``prove`` found of an algorithm, kept as long as nothing has changed on which it rests.

That is every file of sparring, the machine, Python and all packages that judge or run, and what was asked.
What stands against an algorithm is not kept, nor what rests on a real MPI, nor on pages of other packages.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from itertools import groupby
from typing import Any, Self

import msgspec

from sparring import cached, parallel
from sparring.parallel import Done
from sparring.proofs.core.verdicts import Verdict, Word
from sparring.proving import Told
from sparring.reached import TRACED_BY_ANOTHER
from sparring.report import Result
from sparring.spec.core import pages, selectors
from sparring.spec.core.model import Page
from sparring.verification import Plan, Track

ROOMS = (".", "spec", "impl", "proofs")  # in a checkout the last three are links, which a walk does not follow
PACKAGES = ("sparring", "numpy", "z3-solver", "cvc5", "sympy", "greenlet", "coverage", "msgspec")


class Found(msgspec.Struct, forbid_unknown_fields=True):
    """A result as it is kept."""

    subject: str
    property: str
    word: str
    number: int
    detail: str
    witness: dict[str, Any]
    planted: str

    @classmethod
    def of(cls, r: Result) -> Self:
        """What is kept of a result."""
        return cls(r.subject, r.property, r.verdict.word.name, r.verdict.number, r.detail, dict(r.witness), r.planted)

    def result(self) -> Result:
        """The result again; raises KeyError for a word that is none."""
        verdict = Verdict(Word[self.word], self.number)
        return Result(self.subject, self.property, verdict, self.detail, self.witness, self.planted)


class Theorem(msgspec.Struct, forbid_unknown_fields=True):
    """A theorem as it is kept: its result, and what the envelope tells of it."""

    result: Found
    told: dict[str, Any]


def verified(
    asked: Sequence[str | Page], plan: Plan, track: Track, jobs: int | Executor, done: Done, *, keep: bool
) -> tuple[list[Result], list[str]]:
    """The results for all, in their order, and whose an earlier run found.

    ``keep``: what is found is kept, and told again as long as nothing has changed.
    """
    earlier = {name: some for name in asked if keep and isinstance(name, str) and (some := recalled(name, plan))}
    for name, results in earlier.items():
        done(name, results, None)

    def new(name: str, results: Sequence[Result], seconds: float | None) -> None:
        if keep:
            remember(name, plan, results)
        done(name, results, seconds)

    known = [earlier.get(one) if isinstance(one, str) else None for one in asked]
    judged = parallel.verified([one for one, some in zip(asked, known) if not some], plan, track, jobs, new)
    by_subject = (list(own) for _, own in groupby(judged, lambda r: r.subject))
    parts = [some or next(by_subject, []) for some in known]
    return [r for part in parts for r in part], [*earlier]


def recalled(name: str, plan: Plan) -> list[Result] | None:
    """What was found of an algorithm or selector, if nothing has changed since; else None."""
    if not ours(name, plan):
        return None
    some = cached.kept(f"verify-{name}", key(name, plan), list[Found])
    with suppress(KeyError):
        return None if some is None else [one.result() for one in some]
    return None


def remember(name: str, plan: Plan, results: Sequence[Result]) -> None:
    """Keep it, if it may be: nothing stands against it, and no debugger or tool like it looked on."""
    if ours(name, plan) and not any(r.verdict.word.exit_code or r.detail == TRACED_BY_ANOTHER for r in results):
        cached.keep(f"verify-{name}", key(name, plan), [*map(Found.of, results)])


def proved(asked: Sequence[str | Page]) -> dict[str, list[Told]]:
    """The theorems of those of whom an earlier run found them."""
    return {name: some for name in asked if isinstance(name, str) and (some := theorems(name))}


def remember_proved(asked: Sequence[str | Page], found: Sequence[Told]) -> None:
    """Keep what was proved of those that are named, as far as it may be."""
    for name in asked:
        if isinstance(name, str):
            remember_theorems(name, [told for told in found if told.result.subject == name])


def theorems(name: str) -> list[Told] | None:
    """What was proved of an algorithm, if nothing has changed since; else None."""
    some = cached.kept(f"prove-{name}", key(name, PROOFS), list[Theorem]) if ours(name) else None
    with suppress(KeyError):
        return None if some is None else [Told(one.result.result(), one.told) for one in some]
    return None


def remember_theorems(name: str, found: Sequence[Told]) -> None:
    """Keep it, if it may be."""
    if ours(name) and found and not any(one.result.verdict.word.exit_code for one in found):
        kept = [Theorem(Found.of(one.result), dict(one.theorem)) for one in found]
        cached.keep(f"prove-{name}", key(name, PROOFS), kept)


PROOFS = "proofs"
"""What is asked where nothing is run."""


def ours(name: str, plan: Plan | None = None) -> bool:
    """Whether all that it rests on is known: it is of sparring's own, and no real MPI is asked."""
    if name in selectors.names():
        return True
    real = plan is not None and plan.on != "simulated"
    return not real and name in pages.names() and pages.find(name).module.__name__.startswith("sparring.")


def key(name: str, asked: Plan | str) -> str:
    """A digest of all that it rests on."""
    return cached.digest(f"{name} {asked} {cached.installed(ROOMS, PACKAGES)}".encode())
