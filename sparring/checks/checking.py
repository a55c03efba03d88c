"""``check``: the verdict on somebody's implementation."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sparring.checks import engine, judging, reproducer
from sparring.checks.engine import Findings, Question, explore
from sparring.checks.examples import Example
from sparring.checks.group import Group
from sparring.checks.places import Place, Ranks, Real, Simulated
from sparring.checks.properties import LEVELS, MESSAGES, PROPERTIES, SPARSE
from sparring.checks.vectors import Vector, plain
from sparring.errors import InputError, MissingExtra
from sparring.proofs.core.verdicts import EXPECTED, NOT_COVERED, REFUTED, UNDECIDED, Verdict, tested
from sparring.proofs.trace.compare import compare
from sparring.proofs.trace.packings import PACKED
from sparring.report import Report, Result
from sparring.sparse import Sparse
from sparring.spec.core import pages

PLACES = ("simulated", "mpi", "both")
TIMEOUT = 3.0
"""Seconds for one small example on real ranks, after which it hangs."""


def check(
    target: Any,
    page: str = reproducer.CONTRACT,
    *,
    ranks: Iterable[int] = range(1, 9),
    on: str = "simulated",
    level: str = "result",
    seed: int = 0,
    max_examples: int = 100,
    xfail: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    sparse: bool = False,
    examples: Sequence[tuple[Sequence[Vector], str]] = (),
    advance: Callable[[], None] = lambda: None,
    group: Ranks | None = None,
    **params: Any,
) -> Report:
    """Judge an implementation of allreduce, property by property, on drawn examples.

    Parameters
    ----------
    target : ``f(comm, x, /, **params) -> y``, or a class ``T(comm, n, **params)`` with ``t(x) -> y``;
        by name (``"pkg.mod:name"``, ``"file.py:name"``) or, on the simulated world, itself.
    page : the algorithm that it is said to be, or "allreduce": the sum alone.
    ranks : the numbers of ranks to draw from.
    on : "simulated", "mpi" (a group of real processes) or "both".
    level : "result", "volume" (messages and words too) or "steps" (message by message too).
    seed, max_examples : the same seed draws the same examples.
    xfail : property -> reason; such a property must be refuted, and is a failure where it holds.
    only : the properties to judge; default all.
    sparse : with "allreduce", vectors are ``sparring.Sparse`` and so is the sum; a page says itself what it takes.
    examples : judge these, ``(one vector a rank, property that a wrong sum falsifies)``, and draw none.
    advance : called after each example, to show progress.
    group : the real ranks to run on, instead of processes that are started for this.
    params : passed to the target.

    Raises
    ------
    InputError : an argument is not as above.  What the target does wrong is never raised.

    >>> import numpy as np
    >>> def lossy(comm, x):
    ...     y = np.empty_like(x)
    ...     comm.Allreduce(x, y)
    ...     y[-1:] = 0
    ...     return y
    >>> print(check(lossy, only=["result"], ranks=[2, 3]).results[0].detail)
    p=2 n=2: rank 0 has [0 0], reference [0 1]
    """
    start = time.perf_counter()
    chosen = list(PROPERTIES) if only is None else list(only)
    found = None if page == reproducer.CONTRACT else pages.find(page)
    if found and sparse and not found.sparse:
        raise InputError(f"sparse: {found.name} takes arrays; leave it out, or name an algorithm of sparse vectors")
    if found and found.stateful:
        raise InputError(
            f"{found.name} selects entries by their values and keeps the rest: check judges sums of all entries; "
            f"'sparring verify {found.name}' judges ours, call after call"
        )
    given = found.sparse if found else sparse
    question = Question(target, found, tuple(sorted(set(ranks))), level, seed, max_examples, chosen, given)
    fitting(question, examples)
    expected = dict(xfail or {})
    if unknown := [p for p in expected if p not in PROPERTIES]:
        raise InputError(f"xfail: no property {unknown[0]!r}: there are {', '.join(PROPERTIES)}")
    if on not in PLACES:
        raise InputError(f"on={on!r}: there are {', '.join(PLACES)}")
    seen: dict[str, Findings] = {}
    missing = ""
    try:
        with places(on, question, params, group) as wheres:
            for where in wheres:
                seen[where.name] = looked(question, where, examples, advance, Simulated(params))
    except MissingExtra as extra:
        missing = str(extra)
    name = target if isinstance(target, str) else getattr(target, "__qualname__", repr(target))
    results = [
        held_against(expected, verdict_on(question, name, prop, seen, on, missing, params)) for prop in question.only
    ]
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    gaps += unread(question, seen)
    told = {
        "target": name, "page": page, "sparse": given, "level": level, "ranks": list(question.ranks), "on": on,
    }  # fmt: skip
    figure = pictured(question, seen)
    return Report("check", results, gaps, time.perf_counter() - start, {"check": told}, figure)


def fitting(question: Question, examples: Sequence[tuple[Sequence[Vector], str]]) -> None:
    """Raises InputError for given examples that are not of the vectors that the target takes."""
    for xs, _ in examples:
        for r, x in enumerate(xs):
            if isinstance(x, Sparse) != question.sparse:
                wanted = "a sparring.Sparse" if question.sparse else "an array"
                raise InputError(f"examples: rank {r} has a {type(x).__name__}: it must be {wanted}")


def unread(question: Question, seen: Mapping[str, Findings]) -> list[str]:
    """What was not looked at because messages could only be counted."""
    judged = [prop for prop in ("steps", "volume") if prop in question.only and prop in MESSAGES[question.level]]
    number = sum(findings.unread for findings in seen.values())
    if not judged or not number:
        return []
    what = f"in {number} examples no message reads as a list of the page, {PACKED}"
    return [f"{' and '.join(judged)}: {what}; there messages were counted, not their bytes or entries compared"]


def pictured(question: Question, seen: Mapping[str, Findings]) -> Callable[[int], Any] | None:
    """The first divergence from the page as two pictures: for a terminal, and as SVG beside the reproducers."""
    for findings in seen.values():
        if question.page is None or "steps" not in findings.smallest:
            continue
        example, _ = findings.smallest["steps"]
        trace = findings.traces["steps"]
        divergence = compare(question.page, example.xs, trace, "steps")
        if divergence is not None:
            from sparring.present import divergence as present

            file = reproducer.FOLDER / "steps.svg"
            file.parent.mkdir(exist_ok=True)
            n = None if question.sparse else example.n  # of lists, n does not say which are empty
            file.write_text(present.svg(question.page, trace, divergence, n=n), encoding="utf-8")
            return functools.partial(present.terminal, question.page, trace, divergence, n=n)
    return None


@contextmanager
def places(on: str, question: Question, params: Mapping[str, Any], given: Ranks | None) -> Iterator[Iterator[Place]]:
    """The places to look in, one after the other; the group of real ranks ends with the block."""
    groups: list[Group] = []

    def wheres() -> Iterator[Place]:
        if on in ("simulated", "both"):
            yield Simulated(params)
        if on in ("mpi", "both"):
            if given is None:
                groups.append(Group(max(question.ranks)))
            yield Real(given or groups[0], params, TIMEOUT)

    try:
        yield wheres()
    finally:
        for group in groups:
            group.stop()


def looked(
    question: Question,
    where: Place,
    given: Sequence[tuple[Sequence[Vector], str]],
    advance: Callable[[], None],
    rehearsal: Place,
) -> Findings:
    """What is found in one place: on the given examples, else on drawn ones."""
    if not given:
        return explore(question, where, advance, rehearsal if isinstance(where, Real) else None)
    findings = Findings()
    for xs, kind in given:
        example = Example(list(xs), kind)
        flaws, seen = engine.judge(question, where, example)
        findings.refused = seen.refused
        findings.unread += judging.unread(example, seen, question.page)
        findings.add(example, flaws, seen, engine.asked(question, example))
    return findings


def verdict_on(
    question: Question, name: str, prop: str, seen: Mapping[str, Findings], on: str, missing: str,
    params: Mapping[str, Any],
) -> Result:  # fmt: skip
    """The verdict on one property from all places."""
    for where, findings in seen.items():
        if prop in findings.smallest:
            example, why = findings.smallest[prop]
            script = reproducer.write(question, where, prop, example, why, params)
            run = f". Run: python {script.as_posix()}" if script else ""
            under = "under mpiexec " if where == "mpi" and on == "both" else ""
            witness = {"p": example.p, "n": example.n, "inputs": [plain(x) for x in example.xs]}
            return Result(name, prop, REFUTED, f"{example.place}: {under}{why}{run}", witness)
    counted = sum(f.judged.get(prop, 0) for f in seen.values() if not f.refused)
    if counted and not (prop == "hygiene" and on == "mpi"):
        return Result(name, prop, tested(counted), (SPARSE if question.sparse else {}).get(prop, PROPERTIES[prop]))
    return Result(name, prop, *uncovered(question, prop, seen, on, missing))


def uncovered(
    question: Question, prop: str, seen: Mapping[str, Findings], on: str, missing: str
) -> tuple[Verdict, str]:
    """Why there is no verdict on a property."""
    if missing and on == "mpi":
        return UNDECIDED, missing
    if refused := next((f.refused for f in seen.values() if f.refused), ""):
        return NOT_COVERED, refused
    if prop in MESSAGES["steps"] and prop not in MESSAGES[question.level]:
        return NOT_COVERED, f"level {question.level!r} does not look at it; there are {', '.join(LEVELS)}"
    if prop == "hygiene":
        return NOT_COVERED, "only the simulated world sees it"
    return NOT_COVERED, "no example came to it"


def held_against(expected: Mapping[str, str], result: Result) -> Result:
    """The result where a failure was expected: refuted is as expected, holding is a stale expectation."""
    reason = expected.get(result.property)
    if reason is None or result.verdict in (NOT_COVERED, UNDECIDED):
        return result
    if result.verdict == REFUTED:
        return result._replace(verdict=EXPECTED, detail=f"{reason} ({result.detail})")
    return result._replace(verdict=REFUTED, detail=f"expected to fail ({reason}), but it holds: drop the expectation")
