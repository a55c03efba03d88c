"""Instances in Coq as files beside the obligations, with all that they need, and what the manifest says of them.

In their folder they stand alone: ``coqc`` accepts them one by one in the order of ``_CoqProject``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.coq.check import CLOSED, HERE, in_order
from sparring.proofs.kernel.coq import STATEMENTS, instance, statement
from sparring.proofs.kernel.kernel import Attempt, Theorem
from sparring.proofs.reading.annotations import Subject
from sparring.spec.core.model import Page

FOLDER, PROJECT = "coq", "_CoqProject"
VERSION = "8.16.1"
"""The Coq for which the proofs were written; later ones should do."""
SHARED = ("sums", "machine", "schedule", "terms")
GENERIC = {
    "wrap": (*SHARED, "wrap"),
    "bits": (*SHARED, "blocks", "bits"),
    "lengths": (*SHARED, "blocks", "bits", "lengths"),
}
"""The files of ``proofs/coq`` that instances need, by the tactic that proves them."""
HYPOTHESES = {
    "result": ["p >= 1", "op is associative and commutative, and zero is neutral"],
    "agreement": ["p >= 1", "op is commutative"],
}
Entry = dict[str, Any]


def export(subject: Subject, attempts: Iterable[Attempt], folder: Path) -> list[Entry]:
    """Write the page's instance below ``folder``; return the manifest's entries, one for each theorem it is about.

    Where the page cannot be written down, its entries have no files and say why.
    """
    name, texts, why = subject.page.name, {}, ""
    try:
        texts = instance(subject.page, subject.same)
    except Undecided as unread:
        why = str(unread)
    entries = []
    for attempt in attempts:
        if isinstance(attempt, Theorem) and attempt.name in STATEMENTS:
            own = {path: texts[part] for part, path in paths(name, attempt.name).items() if texts}
            entries.append(entry(attempt, subject.page, write_files(own, folder), why))
    return entries


def paths(algorithm: str, theorem: str) -> dict[str, str]:
    """Return the files that an instance has for a theorem, by what is in them, in the order of their compilation."""
    return {part: f"{FOLDER}/{algorithm}_{part}.v" for part in ("schedule", theorem)}


def write_files(texts: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Write each text as the file of its name below ``folder``; return the digests of the files."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    return {name: sha256(text.encode()).hexdigest() for name, text in texts.items()}


def entry(attempt: Attempt, page: Page, files: dict[str, str], why: str) -> Entry:
    """Return what the manifest says of one theorem's instance."""
    return {
        "algorithm": attempt.algorithm,
        "parameters": dict(page.params),
        "kind": page.kind,
        "theorem": attempt.name,
        "statement": attempt.statement,
        "verdict": str(attempt.verdict),
        "hypotheses": HYPOTHESES[attempt.name],
        "claim": statement(attempt.name, page.kind),
        "files": files,
        "expected": CLOSED,
        "uncovered": why,
    }


def generic(*tactics: str) -> dict[str, str]:
    """Return the texts of the files that such instances need (by default all), each after those that it needs."""
    names = {name for tactic in tactics or GENERIC for name in GENERIC[tactic]}
    return {
        file.stem: file.read_text(encoding="utf-8") for file in in_order(HERE / f"{name}.v" for name in sorted(names))
    }


def conclude(entries: Sequence[Entry], folder: Path) -> Entry:
    """Write the files that instances need, and the order of all; return the manifest's part about Coq."""
    shared = write_files({f"{FOLDER}/{name}.v": text for name, text in generic().items()}, folder)
    order = dict.fromkeys([*shared, *(file for one in entries for file in one["files"])])
    lines = ['-Q . ""', *(Path(file).name for file in order)]
    (folder / FOLDER / PROJECT).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"version": VERSION, "generic": shared, "certificates": list(entries)}
