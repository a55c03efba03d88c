"""``sparring prove``: the theorems of the pages, for every number of ranks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from sparring.proofs.core.kernel import Attempt


@click.command("prove")
@_options.algorithms
@_options.parameters
@click.option("--export", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write every obligation as an SMT-LIB 2 file below DIR.")  # fmt: skip
@_options.as_json
def command(
    algorithms: tuple[str, ...], params: tuple[tuple[str, object], ...], folder: Path | None, json_: bool
) -> None:
    """Prove the theorems of ALGO (by default of all), for every number of ranks.

    Two solvers must agree, and a planted fault must be refuted, before a theorem counts.
    """
    from sparring import api
    from sparring.proofs.core import solvers
    from sparring.proofs.core.certificates import export

    start = time.perf_counter()
    console = _options.console(json_)
    attempts = []
    with console.status("proving …"):
        for name in algorithms or api.pages():
            for attempt in api.attempts(api.page(name, **dict(params))):
                attempts.append(attempt)
                if not json_:
                    console.print(line(attempt), soft_wrap=True)
                if folder:
                    export(attempt, folder)
    report = api.proof_report(attempts, time.perf_counter() - start)
    if folder:
        console.print(f"{sum(len(a.answers) for a in attempts)} obligations written below {folder}")
    if not json_:
        used = ", ".join(f"{name} {version}" for name, version in solvers.versions().items())
        console.print(f"[dim]{report.seconds:.1f} s; solvers: {used}[/dim]")
    _options.finish(report, json_)


def line(attempt: Attempt) -> str:
    """One theorem, or why it is none."""
    from sparring.proofs.core.verdicts import EXPECTED

    good = attempt.verdict.word.exit_code == 0
    head = f"{attempt.algorithm:<12} {attempt.name:<20} "
    if attempt.verdict == EXPECTED:
        return f"{head}[green]{attempt.verdict}[/green]  {attempt.detail}"
    if good and not attempt.mutant:
        return f"{head}[green]{attempt.verdict}[/green]  {attempt.statement} [dim]({attempt.detail})[/dim]"
    if good:
        return (
            f"{head}[green]{attempt.verdict}[/green]  {attempt.statement} [dim](mutant refuted: {attempt.mutant})[/dim]"
        )
    return f"{head}[bold red]{attempt.verdict}[/bold red]  {attempt.detail}"
