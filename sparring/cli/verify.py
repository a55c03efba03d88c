"""``sparring verify``: everything that is claimed of an algorithm, proved or run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli import _options
from sparring.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.console import Console
    from rich.table import Table

    from sparring.present.overview import Overview
    from sparring.report import Report, Result


@click.command("verify")
@_options.algorithms
@click.option("--ranks", type=_options.Ranks(), help="Numbers of ranks to run: 8, 1-8 or 1-4,7.")
@click.option(
    "--full", is_flag=True, help="Not a first look: terms for 1 to 64 ranks, all dtypes and gradients, more ranks."
)
@click.option("--on", type=click.Choice(["simulated", "mpi", "both"]), default="simulated", show_default=True)
@_options.jobs
@click.option("--mutants", is_flag=True, help="Plant faults everywhere, and tell which were found out; takes minutes.")
@click.option("-v", "--verbose", is_flag=True, help="Tell what each verdict rests on, as for one ALGO.")
@_options.no_cache
@_options.as_html
@_options.as_json
def command(
    algorithms: tuple[str, ...], ranks: tuple[int, ...] | None, full: bool, on: str, jobs: int | None, mutants: bool,
    verbose: bool, anew: bool, html: Path | None, json_: bool,
) -> None:  # fmt: skip
    """Verify ALGO, or a selector (by default all): prove its page, and run its implementation against it.

    Shows a row an algorithm as soon as it is judged, and what was not covered; of one ALGO each property, and what that
    does not say.
    Under mpiexec, also on several machines, the ranks share the work: mpiexec -n 4 sparring verify.
    """
    from sparring import parallel
    from sparring.checks.doctor.ranks import cores

    options: dict[str, Any] = {"ranks": ranks, "full": full, "on": on, "mutants": mutants, "keep": not anew}
    if not parallel.under_mpiexec():
        shown(algorithms, options, jobs or cores(), json_, verbose, html)
    if jobs or on != "simulated":
        raise InputError(
            "under mpiexec its ranks are the processes: no --jobs, and no --on, which starts mpiexec itself"
        )
    with parallel.ranks() as pool:
        if pool is not None:
            shown(algorithms, options, pool, json_, verbose, html)


def shown(
    algorithms: tuple[str, ...], options: dict[str, Any], jobs: int | Executor, json_: bool, verbose: bool,
    html: Path | None,
) -> NoReturn:  # fmt: skip
    """Verify, tell of each algorithm as soon as it is judged, then of all, and leave with the report's exit code."""
    from rich.progress import Progress

    from sparring import api
    from sparring.present import overview

    console = _options.console(json_)
    names = algorithms or (*api.pages(), *api.selectors())
    look = overview.Overview(names, console.width, console.encoding)
    closely = verbose or len(names) == 1
    if not (json_ or closely):
        console.print(look.head(), soft_wrap=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:

        def track(items: Iterable[Any], description: str) -> Iterable[Any]:
            return progress.track(
                items, total=len(items) if isinstance(items, Sized) else None, description=description
            )

        def done(name: str, results: Sequence[Result], seconds: float | None) -> None:
            if json_:
                return
            if closely:
                when = "found by an earlier run of the same code" if seconds is None else f"{seconds:.0f} s"
                console.print(f"{name}, {when}", overview.details(results), "", sep="\n")
                return
            for line in (look.row(name, results, seconds), *overview.against(results)):
                console.print(line, soft_wrap=line.plain.startswith(name))

        report = api.verify(*algorithms, **options, jobs=jobs, track=track, done=done)
    if html:
        report.to_html(html)
    if not json_:
        print_report(report, console, look, closely)
    _options.finish(report, json_)


def print_report(report: Report, console: Console, look: Overview, closely: bool) -> None:
    """Print the report for people."""
    from sparring.present import overview

    if "mutants" in report.extra:
        console.print(survey(report.extra["mutants"]), "", sep="\n")
    if not closely:
        console.print(*look.legend(), sep="\n")
    elif report.extra["algorithms"]:
        console.print(report.extra["limits"], "", sep="\n")
    console.print(*overview.summary(report, console.width), sep="\n")


def survey(mutants: Mapping[str, Any]) -> Table:
    """Return a table of how many planted faults were detected, by what was changed, and of each that was not."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), caption_justify="left")
    for column in ("planted faults in", "killed", "survived", "equivalent"):
        table.add_column(column, justify="left" if column == "planted faults in" else "right")
    parts = {
        f"{name}, {part}": counts
        for name, one in mutants["algorithms"].items()
        for part, counts in one["parts"].items()
    }
    for subject, counts in {**parts, "all": mutants}.items():
        table.add_row(subject, *(str(counts[word]) for word in ("killed", "survived", "equivalent")))
    lines = [
        f"{s['algorithm']}, {s['function']}: {s['change']}, in {s['line']}: {s['why']}" for s in mutants["survivors"]
    ]
    table.caption = "\n".join(["survived:", *lines]) if lines else None
    return table
