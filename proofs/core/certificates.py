"""Obligations as files that any solver can check again."""

from __future__ import annotations

from pathlib import Path

from sparring.proofs.core import solvers
from sparring.proofs.core.kernel import Attempt
from sparring.proofs.core.questions import Answer


def export(attempt: Attempt, folder: Path) -> list[Path]:
    """Write each obligation of ``attempt`` below ``folder`` as SMT-LIB 2; returns the files.

    Each file says in its head which claim it belongs to, which solvers answered what, and in its
    status what the answer must be for the claim to hold: ``unsat``.
    """
    home = folder / attempt.algorithm / slug(attempt.name)
    home.mkdir(parents=True, exist_ok=True)
    files = []
    for number, answer in enumerate(attempt.answers):
        files.append(home / f"{number:02d}-{slug(answer.obligation.name)}.smt2")
        files[-1].write_text(head(attempt, answer) + answer.smtlib, encoding="utf-8")
    return files


def head(attempt: Attempt, answer: Answer) -> str:
    """What a file is about."""
    said = ", ".join(f"{name} {solvers.versions()[name]}: {word}" for name, word in answer.solvers.items())
    return (
        f"; {attempt.algorithm}, {attempt.name}. {attempt.statement}\n"
        f"; obligation: {answer.obligation.name}\n; answered by {said}\n"
        "(set-info :status unsat)\n"
    )


def slug(name: str) -> str:
    """A name as part of a file name.

    >>> slug("dst(src(r)) = r")
    'dst-src-r-r'
    """
    return "-".join("".join(ch if ch.isalnum() else " " for ch in name).split())
