"""What reports say, by property."""

from __future__ import annotations

import io
import runpy
from contextlib import redirect_stdout

from sparring.errors import Refuted
from sparring.proofs.logic.verdicts import Word
from sparring.report import Report


def words(report: Report) -> dict[str, Word]:
    return {r.property: r.verdict.word for r in report.results}


def detail(report: Report, prop: str) -> str:
    return next(r.detail for r in report.results if r.property == prop)


def failed(report: Report) -> dict[str, str]:
    """The properties that are refuted, with their sentences."""
    return {r.property: r.detail for r in report.results if r.verdict.word is Word.REFUTED}


def replayed(prop: str) -> str:
    """What the script on a falsified property comes to, in this process: its refutation, or what it prints."""
    with redirect_stdout(io.StringIO()) as printed:
        try:
            runpy.run_path(f"sparring-failures/{prop.replace(' ', '-')}.py")
        except Refuted as refuted:
            return str(refuted)
    return printed.getvalue()
