"""Certificates judged again, without the pages that they are about.

What is trusted is the manifest's word that a file says what its statement says; that the file is the
one that was written, and what the solvers and Coq answer to it, is found out anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sparring.errors import InputError
from sparring.proofs.core import solvers
from sparring.proofs.core.certificates import Entry
from sparring.proofs.core.manifest import manifest, unchanged
from sparring.proofs.core.recompiling import Bench
from sparring.proofs.core.verdicts import EXPECTED, PROVED, PROVED_BELOW, REFUTED, UNDECIDED, Verdict

VERDICTS = {str(v): v for v in (PROVED, PROVED_BELOW, EXPECTED)}


class Judged(NamedTuple):
    """A theorem of the manifest, its files judged anew.

    ``effort``: z3's resource units in all; ``detail``: the first file that does not hold, or how many do.
    """

    algorithm: str
    theorem: str
    statement: str
    verdict: Verdict
    detail: str
    effort: int


def recheck(folder: Path) -> Iterator[Judged]:
    """Each theorem of a folder that ``prove --export`` wrote, in its order, then those that have a file in Coq.

    Raises InputError for what is no such folder.
    """
    found = manifest(folder)
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for entry in found.obligations:
        grouped.setdefault((entry["algorithm"], entry["theorem"]), []).append(entry)
    for (algorithm, theorem), entries in grouped.items():
        faults, effort = [], 0
        for entry in entries:
            fault, spent = again(entry, folder)
            faults += [fault] if fault else []
            effort += spent
        verdict, detail = verdict_on(entries, faults)
        yield Judged(algorithm, theorem, entries[0]["statement"], verdict, detail, effort)
    with tempfile.TemporaryDirectory() as room:
        bench = Bench(found.generic, folder, Path(room))
        for entry in found.instances:
            verdict, detail = bench.judge(entry)
            yield Judged(entry["algorithm"], f"{entry['theorem']} in Coq", entry["statement"], verdict, detail, 0)


def verdict_on(entries: Sequence[Entry], faults: Sequence[tuple[Verdict, str]]) -> tuple[Verdict, str]:
    """The manifest's verdict if it is one that files prove and every file holds, else the worst of what was found."""
    if not faults:
        stated = entries[0]["verdict"]
        return VERDICTS.get(stated, UNDECIDED), f"{len(entries)} files{'' if stated in VERDICTS else f': {stated}'}"
    return max(faults, key=lambda fault: fault[0] == REFUTED)


def again(entry: Entry, folder: Path) -> tuple[tuple[Verdict, str] | None, int]:
    """What is wrong with one file, and the effort of finding out."""
    try:
        question = unchanged(folder, entry["file"], entry["sha256"])
    except InputError as changed:
        return (REFUTED, str(changed)), 0
    answers, effort = asked(question)
    wrong = {solver: word for solver, word in answers.items() if word != entry["expected"]}
    if not wrong:
        return None, effort
    told = ", ".join(f"{solver} answers {word}" for solver, word in wrong.items())
    verdict = REFUTED if {*wrong.values()} <= {"sat", "unsat"} else UNDECIDED
    return (verdict, f"{entry['file']}: {told}, wanted is {entry['expected']}"), effort


def asked(question: str) -> tuple[Mapping[str, str], int]:
    """Both solvers' answers to SMT-LIB text, and z3's effort."""
    z3, effort = solvers.ask_z3_text(question)
    try:
        cvc5 = solvers.ask_cvc5(question)
    except RuntimeError:  # whatever cvc5 cannot read
        cvc5 = "unreadable"
    return {"z3": z3, "cvc5": cvc5}, effort
