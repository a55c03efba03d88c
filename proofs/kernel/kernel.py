"""Makes theorems.  Nothing else can.

A conjecture becomes a theorem when two solvers refute the negation of each of its obligations,
its hypotheses are satisfiable for 2, 3, 4 and 5 ranks, and the same road refutes a mutant.
Where an obligation fails, running the page for small p decides between *refuted* (the algorithm
is wrong) and *not inductive* (it is not, but what the page says of itself is).
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sparring.errors import InputError, SparringError, Undecided
from sparring.proofs.logic.queries import Answer, Memory, answered
from sparring.proofs.logic.verdicts import (
    EXPECTED,
    NOT_COVERED,
    NOT_INDUCTIVE,
    PROVED,
    PROVED_BELOW,
    PROVED_CHOSEN,
    REFUTED,
    UNDECIDED,
    Verdict,
)
from sparring.proofs.reading.annotations import Subject
from sparring.proofs.statements import execution
from sparring.proofs.statements.conjectures import Conjecture, Found, conjectures
from sparring.spec.core import purity
from sparring.spec.core.model import Page

LARGEST_RUN = 64  # ranks; a counterexample with more is told by its formula alone

FEW = range(1, 5)
"""Numbers of ranks with which what is proved is run, too: a reading may overlook what a run does."""

PROOFS = (PROVED, PROVED_BELOW, PROVED_CHOSEN)
"""What a theorem is: where formulas are read as bits, it holds for every p that the bits allow; and see ``chosen``."""

NO_FAULT = "no planted fault was refuted, so that this may say nothing"

UNSAID = "the page has no ensures(...), which says what all ranks end with"

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
    """An attempt that came off; made by :func:`attempts` alone."""

    seal: object = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL or self.verdict not in PROOFS:
            raise TypeError("theorems are made by sparring.proofs.kernel.kernel.attempts and by nothing else")


Evidence = Callable[[Conjecture], tuple[Iterable[Found], str]]
"""Returns faults that upset a conjecture, and the name of an obligation that none upsets, though one should; or ""."""


def attempts(whole: Subject, memory: Memory, evidence: Evidence | None) -> Iterator[Attempt]:
    """Try every conjecture about a page; what holds comes as a Theorem, as soon as it is judged.

    ``evidence``: a theorem needs a fault that the same road refutes; without any, what holds is an Attempt.

    Raises InputError where a formula cannot be run on symbols, or is not pure, naming its line.
    """
    purity.check(whole.page.module)
    if not whole.page.ensures:
        yield Attempt(whole.page.name, "result", "", NOT_COVERED, UNSAID, {}, ())
    for conjecture in readable(whole.general):
        start = time.perf_counter()
        attempt = judge(whole, conjecture, second_opinion=not conjecture.contended, memory=memory)
        if conjecture.contended:
            attempt = expected(attempt)
        elif attempt.verdict in PROOFS and evidence is not None:
            attempt = confirmed(attempt, *evidence(conjecture))
        yield replace(attempt, seconds=time.perf_counter() - start)


def readable(whole: Subject) -> Iterator[Conjecture]:
    """Yield the conjectures, with a fault in the page's own code told as bad input."""
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
    """Yield the answers up to the first counterexample."""
    for answer in answers:
        yield answer
        if answer.witness and not answer.problem:
            return


UNREAD = "a letter stands for arithmetic that is not read; right: written alike in the text and in what it ensures"
Weighed = tuple[Verdict, str, dict[str, Any]]


def weighed(page: Page, conjecture: Conjecture, answers: Sequence[Answer]) -> Weighed:
    """Return the verdict on a conjecture, why, and the witness."""
    failed = sorted((a for a in answers if not a.holds), key=lambda a: a.witness.get("p", 0))
    if not failed:
        try:
            belied = execution.first(conjecture.played or conjecture.check or clean, page, FEW)
        except Undecided as why:  # there is nothing to hold the runs against
            return UNDECIDED, str(why), {}
        if belied:
            return refuted_by(belied)
        return worth(conjecture, any(a.below for a in answers)), f"{len(answers)} obligations", {}
    facts = [a for a in failed if a.witness and not a.problem and not a.obligation.annotation]
    unread = [a for a in failed if page.composed and a.witness and a.obligation.claim is not False]
    wrong = ran_unread(page, conjecture) if unread and not facts else ran_wrong(page, conjecture, failed)
    if wrong and not (facts and facts[0].witness["p"] < wrong.p):
        return refuted_by(wrong)
    if facts:
        return REFUTED, describe_failure(facts[0]), dict(facts[0].witness)
    if doubtful := [a for a in failed if a.problem]:
        return UNDECIDED, f"{doubtful[0].obligation.name}: {doubtful[0].problem}", {}
    if unread:
        return UNDECIDED, f"{unread[0].obligation.name}: {UNREAD}", {}
    if page.composed:  # its text cannot be read there
        return UNDECIDED, failed[0].obligation.name, {}
    return not_inductive(page, conjecture, failed[0])


