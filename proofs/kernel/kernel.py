"""Makes theorems.  Nothing else can.

A conjecture becomes a theorem when two solvers refute the negation of each of its obligations,
its hypotheses are satisfiable for 2, 3, 4 and 5 ranks, and the same road refutes a mutant.
Where an obligation fails, running the page for small p decides between *refuted* (the algorithm
is wrong) and *not inductive* (it is not, but what the page says of itself is).
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sparring.errors import InputError, ScheduleFault, SparringError
from sparring.proofs.contention import levels
from sparring.proofs.contention.networks import Topology
from sparring.proofs.logic.obligations import LEMMA, Obligation, schedule
from sparring.proofs.logic.queries import Answer, Memory, answered
from sparring.proofs.logic.verdicts import (
    EXPECTED,
    NOT_COVERED,
    NOT_INDUCTIVE,
    PROVED,
    PROVED_BELOW,
    REFUTED,
    UNDECIDED,
    Verdict,
    proved_up_to,
)
from sparring.proofs.mutants.faults import Faults, Found, stated
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.statements import execution
from sparring.proofs.statements.conjectures import Conjecture, conjectures
from sparring.spec.core.model import Page

TIMED = 32  # ranks up to which runs are judged under any timing
FEW = range(2, 5)  # ranks with which runs are judged where a fault is planted
LARGEST_RUN = 64  # ranks; a counterexample with more is told by its formula alone

PROOFS = (PROVED, PROVED_BELOW)
"""What a theorem is: where formulas are read as bits, it holds for every p that the bits allow."""

NO_FAULT = "no planted fault was refuted, so that this may say nothing"

UNSAID = "the page has no ensures(...), which says what all ranks end with"

ONE_LINK = Topology(
    "one link", "one link for all", {}, lambda src, dst, p: [(src, "in"), ("in", "out"), ("out", dst)], (), "one link"
)
"""On which all messages meet: a planted fault for what is claimed of contention."""

_SEAL = object()


@dataclass(frozen=True)
class Attempt:
    """A conjecture and what came of it."""

    algorithm: str
    name: str
    statement: str
    verdict: Verdict
    detail: str
    """One sentence that says why, where the verdict is not *proved*; else what it rests on."""
    witness: dict[str, Any]
    answers: tuple[Answer, ...]
    seconds: float = 0.0
    mutant: str = ""
    """The planted fault that the same road refuted; empty where none was."""


@dataclass(frozen=True)
class Theorem(Attempt):
    """An attempt that came off; made by :func:`prove` alone."""

    seal: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL or self.verdict not in PROOFS:
            raise TypeError("theorems are made by sparring.proofs.kernel.kernel.prove and by nothing else")


def prove(page: Page, *, planted: bool = True) -> Iterator[Attempt]:
    """Try every conjecture about ``page``; what holds comes as a Theorem, as soon as it is judged.

    ``planted``: a theorem needs a fault that the same road refutes; without one what holds is an Attempt.

    Raises InputError where a formula cannot be run on symbols, naming its line.
    """
    whole, memory = subject(page), Memory()
    faults = Faults(whole, memory)
    if not page.ensures:
        yield Attempt(page.name, "result", "", NOT_COVERED, UNSAID, {}, ())
    for conjecture in readable(whole.general):
        start = time.perf_counter()
        attempt = judge(whole, conjecture, second_opinion=not conjecture.contended, memory=memory)
        if conjecture.contended:
            attempt = expected(attempt)
        elif attempt.verdict in PROOFS and planted:
            attempt = confirmed(whole, attempt, conjecture, faults)
        yield replace(attempt, seconds=time.perf_counter() - start)
    if whole.contention:
        yield under_any_timing(whole)


def under_any_timing(whole: Subject) -> Attempt:
    """What the page claims of contention, decided for each small p on every topology, also those without formulas."""
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
    """The planted fault that all messages cross one link, if runs are then told from free ones; else empty."""
    boasts = dict.fromkeys(whole.contention, "exclusive")
    found = levels.findings(whole.page, boasts, FEW, lambda _: ONE_LINK)
    return "" if any(f.holds for f in found) else ONE_LINK.doc


def readable(whole: Subject) -> Iterator[Conjecture]:
    """The conjectures, with a fault in the page's own code told as bad input."""
    try:
        yield from conjectures(whole)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        if isinstance(error, SparringError):
            raise
        file = getattr(whole.page.module, "__file__", whole.page.name)
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
        raise InputError(f"{file}:{lines[-1] if lines else '?'}: {error}") from error


def judge(whole: Subject, conjecture: Conjecture, second_opinion: bool, memory: Memory | None = None) -> Attempt:
    """Ask the solvers, and where they object, run the page.

    Where a refutation is expected, the first counterexample is enough.
    """
    asked = answered(conjecture.obligations, second_opinion, conjecture.encoding, memory)
    answers = tuple(until_refuted(asked) if conjecture.contended else asked)
    verdict, detail, witness = weighed(whole.page, conjecture, answers)
    return Attempt(whole.page.name, conjecture.name, conjecture.statement, verdict, detail, witness, answers)


