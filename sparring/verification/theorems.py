"""Theorems of pages as a report tells them: the process that proved them may be another one, or an earlier one.

What was found is kept as long as nothing has changed on which it rests: every file of sparring, the machine,
Python, and all packages that judge or run.  What stands against a page is not kept, nor what is of other packages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from sparring import disk_cache
from sparring.proofs.kernel.kernel import Attempt
from sparring.proofs.logic.hints import Hints, theorem
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.verdicts import Verdict, Word
from sparring.proofs.proving import proving
from sparring.report import Result
from sparring.spec.core import pages, selectors
from sparring.spec.core.model import Page

ROOMS = (".", "spec", "impl", "proofs")  # in a checkout the last three are links, which a walk does not follow
PACKAGES = ("sparring", "numpy", "z3-solver", "cvc5", "sympy", "greenlet", "coverage", "msgspec")

Entry = dict[str, Any]
"""One of a manifest."""


class Told(NamedTuple):
    """One judged conjecture: its result, and the same for the envelope."""

    result: Result
    theorem: Entry


class Part(NamedTuple):
    """One step of proving a page: a conjecture and the files written for it; the last step has the files in Coq."""

    told: Sequence[Told] = ()
    entries: Sequence[Entry] = ()
    in_coq: Sequence[Entry] = ()


def proved(page: Page, folder: Path | None = None, *, keep: bool = False) -> Iterator[Part]:
    """Yield all theorems of the page, each as soon as it is judged, and write their obligations below ``folder``.

    ``keep``: as for :func:`theorems`; with a ``folder`` all theorems are proved anew.
    """
    if not folder:
        yield from (Part([one]) for one in theorems(page, keep=keep))
        return
    from sparring.proofs.kernel import instances
    from sparring.proofs.reading.annotations import subject

    own = []
    for attempt in proving.prove(page):
        own.append(attempt)
        yield Part([tell_theorem(attempt)], write_obligations(attempt, page, folder))
    yield Part(in_coq=instances.export(subject(page), own, folder))


def write_obligations(attempt: Attempt, page: Page, folder: Path) -> Sequence[Entry]:
    """Write the attempt's obligations as files."""
    from sparring.proofs.kernel import certificates

    return certificates.export(attempt, page, folder)


def tell_theorem(a: Attempt) -> Told:
    """Return an attempt as a report tells it: its result, and its entry for the envelope."""
    return Told(
        Result(a.algorithm, a.name, a.verdict, a.detail, a.witness),
        {
            "algorithm": a.algorithm,
            "name": a.name,
            "statement": a.statement,
            "verdict": str(a.verdict),
            "seconds": round(a.seconds, 3),
            "solvers": sorted({solver for answer in a.answers for solver in answer.solvers}),
            "mutant": "refuted" if a.mutant else "none",
            "planted": a.mutant,
            "obligations": [answer.obligation.name for answer in a.answers],
        },
    )


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
        """Return the result in the form in which it is kept."""
        return cls(r.subject, r.property, r.verdict.word.name, r.verdict.number, r.detail, dict(r.witness), r.planted)

    def result(self) -> Result:
        """Return the result that was kept; raises KeyError if its word is no verdict."""
        verdict = Verdict(Word[self.word], self.number)
        return Result(self.subject, self.property, verdict, self.detail, self.witness, self.planted)


class Theorem(msgspec.Struct, forbid_unknown_fields=True):
    """A theorem as it is kept: its result, and what the envelope tells of it."""

    result: Found
    told: Entry


def theorems(page: Page, *, keep: bool) -> Iterator[Told]:
    """Yield all theorems of the page: with ``keep`` those of an earlier run, if kept; else they are proved now.

    ``keep`` also keeps what is proved now.  A page that is given may be another one of that name; of such a page
    no theorem is kept, but on which facts its proof rests, with which the next one begins.
    """
    whole = keep and ours(page.name) and page is pages.find(page.name)
    known = recalled(page.name) if whole else None
    found = []
    memory = answers() if page.encoding == "wrap" else Memory()  # facts about bits and digits take much room
    if keep and not whole:
        memory.hints |= disk_cache.recall(*hinted(page), Hints) or Hints()
    for one in known or map(tell_theorem, proving.prove(page, memory=memory)):
        found.append(one)
        yield one
    if whole and not known:
        remember(page.name, found)
    elif keep and not whole:
        disk_cache.keep(*hinted(page), Hints(memory.rested, faults(found)))


def faults(found: Iterable[Told]) -> dict[str, str]:
    """Return by theorem which planted fault was refuted."""
    told = (one.theorem for one in found if one.theorem["planted"])
    return {theorem(one["algorithm"], one["name"]): one["planted"] for one in told}


def hinted(page: Page) -> tuple[str, str]:
    """Return under which name and key hints for a page are kept; a hint that has become wrong costs time alone."""
    return f"hints-{disk_cache.digest(page.name.encode())[:16]}", "2"


@cache
def answers() -> Memory:
    """Return the solvers' answers in this process: compositions of one exchange share the obligations about it."""
    return Memory()


def recalled(name: str) -> list[Told] | None:
    """Return the theorems proved of an algorithm, if nothing has changed since; else None."""
    some = disk_cache.recall(f"prove-{name}", key(name, PROOFS), list[Theorem]) if ours(name) else None
    with suppress(KeyError):
        return None if some is None else [Told(one.result.result(), one.told) for one in some]
    return None


def remember(name: str, found: Sequence[Told]) -> None:
    """Keep the theorems of an algorithm of sparring's own, unless one is refuted, undecided or not inductive."""
    if ours(name) and found and not any(one.result.verdict.word.exit_code for one in found):
        kept = [Theorem(Found.of(one.result), dict(one.theorem)) for one in found]
        disk_cache.keep(f"prove-{name}", key(name, PROOFS), kept)


PROOFS = "proofs"
"""What is asked where nothing is run."""


def ours(name: str) -> bool:
    """Return whether every file that results of ``name`` rest on is known: whether it is sparring's own."""
    return name in selectors.names() or (
        name in pages.names() and pages.find(name).module.__name__.startswith("sparring.")
    )


def key(name: str, asked: object) -> str:
    """Return a digest of all that results of ``name`` rest on, and of what was asked."""
    return disk_cache.digest(f"{name} {asked} {disk_cache.installed(ROOMS, PACKAGES)}".encode())
