"""Certificates judged again: that they are whole, what solvers and Coq answer, and whether they are about the page.

A stranger's folder is data: no sentence in it is printed as a theorem.  Where the page is at hand, its
obligations are generated anew, and the files must ask what they ask; then the kernel's own sentence
stands.  Of any other page it is only said how many questions were answered as the manifest says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import z3

from sparring.errors import InputError, SparringError
from sparring.proofs.kernel.certificates import Entry, digest
from sparring.proofs.kernel.kernel import PROOFS, worth
from sparring.proofs.kernel.manifest import manifest, unchanged
from sparring.proofs.kernel.recompiling import Bench, Found
from sparring.proofs.logic import small_points, solvers
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.solvers import BITS
from sparring.proofs.logic.verdicts import EXPECTED, NOT_COVERED, PROVED, REFUTED, UNDECIDED, Verdict
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.statements.conjectures import Conjecture, conjectures
from sparring.spec.core import pages as registry
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page

VERDICTS = {str(v): v for v in (*PROOFS, EXPECTED)}
ANOTHER = "it is not what this version of sparring asks of the page; the version that wrote it can judge it"


class Judged(NamedTuple):
    """A theorem of the manifest, its files judged anew.

    ``statement``: a sentence of this version's own; ``effort``: z3's resource units in all; ``detail``: the
    first thing that does not hold, or how many files do.
    """

    algorithm: str
    theorem: str
    statement: str
    verdict: Verdict
    detail: str
    effort: int


def recheck(folder: Path, pages: Iterable[Page] = ()) -> Iterator[Judged]:
    """Judge each theorem of a folder that ``prove --export`` wrote, in its order, then those that have a file in Coq.

    Between them come those of pages at hand that the folder has no certificate of.  A theorem is compared with the
    installed page of its name, or with one of ``pages``.  Raises InputError for what is no such folder.
    """
    found, shelf = manifest(folder), Shelf(pages)
    for entry in found.theorems:
        faults, effort = [], 0
        for one in entry["obligations"]:
            fault, spent = again(one, folder)
            faults += [fault] if fault else []
            effort += spent
        statement, verdict, detail = judge_entry(entry, faults, folder, shelf)
        yield Judged(entry["algorithm"], entry["theorem"], statement, verdict, detail, effort)
    yield from left_out(found.theorems, shelf)
    with tempfile.TemporaryDirectory() as room:
        bench = Bench(found.generic, folder, Path(room))
        for entry in found.instances:
            statement, verdict, detail = in_coq(entry, bench, shelf)
            yield Judged(entry["algorithm"], f"{entry['theorem']} in Coq", statement, verdict, detail, 0)


def left_out(theorems: Iterable[Entry], shelf: Shelf) -> Iterator[Judged]:
    """Yield theorems of pages that were compared, if the folder has no certificate: who sends it may drop one."""
    told = {(shelf.key(one), one["theorem"]) for one in theorems}
    for key, (whole, known) in shelf.known.items():
        for name, one in known.items():
            if (key, name) not in told:
                why = "the folder has no certificate of it"
                yield Judged(whole.page.name, name, one.statement, NOT_COVERED, why, 0)


class Shelf:
    """The pages with which certificates are compared: installed ones, and those that the caller names.

    Nothing else that a manifest names is imported.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self.given = {page.name: page for page in pages}
        self.memory = Memory()
        self.known: dict[str, tuple[Subject, dict[str, Conjecture]]] = {}

    @staticmethod
    def key(entry: Entry) -> str:
        """Return which page the entry is about, with which parameters."""
        return f"{entry['algorithm']} {entry['parameters']}"

    def has(self, entry: Entry) -> bool:
        """Return whether a page of this name is there."""
        return entry["algorithm"] in self.given or entry["algorithm"] in registry.names()

    def found(self, entry: Entry) -> tuple[Subject, dict[str, Conjecture]]:
        """Return the page with the entry's parameters, and what the kernel would prove of it.

        Raises SparringError where it cannot be had with these.
        """
        name, params = entry["algorithm"], entry["parameters"]
        if (key := self.key(entry)) not in self.known:
            given = self.given.get(name)
            page = load(given.module, **params) if given else registry.find(name, **params)
            whole = subject(page)
            self.known[key] = whole, {one.name: one for one in conjectures(whole.general)}
        return self.known[key]


Sentence = tuple[str, Verdict, str]
"""What may be said of a theorem, the verdict on it, and the detail."""