def until_refuted(answers: Iterator[Answer]) -> Iterator[Answer]:
    """The answers up to the first counterexample."""
    for answer in answers:
        yield answer
        if answer.witness and not answer.problem:
            return


Weighed = tuple[Verdict, str, dict[str, Any]]


def weighed(page: Page, conjecture: Conjecture, answers: Sequence[Answer]) -> Weighed:
    """The verdict on a conjecture, why, and the witness."""
    failed = sorted((a for a in answers if not a.holds), key=lambda a: a.witness.get("p", 0))
    if not failed:
        return PROOFS[any(a.below for a in answers)], f"{len(answers)} obligations", {}
    facts = [a for a in failed if a.witness and not a.problem and not a.obligation.annotation]
    wrong = ran_wrong(page, conjecture, failed)
    if wrong and not (facts and facts[0].witness["p"] < wrong.p):
        return REFUTED, str(wrong), {"p": wrong.p} | ({} if wrong.t is None else {"t": wrong.t})
    if facts:
        return REFUTED, describe_failure(facts[0]), dict(facts[0].witness)
    if doubtful := [a for a in failed if a.problem]:
        return UNDECIDED, f"{doubtful[0].obligation.name}: {doubtful[0].problem}", {}
    if page.composed:  # its text cannot be read there
        return UNDECIDED, failed[0].obligation.name, {}
    return not_inductive(page, conjecture, failed[0])


def ran_wrong(page: Page, conjecture: Conjecture, failed: Sequence[Answer]) -> execution.Wrong | None:
    """What runs with few ranks find, then runs with as many ranks as the counterexamples have."""
    if conjecture.check is None:
        return None
    larger = sorted({a.witness["p"] for a in failed if a.witness} - set(execution.RANKS))
    return execution.first(conjecture.check, page, [*execution.RANKS, *(p for p in larger if p <= LARGEST_RUN)])


def describe_failure(a: Answer) -> str:
    """A failed obligation with its counterexample; by its name alone, where nothing could satisfy it."""
    if a.obligation.claim is False:
        return a.obligation.name
    return f"{a.obligation.name} fails at {', '.join(f'{k}={v}' for k, v in a.witness.items())}"


def not_inductive(page: Page, conjecture: Conjecture, failed: Answer) -> Weighed:
    """The runs are clean: what the page says of itself is wrong, and here is where."""
    clean = f"runs with p <= {execution.RANKS[-1]} are clean"
    lie = None if conjecture.name == "agreement" else execution.first_lie(page)
    if lie:
        return NOT_INDUCTIVE, f"{clean}, but {lie}", lie._asdict()
    return NOT_INDUCTIVE, f"{clean}, but {describe_failure(failed)}", dict(failed.witness)


def expected(attempt: Attempt) -> Attempt:
    """A claim that the page says is wrong: its refutation is what was wanted, and a proof would be the failure."""
    if attempt.verdict == REFUTED:
        return replace(attempt, verdict=EXPECTED)
    if attempt.verdict in PROOFS:
        return replace(attempt, verdict=REFUTED, detail=f"called contended, but {attempt.statement.lower()}")
    return attempt


def confirmed(whole: Subject, attempt: Attempt, conjecture: Conjecture, faults: Faults) -> Attempt:
    """The theorem, once a fault is refuted by the same road; else *undecided*.

    One is enough for obligations that the kernel generates, or a proof module of sparring's own states: that
    each of these has a fault of its own is tested.  Of those that any other page states each needs one here.
    """
    if stated(attempt.name) and not faults.ours:
        found, left = faults.refuting(conjecture)
        fault, idle = refuting(found.values()), "".join(f"{name}: " for name in left[:1])
    else:
        some = faults.upsetting(conjecture, own(whole.page, conjecture))
        fault, idle = refuting(one for _, one in some), ""
    if fault and not idle:
        return Theorem(**{**vars(attempt), "mutant": fault}, seal=_SEAL)
    return replace(attempt, verdict=UNDECIDED, detail=f"{idle}{NO_FAULT}")


def refuting(found: Iterable[Found]) -> str:
    """The first of these faults with which the conjecture is *refuted*, and not what the page says of itself."""
    wrong = (one for one in found if weighed(one.subject.runnable, one.conjecture, [one.answer])[0] == REFUTED)
    first = next(wrong, None)
    return first.told if first else ""


def own(page: Page, conjecture: Conjecture) -> dict[str, Obligation]:
    """Of a theorem's obligations, by name, those that not every theorem has; of *deadlock*, which has no other, all.

    Of formulas that are not read as integers all, too: to find such a fault takes solvers minutes there.
    """
    every = {one.name: one for one in conjecture.obligations}
    shared = set[str]() if page.composed else {one.name for one in schedule(page)}
    mine = {name: one for name, one in every.items() if name not in shared and not name.startswith(LEMMA)}
    return mine if mine and page.encoding == "wrap" else every
