"""``sparring prove``: the theorems of the pages, for every number of ranks."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sparring.verification.theorems import Entry, Told


@click.command("prove")
@_options.algorithms
@_options.parameters
@click.option("--export", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write every obligation as an SMT-LIB 2 file, and each page in Coq, below DIR.")  # fmt: skip
@click.option("--recheck", "written", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Judge what --export wrote to DIR, compared with the installed pages and with ALGO.")  # fmt: skip
@_options.jobs
@_options.no_cache
@_options.as_html
@_options.as_json
def command(
    algorithms: tuple[str, ...], params: tuple[tuple[str, object], ...], folder: Path | None, written: Path | None,
    jobs: int | None, anew: bool, html: Path | None, json_: bool,
) -> None:  # fmt: skip
    """Prove the theorems of ALGO (by default of all), for every number of ranks.

    Two solvers must agree, and a planted fault must be refuted, before a theorem counts.
    """
    from sparring import api, parallel
    from sparring.checks.doctor.ranks import cores
    from sparring.proofs.logic import solvers
    from sparring.verification import theorems

    if written and (params or folder):
        raise click.UsageError("--recheck judges all that is in DIR: give it no -P or --export")
    if written:
        again(written, algorithms, json_, html)
    start = time.perf_counter()
    console = _options.console(json_)
    found: list[Told] = []
    entries: list[Entry] = []
    in_coq: list[Entry] = []
    processes = jobs or (1 if parallel.under_mpiexec() else cores())
    names = algorithms or api.pages()
    keep = not (anew or folder or params)
    work = partial(theorems.proved, folder=folder, keep=keep)
    earlier = {name: some for name in names if keep and (some := theorems.recalled(name))}

    def tell(some: Sequence[Told]) -> None:
        for told in some if not json_ else ():
            console.print(line(told), soft_wrap=not console.is_terminal)

    tell([told for some in earlier.values() for told in some])
    others = [name for name in names if name not in earlier]
    with console.status("proving …"):
        for part in parallel.each(work, others, processes, **dict(params)):
            tell(part.told)
            found += part.told
            entries += part.entries
            in_coq += part.in_coq
    found = [*(told for some in earlier.values() for told in some), *found]
    report = api.proof_report(found, time.perf_counter() - start)
    if html:
        report.to_html(html)
    if folder:
        console.print(concluded(entries, in_coq, folder))
    if not json_:
        used = ", ".join(f"{name} {version}" for name, version in solvers.versions().items())
        kept = f"; {len(earlier)} found by an earlier run of the same code, --no-cache proves anew" if earlier else ""
        console.print(f"[dim]{report.seconds:.1f} s; solvers: {used}{kept}[/dim]")
    _options.finish(report, json_)


def concluded(entries: Sequence[Entry], in_coq: Sequence[Entry], folder: Path) -> str:
    """Write the manifest of what ``folder`` has; the sentence that says so."""
    from sparring.proofs.kernel import certificates

    manifest = certificates.conclude(entries, in_coq, folder)
    proofs = sum(bool(entry["files"]) for entry in in_coq)
    obligations = sum(len(entry["obligations"]) for entry in entries)
    return f"{obligations} obligations and {proofs} proofs in Coq written; {manifest} says what they are"


def again(folder: Path, algorithms: tuple[str, ...], json_: bool, html: Path | None) -> NoReturn:
    """Judge the files in ``folder``, compared with the pages of these names, too."""
    from sparring import api
    from sparring.proofs.logic.verdicts import NOT_COVERED

    console = _options.console(json_)
    with console.status("rechecking …"):
        report = api.recheck(folder, *algorithms)
    if html:
        report.to_html(html)
    if not json_:
        for result, theorem in zip(report.results, report.extra["theorems"]):
            unseen = result.verdict == NOT_COVERED
            colour = "yellow" if unseen else "green" if result.verdict.word.exit_code == 0 else "bold red"
            head = f"{result.subject:<12} {result.property:<20} [{colour}]{result.verdict}[/{colour}]"
            console.print(
                f"{head}  {theorem['statement']} [dim]({result.detail})[/dim]", soft_wrap=not console.is_terminal
            )
    _options.finish(report, json_)


def line(told: Told) -> str:
    """Return one theorem as text, or why there is none."""
    from sparring.proofs.logic.verdicts import EXPECTED, NOT_COVERED

    result, theorem = told
    good, planted = result.verdict.word.exit_code == 0, theorem["planted"]
    colour = "default" if result.verdict == NOT_COVERED else "green" if good else "bold red"
    head = f"{result.subject:<12} {result.property:<20} [{colour}]{result.verdict}[/{colour}]"
    if not good or result.verdict in (EXPECTED, NOT_COVERED):
        return f"{head}  {result.detail}"
    return f"{head}  {theorem['statement']} [dim]({f'mutant refuted: {planted}' if planted else result.detail})[/dim]"