def worth(conjecture: Conjecture, below: bool) -> Verdict:
    """Return what it is worth that all obligations of a conjecture hold, ``below`` 2^31 ranks or for all."""
    if conjecture.chosen:
        return PROVED_CHOSEN
    return PROVED_BELOW if below else PROVED


def clean(*_: Any) -> None:
    """Find nothing wrong, of a claim that no run can check."""


def refuted_by(wrong: execution.Wrong) -> Weighed:
    """Return the refutation by a run."""
    return REFUTED, str(wrong), {"p": wrong.p} | ({} if wrong.t is None else {"t": wrong.t})


def ran_unread(page: Page, conjecture: Conjecture) -> execution.Wrong | None:
    """Return what runs find of a text that may be right, since it was not read far enough."""
    try:
        return execution.first(conjecture.played or clean, page, FEW)
    except Undecided:  # there is nothing to hold the runs against
        return None


def ran_wrong(page: Page, conjecture: Conjecture, failed: Sequence[Answer]) -> execution.Wrong | None:
    """Return what runs with few ranks find, then runs with as many ranks as the counterexamples have."""
    if conjecture.check is None:
        return None
    larger = sorted({a.witness["p"] for a in failed if a.witness} - set(execution.RANKS))
    return execution.first(conjecture.check, page, [*execution.RANKS, *(p for p in larger if p <= LARGEST_RUN)])


def describe_failure(a: Answer) -> str:
    """Tell a failed obligation with its counterexample; by its name alone, where nothing could satisfy it."""
    if a.obligation.claim is False:
        return a.obligation.name
    return f"{a.obligation.name} fails at {', '.join(f'{k}={v}' for k, v in a.witness.items())}"


def not_inductive(page: Page, conjecture: Conjecture, failed: Answer) -> Weighed:
    """Return *not inductive*; the runs are clean: what the page says of itself is wrong, and here is where.

    A claim that no run can check may have a page that makes no schedule: then it is refuted by that.
    """
    if wrong := execution.first(execution.matched, page):
        return refuted_by(wrong)
    clean = f"runs with p <= {execution.RANKS[-1]} are clean"
    lie = None if conjecture.name == "agreement" else execution.first_lie(page)
    if lie:
        return NOT_INDUCTIVE, f"{clean}, but {lie}", lie._asdict()
    return NOT_INDUCTIVE, f"{clean}, but {describe_failure(failed)}", dict(failed.witness)


def expected(attempt: Attempt) -> Attempt:
    """Turn a claim around that the page says is wrong: its refutation was wanted, and a proof would be the failure."""
    if attempt.verdict == REFUTED:
        return replace(attempt, verdict=EXPECTED)
    if attempt.verdict in PROOFS:
        return replace(attempt, verdict=REFUTED, detail=f"called contended, but {attempt.statement.lower()}")
    return attempt


def confirmed(attempt: Attempt, found: Iterable[Found], idle: str) -> Attempt:
    """Return the theorem, once one of the faults found is refuted by the same road; else *undecided*.

    ``idle``: an obligation that should have been upset and was not, or "".
    """
    fault = refuting(found)
    if fault and not idle:
        return Theorem(**{**vars(attempt), "mutant": fault}, seal=_SEAL)
    return replace(attempt, verdict=UNDECIDED, detail=f"{idle}{': ' if idle else ''}{NO_FAULT}")


def refuting(found: Iterable[Found]) -> str:
    """Return the first of these faults with which the conjecture is *refuted*, not what the page says of itself."""
    wrong = (one for one in found if weighed(one.subject.runnable, one.conjecture, [one.answer])[0] == REFUTED)
    first = next(wrong, None)
    return first.told if first else ""
