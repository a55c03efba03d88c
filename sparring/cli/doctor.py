"""``sparring doctor``: what this environment has, and what is wrong with it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.text import Text

    from sparring.checks.doctor.checks import Check


@click.command("doctor")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")  # _options may not load
def command(json_: bool) -> None:
    """Look at this environment: Python, solvers, links, MPI launcher and library.

    Exit codes: 0 usable, with warnings or without; 2 something that sparring needs is broken.
    """
    from sparring.checks import doctor
    from sparring.checks.doctor.checks import FAULT, worst
    from sparring.cli._console import Console

    start = time.perf_counter()
    console = Console(stderr=json_, highlight=False)
    with console.status("looking …"):
        checks = list(doctor.examine())
    if json_:
        click.echo(json.dumps(envelope(checks, time.perf_counter() - start), indent=2))
    else:
        for row in rows(checks, console.width if console.is_terminal else UNBROKEN):
            console.print(row, soft_wrap=True)
        console.print(f"\n{summary(checks)}")
    raise SystemExit(2 if worst(checks) == FAULT else 0)


def envelope(checks: Sequence[Check], seconds: float) -> dict[str, Any]:
    """Return what every command answers with, and the checks.

    It is made here, since a Report needs the links to be sound.
    """
    from sparring.checks.doctor.checks import worst

    return {
        "schema": 1, "command": "doctor", "verdict": worst(checks), "seconds": round(seconds, 3),
        "results": [], "not_covered": [], "checks": [check._asdict() for check in checks],
    }  # fmt: skip


UNBROKEN = 10_000
"""The width where there is no terminal: a check takes one line there, and its remedy another."""
COLOURS = {"ok": "green", "warning": "bold yellow", "fault": "bold red"}


def rows(checks: Sequence[Check], width: int) -> Iterator[Text]:
    """Yield a row for each check, with what to do below what is there.

    No path is broken, since paths are for copying.
    """
    from rich.text import Text

    name = 2 + max(len(check.name) for check in checks)
    verdict = 2 + max(len(check.verdict) for check in checks)
    beside = name + verdict + max(len(word) for check in checks for word in check.detail.split()) <= width
    wrap = TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    wrap.initial_indent = wrap.subsequent_indent = " " * (name + verdict if beside else 4)
    for check in checks:
        detail = "\n".join(wrap.fill(line) for line in check.detail.splitlines())
        yield Text.assemble(
            check.name.ljust(name),
            (check.verdict.ljust(verdict) if beside else check.verdict, COLOURS[check.verdict]),
            detail[name + verdict :] if beside else f"\n{detail}",
            (f"\n{wrap.fill(f'remedy: {check.remedy}')}" if check.remedy else "", "bold"),
        )


def summary(checks: Sequence[Check]) -> str:
    """Return the last line: whether sparring can be used here."""
    words = [check.verdict for check in checks]
    counted = ", ".join(f"{words.count(word)} {word}" for word in COLOURS if word in words)
    return f"{'not usable as it is' if 'fault' in words else 'usable'}: {counted}"
