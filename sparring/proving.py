"""Theorems of pages as a report tells them, so that the process that proved them may be another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sparring.proofs.core import kernel
from sparring.proofs.core.kernel import Attempt
from sparring.report import Result
from sparring.spec.core.model import Page

Entry = dict[str, Any]
"""One of a manifest."""


class Told(NamedTuple):
    """One conjecture and what came of it: a result, and the same for the envelope."""

    result: Result
    theorem: Entry


class Part(NamedTuple):
    """What comes of a page next: a conjecture, and what was written of it; at the end what was written in Coq."""

    told: Sequence[Told] = ()
    entries: Sequence[Entry] = ()
    in_coq: Sequence[Entry] = ()


def proved(page: Page, folder: Path | None = None) -> Iterator[Part]:
    """All theorems of the page, each as soon as it is judged, and its obligations written below ``folder``."""
    own = []
    for attempt in kernel.prove(page):
        own.append(attempt)
        yield Part([told(attempt)], written(attempt, page, folder) if folder else ())
    if folder:
        from sparring.proofs.core import instances
        from sparring.proofs.core.supplement import subject

        yield Part(in_coq=instances.export(subject(page), own, folder))


def written(attempt: Attempt, page: Page, folder: Path) -> Sequence[Entry]:
    """The attempt's obligations as files."""
    from sparring.proofs.core import certificates

    return certificates.export(attempt, page, folder)


def told(a: Attempt) -> Told:
    """A theorem, or what came of it."""
    return Told(Result(a.algorithm, a.name, a.verdict, a.detail, a.witness), {
        "algorithm": a.algorithm,
        "name": a.name,
        "statement": a.statement,
        "verdict": str(a.verdict),
        "seconds": round(a.seconds, 3),
        "solvers": sorted({solver for answer in a.answers for solver in answer.solvers}),
        "mutant": "refuted" if a.mutant else "none",
        "planted": a.mutant,
        "obligations": [answer.obligation.name for answer in a.answers],
    })  # fmt: skip