def judge_entry(entry: Entry, faults: list[Found], folder: Path, shelf: Shelf) -> Sentence:
    """Return the worst of what was found; else what the files come to, as the page at hand says."""
    asked = len(entry["obligations"])
    apart = f"{asked} questions, whose meaning was not compared with a page."
    if digest(entry) != entry["digest"]:
        changed = "the digest is another: the statement, the page or the list of obligations was changed"
        return apart, REFUTED, changed
    if faults:
        return apart, *max(faults, key=lambda fault: fault[0] == REFUTED)
    if entry["verdict"] not in VERDICTS:
        return apart, UNDECIDED, f"{asked} files: {entry['verdict']}"
    if not shelf.has(entry):
        answered = f"{asked} questions answered as expected; their meaning was not compared with a page."
        return answered, NOT_COVERED, f"no page {entry['algorithm']} is installed, and none was given"
    try:
        whole, known = shelf.found(entry)
        conjecture = known.get(entry["theorem"])
        wrong = different(entry, whole.page, conjecture, folder, shelf.memory)
    except SparringError as fault:
        return apart, UNDECIDED, str(fault)
    if conjecture is None or wrong:
        return apart, UNDECIDED, f"{wrong}: {ANOTHER}"
    below = any(BITS in (folder / one["file"]).read_text("utf-8", "replace") for one in entry["obligations"])
    verdict = EXPECTED if conjecture.contended else worth(conjecture, below)
    return conjecture.statement, verdict, f"{asked} files, compared with the page"


def different(entry: Entry, page: Page, conjecture: Conjecture | None, folder: Path, memory: Memory) -> str:
    """Tell in what a theorem differs from what the kernel asks of the page; empty where it does in nothing."""
    if conjecture is None:
        return f"{page.name} has no theorem of this name"
    told, own = entry["obligations"], [*conjecture.obligations]
    if conjecture.contended:
        own = own[: len(told)]  # the first counterexample was enough
    wanted = ["unsat"] * len(own)
    if conjecture.contended:
        wanted[-1:] = ["sat"]
    if (entry["kind"], entry["statement"]) != (page.kind, conjecture.statement):
        return "kind or statement"
    names = [one["obligation"] for one in told]
    if names != [one.name for one in own]:
        other = next((a for a, b in zip(names, own) if a != b.name), f"{len(names)} instead of {len(own)} obligations")
        return f"the list of obligations, {other}"
    for one, claim, answer in zip(told, own, wanted):
        text = unchanged(folder, one["file"], one["sha256"])
        if one["expected"] != answer or not asks(text, claim, conjecture.encoding, answer, memory):
            return f"the question of {one['file']}"
    return ""


def asks(text: str, claim: Obligation, encoding: str, answer: str, memory: Memory) -> bool:
    """Return whether an answer to this SMT-LIB text decides the claim.

    Where nothing more is asserted than the hypotheses, facts and that the claim is false, that they
    contradict each other proves it.  That there is a solution refutes nothing by itself: evaluating the
    page's own formulas has to find one.
    """
    if answer == "sat":
        return bool(small_points.false_at(claim) or small_points.false_at(claim, small_points.MANY))
    asserted = asserts(text)
    questions = memory.questions(claim, claim.encoding or encoding)
    return any(asserted.keys() <= asserts(question).keys() for question in questions)


def asserts(text: str) -> Mapping[int, z3.BoolRef]:
    """Return what SMT-LIB text asserts, by z3's numbers of terms, of which equal ones have one."""
    return {one.get_id(): one for one in z3.parse_smt2_string(text)}


def again(entry: Entry, folder: Path) -> tuple[Found | None, int]:
    """Tell what is wrong with one file, and the effort of finding out."""
    try:
        question = unchanged(folder, entry["file"], entry["sha256"])
    except InputError as changed:
        return (REFUTED, str(changed)), 0
    answers, effort = ask_both(question)
    wrong = {solver: word for solver, word in answers.items() if word != entry["expected"]}
    if not wrong:
        return None, effort
    told = ", ".join(f"{solver} answers {word}" for solver, word in wrong.items())
    verdict = REFUTED if {*wrong.values()} <= {"sat", "unsat"} else UNDECIDED
    return (verdict, f"{entry['file']}: {told}, wanted is {entry['expected']}"), effort


def ask_both(question: str) -> tuple[Mapping[str, str], int]:
    """Return both solvers' answers to SMT-LIB text, and z3's effort."""
    z3_, effort = solvers.ask_z3_text(question)
    try:
        cvc5 = solvers.ask_cvc5(question)
    except RuntimeError:  # whatever cvc5 cannot read
        cvc5 = "unreadable"
    return {"z3": z3_, "cvc5": cvc5}, effort


def in_coq(entry: Entry, bench: Bench, shelf: Shelf) -> Sentence:
    """Return what Coq says of an instance: of a page at hand only where the formulas are the page's."""
    apart = f"{entry['theorem']} of formulas that were not compared with a page."
    verdict, detail = bench.judge(entry)
    if not entry["files"] or verdict not in (PROVED, NOT_COVERED):
        return apart, verdict, detail
    if not shelf.has(entry):
        return apart, NOT_COVERED, f"no page {entry['algorithm']} is installed, and none was given; {detail}"
    try:
        whole, known = shelf.found(entry)
        same = bench.of_page(entry, whole)
    except SparringError as fault:
        return apart, UNDECIDED, str(fault)
    if entry["theorem"] not in known or not same:
        return apart, UNDECIDED, f"its formulas: {ANOTHER}"
    return known[entry["theorem"]].statement, verdict, detail
