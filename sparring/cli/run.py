"""``sparring run``: an algorithm's implementation on vectors, beside the reference."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options
from sparring.spans import LARGEST

if TYPE_CHECKING:
    from sparring.report import Report


@click.command("run")
@_options.algorithm
@click.option("--ranks", "-n", type=click.IntRange(1, LARGEST), help="Default: 4, or as many as mpiexec started.")
@click.option("--size", type=click.IntRange(0), help="Entries a rank of random float32; default 10000.")
@click.option(
    "--input", "file", type=click.Path(path_type=Path), metavar="FILE.npz", help="Vectors to reduce, one a rank."
)
@click.option("--key", help="Which array of the file, where there are several.")
@click.option("--on", type=click.Choice(["simulated", "mpi"]), default="simulated", show_default=True)
@_options.parameters
@_options.as_json
def command(
    algorithm: str, ranks: int | None, size: int | None, file: Path | None, key: str | None, on: str,
    params: tuple[tuple[str, Any], ...], json_: bool,
) -> None:  # fmt: skip
    """Run ALGO on vectors, compare with the reference bit for bit, and say what was sent.

    Under 'mpiexec -n N sparring run ALGO' it runs on those N ranks.
    """
    from sparring import api

    console = _options.console(json_)
    with console.status("running …"):
        report = api.run_report(algorithm, ranks, size=size, file=file, key=key, on=on, params=dict(params))
    if report is None:  # a rank other than 0 of a real job
        sys.exit(0)
    if not json_:
        for label, told in lines(report):
            console.print(f"{label:<10} {told}", soft_wrap=True)
    _options.finish(report, json_)


def lines(report: Report) -> list[tuple[str, str]]:
    """What a person wants to know of a run."""
    run = report.extra["run"]
    (result,) = report.results
    told = {
        "algorithm": f"{result.subject} on {run['ranks']} ranks, {run['on']}",
        "input": f"{run['size']} entries of {run['dtype']} a rank, {run['input']}",
        "steps": str(run["steps"]),
        "messages": f"{sum(run['messages'])} in all, at most {max(run['messages'])} a rank",
        "words": f"{sum(run['words'])} in all, at most {max(run['words'])} a rank",
        "time": f"{run['seconds']:.3g} s",
        "result": f"{result.verdict}: {result.detail}",
    }
    return list(told.items())
