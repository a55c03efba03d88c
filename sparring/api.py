"""The Python face: what the commands do, as functions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sparring.spec.core import pages as registry
from sparring.spec.core import runner
from sparring.spec.core.model import Page

if TYPE_CHECKING:
    from sparring.proofs.core.kernel import Attempt
    from sparring.report import Report
    from sparring.verification import Track


def pages() -> list[str]:
    """The names of all algorithms."""
    return registry.names()


def page(algo: str, **params: Any) -> Page:
    """The page called ``algo``: a name, a module ``pkg.mod``, or a file ``./mine.py``."""
    return registry.find(algo, **params)


def run(algo: str | Page, xs: Sequence[Any], **params: Any) -> runner.Run:
    """Run the reference on ``xs``, one vector a rank.

    Iterating yields ``(t, wire, states)`` after each step; ``.trace`` and ``.results`` hold all.

    >>> run("ring", [[1.0, 2.0], [10.0, 20.0]]).results
    [[11.0, 22.0], [11.0, 22.0]]
    """
    return runner.run(algo if isinstance(algo, Page) else page(algo, **params), xs)


def attempts(page: Page) -> Iterator[Attempt]:
    """Every theorem of ``page``, or what came of it, as soon as it is judged."""
    from sparring.proofs.core import kernel

    return kernel.prove(page)


def prove(*algos: str | Page) -> Report:
    """Prove the theorems of these pages (by default of all), for every number of ranks.

    >>> prove("ring").verdict
    'holds'
    """
    start = time.perf_counter()
    found = [a for algo in algos or pages() for a in attempts(algo if isinstance(algo, Page) else page(algo))]
    return proof_report(found, time.perf_counter() - start)


def proof_report(found: Sequence[Attempt], seconds: float) -> Report:
    """The report of ``prove``: one result and one entry of ``theorems`` for each attempt."""
    from sparring.report import Report, Result

    results = [Result(a.algorithm, a.name, a.verdict, a.detail, a.witness) for a in found]
    return Report("prove", results, seconds=seconds, extra={"theorems": [theorem(a) for a in found]})


def theorem(a: Attempt) -> dict[str, Any]:
    """A theorem, or what came of it, for the envelope."""
    return {
        "algorithm": a.algorithm,
        "name": a.name,
        "statement": a.statement,
        "verdict": str(a.verdict),
        "seconds": round(a.seconds, 3),
        "solvers": sorted({solver for answer in a.answers for solver in answer.solvers}),
        "mutant": "refuted" if a.mutant else "none",
        "planted": a.mutant,
        "obligations": [answer.obligation.name for answer in a.answers],
    }


def verify(
    *algos: str | Page, ranks: Iterable[int] | None = None, full: bool = False, on: str = "simulated",
    track: Track = lambda items, _: items,
) -> Report:  # fmt: skip
    """Verify these algorithms (by default all): proofs, and the implementation on the simulated world.

    ``ranks``: the numbers of ranks to run (default: 1..8 on numbers; 1..16, 31..33, 63, 64 on terms);
    ``full``: terms for 1..64; ``on``: "simulated", "mpi" (under mpiexec) or "both"; ``track(items,
    description)`` goes through items and may show how far it is.
    """
    from sparring.report import PROPERTIES, Report
    from sparring.verification import plan, verify_page

    start = time.perf_counter()
    found = [a if isinstance(a, Page) else page(a) for a in algos or pages()]
    results = [r for one in found for r in verify_page(one, plan(ranks, full, on), track)]
    matrix: dict[str, dict[str, str]] = {one.name: {} for one in found}
    for r in results:
        matrix[r.subject][r.property] = str(r.verdict)
    gaps = [f"{r.subject}, {r.property}: {r.detail}" for r in results if r.verdict.word.value == "not covered"]
    seconds = time.perf_counter() - start
    return Report("verify", results, gaps, seconds, {"algorithms": matrix, "properties": dict(PROPERTIES)})
