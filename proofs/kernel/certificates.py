"""Obligations as files that any solver can check again, and a manifest that says what they are about.

A file is SMT-LIB 2 and asks one question: can the hypotheses hold and the claim not?  The manifest
has each theorem with all its obligations in their order, and one digest over its words and theirs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from sparring.proofs.kernel import instances
from sparring.proofs.kernel.kernel import Attempt
from sparring.proofs.logic import solvers
from sparring.proofs.logic.queries import Answer
from sparring.proofs.logic.verdicts import EXPECTED
from sparring.spec.core.model import Page

FORMAT, VERSION, MANIFEST = "sparring certificates", 2, "manifest.json"
Entry = dict[str, Any]


def export(attempt: Attempt, page: Page, folder: Path) -> list[Entry]:
    """Write each obligation of ``attempt`` on ``page`` below ``folder``; return the manifest's entry, if it has any.

    Each file says in its head which claim it belongs to, and in its status what the answer must be
    for the verdict to hold: ``unsat``, but for a claim that was refuted as expected.
    """
    home = Path(attempt.algorithm) / slug(attempt.name)
    (folder / home).mkdir(parents=True, exist_ok=True)
    entries = []
    for number, answer in enumerate(attempt.answers):
        name = home / f"{number:02d}-{slug(answer.obligation.name)}.smt2"
        written = (head(attempt, answer) + answer.smtlib).encode()
        (folder / name).write_bytes(written)
        entries.append(entry(attempt, answer, name.as_posix(), written))
    whole = {**about(attempt, page), "obligations": entries}
    return [{**whole, "digest": digest(whole)}] if entries else []


def about(attempt: Attempt, page: Page) -> Entry:
    """Return what a theorem is about."""
    return {
        "algorithm": attempt.algorithm,
        "parameters": dict(page.params),
        "kind": page.kind,
        "theorem": attempt.name,
        "statement": attempt.statement,
        "verdict": str(attempt.verdict),
    }


def digest(theorem: Entry) -> str:
    """Return the digest of a theorem's words and its obligations in order, but for what solvers answered and spent."""
    told = {key: value for key, value in theorem.items() if key != "digest"}
    told["obligations"] = [{k: v for k, v in o.items() if k not in ANSWERED} for o in theorem["obligations"]]
    return sha256(json.dumps(told, sort_keys=True, default=list).encode()).hexdigest()


ANSWERED = ("answers", "effort")


def entry(attempt: Attempt, answer: Answer, name: str, written: bytes) -> Entry:
    """Return what the manifest says of one file; ``effort``: z3's resource units for this file alone."""
    return {
        "file": name,
        "sha256": sha256(written).hexdigest(),
        "obligation": answer.obligation.name,
        "hypotheses": [repr(h) for h in answer.obligation.hypotheses],
        "claim": repr(answer.obligation.claim),
        "expected": wanted(attempt, answer),
        "answers": dict(answer.solvers),
        "effort": solvers.ask_z3_text(written.decode())[1],
    }


def wanted(attempt: Attempt, answer: Answer) -> str:
    """Return the answer with which the verdict stands."""
    return answer.solvers["z3"] if attempt.verdict == EXPECTED else "unsat"


def conclude(theorems: Sequence[Entry], in_coq: Sequence[Entry], folder: Path) -> Path:
    """Write the manifest, once all files are written; ``in_coq``: what is said of instances in Coq."""
    file = folder / MANIFEST
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "solvers": solvers.versions(),
        "theorems": list(theorems),
        "coq": instances.conclude(in_coq, folder),
    }
    file.write_text(json.dumps(whole, indent=1, default=list), encoding="utf-8")
    return file


def head(attempt: Attempt, answer: Answer) -> str:
    """Write what a file is about."""
    said = ", ".join(f"{name} {solvers.versions()[name]}: {word}" for name, word in answer.solvers.items())
    return (
        f"; {attempt.algorithm}, {attempt.name}. {attempt.statement}\n"
        f"; obligation: {answer.obligation.name}\n; answered by {said}\n"
        f"(set-info :status {wanted(attempt, answer)})\n"
    )


def slug(name: str) -> str:
    """Return a name as part of a file name.

    >>> slug("dst(src(r)) = r")
    'dst-src-r-r'
    """
    return "-".join("".join(ch if ch.isalnum() else " " for ch in name).split())
