"""Judges what a page claims of contention under any timing, by its runs with each small number of ranks."""

from __future__ import annotations

import time

from sparring.errors import ScheduleFault
from sparring.proofs.contention import levels
from sparring.proofs.contention.networks import Topology
from sparring.proofs.kernel.kernel import NO_FAULT, Attempt
from sparring.proofs.logic.verdicts import REFUTED, UNDECIDED, proved_up_to
from sparring.proofs.reading.annotations import Subject

TIMED = 32  # ranks up to which runs are judged under any timing
FEW = range(2, 5)  # ranks with which runs are judged where a fault is planted
ONE_LINK = Topology(
    "one link", "one link for all", {}, lambda src, dst, p: [(src, "in"), ("in", "out"), ("out", dst)], (), "one link"
)
"""On which all messages meet: a planted fault for what is claimed of contention."""


def under_any_timing(whole: Subject) -> Attempt:
    """Decide what the page claims of contention for each small p on every topology, also those without formulas."""
    start, page, claims = time.perf_counter(), whole.page, whole.contention
    mutant = ""
    try:
        found = levels.findings(page, claims, range(1, TIMED + 1))
        mutant = crowding(whole)
    except ScheduleFault as fault:
        verdict, detail, witness = REFUTED, str(fault), {"p": fault.p}
    else:
        wrong = next((f for f in found if not f.holds), None)
        verdict = REFUTED if wrong else proved_up_to(TIMED) if mutant else UNDECIDED
        detail = f"{wrong}; claimed: {wrong.claimed}" if wrong else "; ".join(map(str, found)) if mutant else NO_FAULT
        detail += f"; {levels.sentence(wrong.p, wrong.found)}" if wrong and wrong.found.overlap else ""
        witness = {"p": wrong.p} if wrong else {}
    seconds = time.perf_counter() - start
    statement = "Under any timing messages meet on a link no more than the page says."
    return Attempt(page.name, "timing", statement, verdict, detail, witness, (), seconds, mutant)


def crowding(whole: Subject) -> str:
    """Return the planted fault that all messages cross one link, if runs are then told from free ones; else empty."""
    boasts = dict.fromkeys(whole.contention, "exclusive")
    found = levels.findings(whole.page, boasts, FEW, lambda _: ONE_LINK)
    return "" if any(f.holds for f in found) else ONE_LINK.doc
