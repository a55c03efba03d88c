"""``sparring doctor``: what this environment has, and what is wrong with it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

    from sparring.checks.doctor.checks import Check


@click.command("doctor")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")  # _options may not load
def command(json_: bool) -> None:
    """Look at this environment: Python, solvers, links, MPI launcher and library.

    Exit codes: 0 usable, with warnings or without; 2 something that sparring needs is broken.
    """
    from rich.console import Console

    from sparring.checks import doctor
    from sparring.checks.doctor.checks import FAULT, worst

    start = time.perf_counter()
    console = Console(stderr=json_, highlight=False)
    with console.status("looking …"):
        checks = list(doctor.examine())
    if json_:
        click.echo(json.dumps(envelope(checks, time.perf_counter() - start), indent=2))
    else:
        console.print(table(checks))
        console.print(f"\n{summary(checks)}")
    raise SystemExit(2 if worst(checks) == FAULT else 0)


def envelope(checks: Sequence[Check], seconds: float) -> dict[str, Any]:
    """What every command answers with, and the checks; made here, since a Report needs the links to be sound."""
    from sparring.checks.doctor.checks import worst

    return {
        "schema": 1, "command": "doctor", "verdict": worst(checks), "seconds": round(seconds, 3),
        "results": [], "not_covered": [], "checks": [check._asdict() for check in checks],
    }  # fmt: skip


COLOURS = {"ok": "green", "warning": "bold yellow", "fault": "bold red"}


def table(checks: Sequence[Check]) -> Table:
    """A row a check; what to do stands below what is there."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for check in checks:
        told = Text(check.detail)
        if check.remedy:
            told.append(f"\nremedy: {check.remedy}", style="bold")
        grid.add_row(check.name, Text(check.verdict, style=COLOURS[check.verdict]), told)
    return grid


def summary(checks: Sequence[Check]) -> str:
    """The last line: whether sparring can be used here."""
    words = [check.verdict for check in checks]
    counted = ", ".join(f"{words.count(word)} {word}" for word in COLOURS if word in words)
    return f"{'not usable as it is' if 'fault' in words else 'usable'}: {counted}"
