"""Reads what ``prove --export`` wrote; a stranger's folder is data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.proofs.coq.check import CLOSED
from sparring.proofs.kernel.certificates import FORMAT, MANIFEST, VERSION, Entry
from sparring.proofs.kernel.coq import STATEMENTS
from sparring.proofs.kernel.instances import FOLDER, paths
from sparring.rules import Rule, check, integer, one_of, parsed, text
from sparring.spec.core.vocabulary import OWN

MOST = 1 << 26
"""Bytes of a manifest, and of a certificate, at most."""
ANSWERS = ("unsat", "sat", "unknown", "unreadable")


def words_rule(most: int) -> Rule:
    """Return the rule for text on one line."""
    return text(f".{{1,{most}}}", f"text of 1 to {most} printable characters")


def digests(name: Rule) -> Rule:
    """Return the rule for files and their digests."""
    return Rule(
        lambda x: isinstance(x, dict) and all(map(name.holds, x)) and all(map(DIGEST.holds, x.values())),
        f"an object with files, each {name.words}, and their digests, each {DIGEST.words}",
    )


DIGEST = text("[0-9a-f]{64}", "64 hexadecimal digits")
OBJECT, LIST = Rule(lambda x: isinstance(x, dict), "an object"), Rule(lambda x: isinstance(x, list), "a list")
COQ_FILES = digests(text(rf"{FOLDER}/[A-Za-z][A-Za-z0-9_]*\.v", f"{FOLDER}/NAME.v"))

WHOLE = {
    "format": one_of(FORMAT),
    "version": integer(VERSION, VERSION),
    "solvers": OBJECT,
    "theorems": LIST,
    "coq": OBJECT,
}
COQ = {"version": words_rule(100), "generic": COQ_FILES, "certificates": LIST}
THEOREM = {
    "algorithm": words_rule(200),
    "parameters": OBJECT,
    "kind": text(OWN, "small letters, digits and _"),
    "theorem": words_rule(200),
    "statement": words_rule(2000),
    "verdict": words_rule(100),
}
PROVED = {**THEOREM, "digest": DIGEST, "obligations": Rule(lambda x: isinstance(x, list) and bool(x), "a list")}
CLAIMED = {
    "hypotheses": Rule(lambda x: isinstance(x, list), "a list of texts"),
    "claim": Rule(lambda x: isinstance(x, str), "text"),
}
OBLIGATION = {
    **CLAIMED,
    "file": text(r"[\w-]+(/[\w-]+)*\.smt2", "a path below the folder, of letters, digits, - and _, that ends in .smt2"),
    "sha256": DIGEST,
    "obligation": words_rule(200),
    "expected": one_of("unsat", "sat"),
    "answers": Rule(lambda x: isinstance(x, dict) and set(x.values()) <= {*ANSWERS}, "answers by solver"),
    "effort": integer(0),
}
INSTANCE = {
    **THEOREM,
    **CLAIMED,
    "theorem": one_of(*STATEMENTS),
    "files": COQ_FILES,
    "expected": one_of(CLOSED),
    "uncovered": text(".{0,2000}", "text of at most 2000 printable characters"),
}


class Manifest(NamedTuple):
    """The words on the theorems, on the files that all instances in Coq need, and on the instances."""

    theorems: list[Entry]
    generic: Mapping[str, str]
    instances: list[Entry]


def manifest(folder: Path) -> Manifest:
    """Read the manifest in a folder, each entry as it must be; raises InputError for what is none."""
    file = folder / MANIFEST
    try:
        data = parsed(limited(file))
    except ValueError as error:
        raise InputError(f"{file} is no JSON: {error}") from error
    try:
        whole_ = check(data, WHOLE)
        coq = check(whole_["coq"], COQ)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    theorems = list(entries(file, "theorem", whole_["theorems"], PROVED))
    for i, theorem in enumerate(theorems):
        list(entries(file, f"theorem {i}, obligation", theorem["obligations"], OBLIGATION))
    instances = list(entries(file, "coq certificate", coq["certificates"], INSTANCE))
    if not theorems:
        raise InputError(f"{file} names no theorems: 'sparring prove --export' writes some")
    return Manifest(theorems, coq["generic"], instances)


def entries(file: Path, what: str, data: list[Any], rules: Mapping[str, Rule]) -> Iterator[Entry]:
    """Yield each entry; raises InputError for the first that is not as it must be."""
    for i, entry in enumerate(data):
        try:
            check(entry, rules)
            named = [*entry.get("files", [])]
            if named and named != (right := [*paths(entry["algorithm"], entry["theorem"]).values()]):
                raise InputError(f"files are {', '.join(named)}: they must be {', '.join(right)}")
        except InputError as error:
            raise InputError(f"{file}: {what} {i}: {error}") from error
        yield entry


def unchanged(folder: Path, name: str, digest: str) -> str:
    """Read a file below ``folder`` as text; raises InputError where there is none, or not the one that was written."""
    data = limited(folder / name)
    if sha256(data).hexdigest() != digest:
        raise InputError(f"{name} is not the file that was written: its digest is another")
    return data.decode("utf-8", "replace")


def limited(file: Path) -> bytes:
    """Read a file; raises InputError where there is none, or too much."""
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    if file.stat().st_size > MOST:
        raise InputError(f"{file} has {file.stat().st_size} bytes: at most {MOST} are read")
    return file.read_bytes()
