"""``sparring verify``: everything that is claimed of an algorithm, proved or run, as a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli import _options
from sparring.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rich.table import Table

    from sparring.report import Report


@click.command("verify")
@_options.algorithms
@click.option("--ranks", type=_options.Ranks(), help="Numbers of ranks to run: 8, 1-8 or 1-4,7.")
@click.option("--full", is_flag=True, help="Run the implementation on terms for 1 to 64 ranks.")
@click.option("--on", type=click.Choice(["simulated", "mpi", "both"]), default="simulated", show_default=True)
@_options.jobs
@click.option("--mutants", is_flag=True, help="Plant faults everywhere, and tell which were found out; takes minutes.")
@_options.as_json
def command(
    algorithms: tuple[str, ...], ranks: tuple[int, ...] | None, full: bool, on: str, jobs: int | None, mutants: bool,
    json_: bool,
) -> None:  # fmt: skip
    """Verify ALGO, or a selector (by default all): prove its page, and run its implementation against it.

    Ends in a matrix of algorithms and properties, and says what that does not say, and what was not covered.
    Under mpiexec, also on several machines, the ranks share the work: mpiexec -n 4 sparring verify.
    """
    from sparring import parallel
    from sparring.checks.doctor.ranks import cores

    options: dict[str, Any] = {"ranks": ranks, "full": full, "on": on, "mutants": mutants}
    if not parallel.under_mpiexec():
        shown(algorithms, options, jobs or cores(), json_)
    if jobs or on != "simulated":
        raise InputError(
            "under mpiexec its ranks are the processes: no --jobs, and no --on, which starts mpiexec itself"
        )
    with parallel.ranks() as pool:
        if pool is not None:
            shown(algorithms, options, pool, json_)


def shown(algorithms: tuple[str, ...], options: dict[str, Any], jobs: int | Executor, json_: bool) -> NoReturn:
    """Verify, tell all, and leave with the report's exit code."""
    from rich.progress import Progress

    from sparring import api

    console = _options.console(json_)
    with Progress(console=console, transient=True) as progress:

        def track(items: Iterable[Any], description: str) -> Iterable[Any]:
            return progress.track(
                items, total=len(items) if isinstance(items, Sized) else None, description=description
            )

        report = api.verify(*algorithms, **options, jobs=jobs, track=track)
    if not json_:
        for names in ("algorithms", "properties"), ("selectors", "selecting"):
            if report.extra.get(names[0]):
                console.print(matrix(report, *names), "", sep="\n")
        if "mutants" in report.extra:
            console.print(survey(report.extra["mutants"]), "", sep="\n")
        if report.extra["algorithms"]:
            console.print(report.extra["limits"], "", sep="\n")
        console.print(f"{_options.coverage(report)}", soft_wrap=True)
    _options.finish(report, json_)


def matrix(report: Report, subjects: str = "algorithms", properties: str = "properties") -> Table:
    """A row a property, a column an algorithm or selector, and below what was refuted or left open."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), caption_justify="left")
    table.add_column("property", no_wrap=True)
    names = list(report.extra[subjects])
    for name in names:
        table.add_column(name, overflow="fold")  # a name is never cut short
    if len(names) == 1:
        table.add_column("what it rests on", style="dim")
        table.add_column("planted and caught", style="dim")
    found = {(result.property, result.subject): result for result in report.results}
    for prop in report.extra[properties]:
        results = [found.get((prop, name)) for name in names]  # none where the property says nothing of it
        if any(results):
            cells = [_options.coloured(str(r.verdict)) if r else "" for r in results]
            rests = [text for r in results if r for text in (r.detail, r.planted)] if len(names) == 1 else []
            table.add_row(prop, *cells, *rests)
    return table


def survey(mutants: Mapping[str, Any]) -> Table:
    """How many planted faults were found out, by what was changed; and each that was not."""
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
