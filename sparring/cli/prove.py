"""``sparring prove``: the theorems of the pages, for every number of ranks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from sparring.proofs.core.kernel import Attempt


@click.command("prove")
@_options.algorithms
@_options.parameters
@click.option("--export", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write every obligation as an SMT-LIB 2 file, and each page in Coq, below DIR.")  # fmt: skip
@click.option("--recheck", "written", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Judge what --export wrote to DIR, compared with the installed pages and with ALGO.")  # fmt: skip
@_options.as_json
def command(
    algorithms: tuple[str, ...], params: tuple[tuple[str, object], ...], folder: Path | None, written: Path | None,
    json_: bool,
) -> None:  # fmt: skip
    """Prove the theorems of ALGO (by default of all), for every number of ranks.

    Two solvers must agree, and a planted fault must be refuted, before a theorem counts.
    """
    from sparring import api
    from sparring.proofs.core import certificates, instances, solvers
    from sparring.proofs.core.supplement import subject

    if written and (params or folder):
        raise click.UsageError("--recheck judges all that is in DIR: give it no -P or --export")
    if written:
        again(written, algorithms, json_)
    start = time.perf_counter()
    console = _options.console(json_)
    attempts, entries, in_coq = [], [], []
    with console.status("proving …"):
        for name in algorithms or api.pages():
            page, own = api.page(name, **dict(params)), []
            for attempt in api.attempts(page):
                own.append(attempt)
                if not json_:
                    console.print(line(attempt), soft_wrap=True)
                if folder:
                    entries += certificates.export(attempt, page, folder)
            if folder:
                in_coq += instances.export(subject(page), own, folder)
            attempts += own
    report = api.proof_report(attempts, time.perf_counter() - start)
    if folder:
        manifest = certificates.conclude(entries, in_coq, folder)
        proofs = sum(bool(entry["files"]) for entry in in_coq)
        obligations = sum(len(entry["obligations"]) for entry in entries)
        console.print(f"{obligations} obligations and {proofs} proofs in Coq written; {manifest} says what they are")
    if not json_:
        used = ", ".join(f"{name} {version}" for name, version in solvers.versions().items())
        console.print(f"[dim]{report.seconds:.1f} s; solvers: {used}[/dim]")
    _options.finish(report, json_)


def again(folder: Path, algorithms: tuple[str, ...], json_: bool) -> NoReturn:
    """Judge the files in ``folder``, compared with the pages of these names, too."""
    from sparring import api

    console = _options.console(json_)
    with console.status("rechecking …"):
        report = api.recheck(folder, *algorithms)
    if not json_:
        for result, theorem in zip(report.results, report.extra["theorems"]):
            good = "green" if result.verdict.word.exit_code == 0 else "bold red"
            head = f"{result.subject:<12} {result.property:<20} [{good}]{result.verdict}[/{good}]"
            console.print(f"{head}  {theorem['statement']} [dim]({result.detail})[/dim]", soft_wrap=True)
    _options.finish(report, json_)


def line(attempt: Attempt) -> str:
    """One theorem, or why it is none."""
    from sparring.proofs.core.verdicts import EXPECTED, NOT_COVERED

    good = attempt.verdict.word.exit_code == 0
    head = f"{attempt.algorithm:<12} {attempt.name:<20} "
    if attempt.verdict == NOT_COVERED:
        return f"{head}{attempt.verdict}  {attempt.detail}"
    if attempt.verdict == EXPECTED:
        return f"{head}[green]{attempt.verdict}[/green]  {attempt.detail}"
    if good and not attempt.mutant:
        return f"{head}[green]{attempt.verdict}[/green]  {attempt.statement} [dim]({attempt.detail})[/dim]"
    if good:
        return (
            f"{head}[green]{attempt.verdict}[/green]  {attempt.statement} [dim](mutant refuted: {attempt.mutant})[/dim]"
        )
    return f"{head}[bold red]{attempt.verdict}[/bold red]  {attempt.detail}"
