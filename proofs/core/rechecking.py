"""Certificates judged again, without the pages that they are about.

What is trusted is the manifest's word that a file says what its statement says; that the file is the
one that was written, and what the solvers answer to it, is found out anew.  A stranger's folder is data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sparring.errors import InputError
from sparring.proofs.core import solvers
from sparring.proofs.core.certificates import FORMAT, MANIFEST, VERSION, Entry
from sparring.proofs.core.verdicts import EXPECTED, PROVED, PROVED_BELOW, REFUTED, UNDECIDED, Verdict
from sparring.proofs.trace.rules import Rule, check, one_of, text, whole

MOST = 1 << 26
"""Bytes of a manifest, and of a certificate, at most."""
ANSWERS = ("unsat", "sat", "unknown", "unreadable")
VERDICTS = {str(v): v for v in (PROVED, PROVED_BELOW, EXPECTED)}


def words(most: int) -> Rule:
    """Text on one line."""
    return text(f".{{1,{most}}}", f"text of 1 to {most} printable characters")


WHOLE = {
    "format": one_of(FORMAT),
    "version": whole(VERSION, VERSION),
    "solvers": Rule(lambda x: isinstance(x, dict), "an object"),
    "certificates": Rule(lambda x: isinstance(x, list), "a list"),
}
ENTRY = {
    "file": text(r"[\w-]+(/[\w-]+)*\.smt2", "a path below the folder, of letters, digits, - and _, that ends in .smt2"),
    "sha256": text("[0-9a-f]{64}", "64 hexadecimal digits"),
    "algorithm": words(200),
    "theorem": words(200),
    "statement": words(2000),
    "verdict": words(100),
    "obligation": words(200),
    "hypotheses": Rule(lambda x: isinstance(x, list), "a list of texts"),
    "claim": Rule(lambda x: isinstance(x, str), "text"),
    "expected": one_of("unsat", "sat"),
    "answers": Rule(lambda x: isinstance(x, dict) and set(x.values()) <= {*ANSWERS}, "answers by solver"),
}


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
    """Each theorem of a folder that ``prove --export`` wrote, in its order; raises InputError for what is none."""
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for entry in manifest(folder):
        grouped.setdefault((entry["algorithm"], entry["theorem"]), []).append(entry)
    for (algorithm, theorem), entries in grouped.items():
        faults, effort = [], 0
        for entry in entries:
            fault, spent = again(entry, folder)
            faults += [fault] if fault else []
            effort += spent
        verdict, detail = verdict_on(entries, faults)
        yield Judged(algorithm, theorem, entries[0]["statement"], verdict, detail, effort)


def verdict_on(entries: Sequence[Entry], faults: Sequence[tuple[Verdict, str]]) -> tuple[Verdict, str]:
    """The manifest's verdict if it is one that files prove and every file holds, else the worst of what was found."""
    if not faults:
        stated = entries[0]["verdict"]
        return VERDICTS.get(stated, UNDECIDED), f"{len(entries)} files{'' if stated in VERDICTS else f': {stated}'}"
    return max(faults, key=lambda fault: fault[0] == REFUTED)


def again(entry: Entry, folder: Path) -> tuple[tuple[Verdict, str] | None, int]:
    """What is wrong with one file, and the effort of finding out."""
    try:
        written = limited(folder / entry["file"])
    except InputError as missing:
        return (REFUTED, str(missing)), 0
    if sha256(written).hexdigest() != entry["sha256"]:
        return (REFUTED, f"{entry['file']} is not the file that was written: its digest is another"), 0
    answers, effort = asked(written.decode("utf-8", "replace"))
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


def manifest(folder: Path) -> list[Entry]:
    """The entries, each as it must be."""
    file = folder / MANIFEST
    try:
        data = json.loads(limited(file))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is no JSON: {error}") from error
    try:
        entries = check(data, WHOLE)["certificates"]
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    for i, entry in enumerate(entries):
        try:
            check(entry, ENTRY)
        except InputError as error:
            raise InputError(f"{file}: certificate {i}: {error}") from error
    if not entries:
        raise InputError(f"{file} names no certificates: 'sparring prove --export' writes some")
    return list(entries)


def limited(file: Path) -> bytes:
    """What is in a file; raises InputError where there is none, or too much."""
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    if file.stat().st_size > MOST:
        raise InputError(f"{file} has {file.stat().st_size} bytes: at most {MOST} are read")
    return file.read_bytes()
