"""Schedule files: the verdict on files of others, and the export of our algorithms."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sparring.errors import InputError
from sparring.present.explorer import html
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, UNDECIDED, Verdict, proved_at, tested
from sparring.report import Report, Result
from sparring.schedules import documents, rccl, writing
from sparring.schedules.formats import files
from sparring.schedules.judgement import Judgement
from sparring.schedules.program import Program
from sparring.schedules.races import LISTED
from sparring.spec.core import pages as registry
from sparring.spec.core.model import Page

PROPERTIES: Mapping[str, str] = {
    "implements": "every rank ends with what the collective promises, each contribution exactly once",
    "agreement": "all ranks add in the same order, and so end with the same bits",
    "races": "steps that touch one place, one of them writing, are ordered",
    "deadlock": "the program ends, whatever the timing",
    "hygiene": "every message is received, and is as long as its receiver expects",
    "contention": "messages of different sources do not meet on a link",
    "loader": "RCCL loads it",
}
"""The properties that are judged of a schedule file, in the order in which they are shown."""


def check_schedule(
    path: str | Path, *, depth: int | None = None, topology: str | None = None, load: bool = False
) -> Report:
    """Judge a schedule file.

    It may be MSCCL's XML or JSON, our JSON, MSCCL++'s plan, TE-CCL's output, ForestColl's trees, GOAL, or Chakra's
    traces.

    Chakra has a file for each rank; ``NAME.0.et`` stands for all of them.

    ``depth``: how many messages a channel holds; by default it is enough that the program ends at some depth, and the
    report has the smallest.  ``topology``: one that :func:`sparring.contention` knows; no two messages of different
    sources may meet on it.  ``load``: RCCL must load the file.

    Raises InputError, one sentence, where the file is none of these or its parts do not fit together.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file] = export("ring", 4, "msccl", Path(folder) / "ring")
    ...     report = check_schedule(file)
    >>> report.verdict, report.extra["implements"], report.extra["deadlock_free_depth"]
    ('holds', True, 2)
    """
    start, path = time.perf_counter(), Path(path)
    if depth is not None and depth < 1:
        raise InputError(f"depth = {depth}; right: the messages that a channel holds, 1 or more")
    try:
        judgement = judge(files.read(path))
        results = list(judge_properties(judgement, path.name, depth, topology, load=load))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    asked = [prop for prop in PROPERTIES if prop not in left_out(judgement, topology, load=load)]
    told = {"target": str(path), "on": "schedule", "topology": topology or "", "judged": asked}
    shown = {"": lambda: html.page(documents.document(judgement, path.name, results, depth, topology))}
    extra = {**envelope(judgement), "check": told}
    return Report("check", results, gaps, time.perf_counter() - start, extra, explorers=shown)


def judge(subject: files.Subject) -> Judgement:
    """Judge a file; one that a runtime may use in place and out of place must be right both ways."""
    if not (isinstance(subject, Program) and subject.inplace and subject.outofplace):
        return Judgement(subject)
    both = {"in place": Judgement(subject), "out of place": Judgement(replace(subject, inplace=False))}
    way = next((way for way, one in both.items() if one.faulty), "")
    found = both[way or "in place"]
    found.ways = way or " and ".join(both)
    return found


def left_out(one: Judgement, topology: str | None, *, load: bool) -> set[str]:
    """Return the properties that nobody asked for, or of which such a file says nothing."""
    out = set() if one.program else {"implements", "races", "loader"}
    out |= set() if one.collective == "allreduce" else {"agreement"}
    return out | ({"contention"} if topology is None else set()) | (set() if load else {"loader"})


def judge_properties(
    one: Judgement, name: str, depth: int | None, topology: str | None, *, load: bool
) -> Iterator[Result]:
    """Yield a result for each property."""
    for prop, judge in (
        ("implements", implements), ("agreement", agreement), ("races", races),
        ("deadlock", lambda j: ending(j, depth)), ("hygiene", matching),
        ("contention", lambda j: crossing(j, topology)), ("loader", lambda j: loading(j, load=load)),
    ):  # fmt: skip
        verdict, detail = (NOT_COVERED, one.gaps[prop]) if prop in one.gaps else judge(one)
        if one.plan and one.plan.partly and verdict == proved_at(one.ranks):
            verdict, detail = tested(1), f"{detail}, {one.plan.partly}"
        if one.ways and prop in ("implements", "agreement", "races") and verdict != NOT_COVERED:
            detail = f"{detail}, {one.ways}"
        yield Result(name, prop, verdict, detail)


Found = tuple[Verdict, str]
UNKNOWN = "which sums the ranks should end with is not known"


def implements(one: Judgement) -> Found:
    """Judge whether the program does what the declared collective promises."""
    if one.program is None:
        return NOT_COVERED, "the file names no collective, and not what its messages hold"
    if one.collective is None:
        return (
            NOT_COVERED,
            f"nothing is known of {one.program.collective!r}; known: allreduce, allgather, reduce_scatter, alltoall",
        )
    if one.wrong is None:
        return REFUTED, "the program does not end"
    if one.wrong:
        return REFUTED, f"{one.wrong[0]}" + (f"; {one.wrong_count} cells are wrong" if one.wrong_count > 1 else "")
    told = f"{one.collective}: each contribution once and in its place, for every input"
    return (proved_at(one.ranks), told) if one.races == [] else (tested(1), f"{told}, in one order of the steps")


def agreement(one: Judgement) -> Found:
    """Judge whether all ranks add in the same order."""
    if one.collective != "allreduce":
        adds = "each sum is on one rank alone" if one.collective == "reduce_scatter" else "nothing is added"
        return NOT_COVERED, f"in an {one.collective} {adds}" if one.collective else UNKNOWN
    if one.wrong != []:
        return NOT_COVERED, "sums that are wrong have no order that is right"
    if one.unequal:
        return REFUTED, str(one.unequal)
    told = "all ranks add in the same order, chunk by chunk: the same bits, for every input"
    return (proved_at(one.ranks), told) if one.races == [] else (tested(1), f"{told}, in one order of the steps")


def races(one: Judgement) -> Found:
    """Judge whether accesses to the same place are ordered."""
    if one.places is None:
        return NOT_COVERED, "the file does not say which places its messages touch"
    if not one.ends:
        return NOT_COVERED, "the program does not end"
    if one.races is None:
        return NOT_COVERED, f"{len(one.graph.nodes)} steps in {one.graph.chains} blocks are too many"
    if one.races:
        most = "at least " * (len(one.races) == LISTED)
        more = f"; {most}{len(one.races)} pairs of steps race" if len(one.races) > 1 else ""
        return REFUTED, one.races[0].told(one.graph, one.cell(one.races[0])) + more
    return proved_at(one.ranks), "every two steps that touch one place are ordered, if one of them writes"


def ending(one: Judgement, depth: int | None) -> Found:
    """Judge whether the program ends."""
    if one.graph.wild:
        return (
            NOT_COVERED,
            f"{len(one.graph.wild)} receives take what comes, so that timing decides which message they get",
        )
    if one.plan:
        told = "ends under any timing; signals are counted, and wait for no room"
        return (proved_at(one.ranks), told) if one.ends else (REFUTED, one.stuck(None))
    if one.unheard:
        return REFUTED, one.unheard
    if one.depth is None:
        return REFUTED, f"at every depth: {one.stuck(None) or one.stuck(len(one.graph.nodes))}"
    if depth is not None and depth < one.depth:
        return REFUTED, f"channels hold {depth}, {one.depth} would do: {one.stuck(depth)}"
    if one.loose:
        return tested(1), f"ends in the file's order of messages, which nothing fixes for {one.loose[0]}"
    told = f"ends under any timing if channels hold {one.depth} message{'s' * (one.depth > 1)} or more"
    return proved_at(one.ranks), told


def matching(one: Judgement) -> Found:
    """Judge whether every send has its receive, and every receive its send."""
    found = list(one.unmatched)
    if found:
        return REFUTED, found[0] + (f"; {len(found)} channels are wrong" if len(found) > 1 else "")
    if one.graph.wild:
        return NOT_COVERED, f"{len(one.graph.wild)} receives take what comes"
    if one.plan:
        return proved_at(one.ranks), "every signal is waited for, and semaphores end as they began"
    verdict = tested(1) if one.loose else proved_at(one.ranks)
    return verdict, "every message is received, and as long as expected"


def crossing(one: Judgement, topology: str | None) -> Found:
    """Judge whether messages can meet on a link."""
    if topology is None:
        return NOT_COVERED, "no topology given (--topology NAME)"
    found = one.crossing(topology)
    if one.graph.wild or one.loose or not one.ends:
        return NOT_COVERED, "which message is received when is not known"
    verdict = {"contended": REFUTED, "undecided": UNDECIDED}.get(found.level) or proved_at(one.ranks)
    return verdict, found.told(one.graph)


def loading(one: Judgement, *, load: bool) -> Found:
    """Judge whether RCCL loads the file."""
    if one.program is None:
        return NOT_COVERED, "no program for RCCL"
    found = list(rccl.refusals(one.program))
    told = (
        found[0] + (f"; {len(found)} reasons" if len(found) > 1 else "") if found else "nothing in RCCL's way is known"
    )
    if not load:
        return NOT_COVERED, f"not asked for (--load); {told}"
    return (REFUTED if found else proved_at(one.ranks)), told


def envelope(one: Judgement) -> dict[str, Any]:
    """Return what a report of a schedule file has in addition."""
    wrong, raced = one.wrong or [], one.races or []
    known = one.wrong is not None or (one.program is not None and one.collective is not None)
    reasons = list(rccl.refusals(one.program)) if one.program and "loader" not in one.gaps else []
    return {
        "collective": one.program.collective if one.program else None, "ranks": one.ranks,
        "implements": (one.wrong == []) if known else None,
        "agreement": (one.unequal is None) if known and one.collective == "allreduce" and one.wrong == [] else None,
        "unequal": one.unequal.as_dict() if one.unequal else None,
        "wrong_cells": [w.as_dict() for w in wrong], "wrong_cells_count": one.wrong_count,
        "deadlock_free_depth": None if one.graph.wild or one.plan else one.depth,
        "races": [r.as_dict(one.graph, one.cell(r)) for r in raced],
        "steps": len(one.graph.nodes), "messages": sum(len(c.sends) for c in one.graph.carried),
        "cost": one.cost.as_dict() if one.cost else None, "loader": reasons[:LISTED],
        "properties": dict(PROPERTIES),
    }  # fmt: skip


def export(
    algo: str | Page,
    ranks: int,
    form: str,
    out: str | Path,
    *,
    size: int = 2**20,
    track: Callable[[Any, str], Any] = lambda items, _: items,
    **params: Any,
) -> list[Path]:
    """Write an algorithm's schedule for ``ranks`` ranks to ``out``, a name without ending; return the files.

    ``form``: ``msccl`` (XML), ``json`` (the same program as our JSON), ``goal`` (text) or ``chakra`` (a trace a rank);
    the last two keep only messages, of a vector of ``size`` bytes.  ``track`` iterates over the ranks, is given the
    algorithm's name, and may show the progress.

    Ranks are written one after the other, so memory does not grow with the files.  The files get their names when all
    are complete.

    Raises InputError where a schedule file cannot say what the algorithm does, or the files cannot be written.
    """
    page, out = algo if isinstance(algo, Page) else registry.find(algo, **params), Path(out)
    written = writing.write_schedule(page, ranks, form, size)
    pieces = (piece for _, piece in zip(track(range(ranks), page.name), written))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
            endings = filled(Path(folder), pieces)
            made = [Path(f"{out}{ending}") for ending in endings]
            for ending, path in zip(endings, made):
                (Path(folder) / ending).replace(path)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    return made


def filled(folder: Path, pieces: writing.Pieces) -> list[str]:
    """Write files into the folder, each called what its name will end in; these endings."""
    endings = []
    for ending, found in groupby(pieces, key=lambda piece: piece[0]):
        endings.append(ending)
        with (folder / ending).open("wb") as file:
            file.writelines(data for _, data in found)
    return endings
