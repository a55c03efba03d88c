"""``sparring run``: an algorithm's implementation on vectors, beside the reference."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options
from sparring.ranges import LARGEST

if TYPE_CHECKING:
    from rich.table import Table

    from sparring.report import Report

BAR = 24  # characters of the longest bar
STEPS = 16  # so many are shown at most


@click.command("run")
@_options.algorithm
@click.option("--ranks", "-n", type=click.IntRange(1, LARGEST), help="Default: 4, or as many as mpiexec started.")
@click.option("--size", type=click.IntRange(0), help="Entries a rank of random float32; default 10000.")
@click.option("--input", "file", metavar="FILE.npz|NAME[:KEY]",
              help="Vectors to reduce: a file's, or the shipped gradients digits or transformer, KEY step0, step30 or "
              "step300; ./digits is a file.")  # fmt: skip
@click.option("--key", help="Which array of the file, where there are several.")
@click.option("--density", metavar="PART", help="Take the largest entries, 1% or 0.01 of them; default 1%.")
@click.option("--keep", "-k", type=int, metavar="K", help="Take the K largest entries of each rank.")
@click.option("--no-nan", is_flag=True, help="Refuse NaN; else it is added, and taken before all other entries.")
@click.option("--on", type=click.Choice(["simulated", "mpi"]), default="simulated", show_default=True)
@_options.perfetto
@click.option("--machine", metavar="NAME|FILE", help="With --perfetto: messages take this machine's alpha and beta.")
@_options.selector
@_options.parameters
@_options.as_json
def command(
    algorithm: str, ranks: int | None, size: int | None, file: str | None, key: str | None, density: str | None,
    keep: int | None, no_nan: bool, on: str, perfetto: Path | None, machine: str | None, selector: str | None,
    params: tuple[tuple[str, Any], ...], json_: bool,
) -> None:  # fmt: skip
    """Run ALGO on vectors, compare with the reference bit for bit, and say what was sent.

    Under 'mpiexec -n N sparring run ALGO' it runs on those N ranks.

    FILE.npz has whole vectors, one 2-D array (rank by entry) or arrays rank0, rank1, ...; or sparse
    ones: indices0, values0, indices1, values1, ... and the length n. An ALGO that takes sparse
    vectors gets the largest entries of whole ones (--density, --keep), or what a --selector takes that aims
    at so many; of one that selects by itself (-P k=100), what the --selector leaves out stays behind.
    """
    from sparring.run_reports import run_report

    console = _options.console(json_)
    with console.status("running …"):
        report = run_report(
            algorithm, ranks, size=size, file=file, key=key, density=density, keep=keep, allow_nan=not no_nan, on=on,
            selector=selector, params=dict(params), perfetto=perfetto, machine=machine,
        )  # fmt: skip
    if report is None:  # a rank other than 0 of a real job
        sys.exit(0)
    if not json_:
        for label, told in lines(report):
            console.print(f"{label:<10} {told}", soft_wrap=True, markup=False)
        for table in tables(report.extra["run"]):
            console.print()
            console.print(table)
    _options.finish(report, json_)


def lines(report: Report) -> list[tuple[str, str]]:
    """Return what people want to know of a run."""
    run = report.extra["run"]
    (result,) = report.results
    plural = "s" * (run["ranks"] > 1)
    told = {
        "algorithm": f"{result.subject} on {run['ranks']} rank{plural}, {run['on']}",
        "input": f"{run['size']} entries of {run['dtype']} a rank, {run['input']}",
    }
    if "selector" in run:
        told["selector"] = run["selector"]
    if "sparse" in run:
        told["present"] = present(run)
    told["steps"] = str(run["steps"])
    for what in ("messages",) if "sparse" in run else ("messages", "words", "bytes"):  # a table has the others
        told[what] = f"{sum(run[what])} in all, at most {max(run[what])} a rank"
    told["time"] = f"{run['seconds']:.3g} s"
    told["result"] = f"{result.verdict}: {result.detail}"
    return list(told.items())


def present(run: dict[str, Any]) -> str:
    """Return as text how many entries the ranks have, and how many the sum."""
    entries, union = run["sparse"]["entries"], run["sparse"]["union"]["max"][-1]
    return f"{span(min(entries), max(entries))} of them a rank, {union} in the sum: {percent(union, run['size'])}"


def tables(run: dict[str, Any]) -> list[Table]:
    """Return the tables of a run on sparse vectors; none for others."""
    return [compared(run), stepwise(run), grown(run)] if "sparse" in run else []


def compared(run: dict[str, Any]) -> Table:
    """Return a table of what was sent, beside what the dense ring sends."""
    sparse = run["sparse"]
    columns = {"here": run, "ring allgather": sparse.get("ring_allgather"), "dense ring": sparse["dense_ring"]}
    columns = {name: sent for name, sent in columns.items() if sent}
    table = grid("sent", *columns, "here : dense")
    encodings = {name for step in sparse["steps"] for name in step["encodings"]}
    for what in ("words", "bytes") if encodings <= {"pairs"} else ("bytes",):  # else an index is no word
        for place, total, key in (("at most a rank", max, "most"), ("in all", sum, "all")):
            part = sparse["ratio"][what][key]
            shown = "-" if part is None else f"{float(Fraction(part)):.3g}"
            table.add_row(f"{what} {place}", *(str(total(sent[what])) for sent in columns.values()), shown)
    return table


def stepwise(run: dict[str, Any]) -> Table:
    """Return a table of what the messages of each step hold, and their encodings; of many steps, some."""
    table = grid("step", "entries a message", "encoded as", "bytes in all")
    steps = run["sparse"]["steps"]
    for t in range(0, len(steps), len(steps) // STEPS + 1):
        encodings = ", ".join(f"{name} {count}" for name, count in steps[t]["encodings"].items())
        table.add_row(str(t), span(*steps[t]["entries"]), encodings, str(steps[t]["bytes"]))
    return table


def grown(run: dict[str, Any]) -> Table:
    """Return a table of how many entries neighbouring ranks have together; a bar is as long as the mean."""
    union, n = run["sparse"]["union"], run["size"]
    table = grid("union of", "entries", "of n", "least..most", "")
    table.columns[-1].justify = "left"
    means = [Fraction(mean) for mean in union["mean"]]
    for s in stops(len(means)):
        mean = means[s - 1]
        bar = "█" * round(BAR * mean / (max(means) or 1))
        bounds = span(union["min"][s - 1], union["max"][s - 1])
        table.add_row(f"{s} rank{'s' * (s > 1)}", f"{float(mean):.1f}", percent(mean, n), bounds, bar)
    return table


def grid(first: str, *columns: str) -> Table:
    """Return a table without lines: names, then numbers."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def stops(p: int) -> list[int]:
    """Return the numbers of ranks that are shown: all up to 8, else powers of two, and ``p``."""
    return list(range(1, p + 1)) if p <= 8 else [*(1 << i for i in range(p.bit_length()) if 1 << i < p), p]


def span(low: int, high: int) -> str:
    """Return a number, or a range, as text."""
    return str(low) if low == high else f"{low}..{high}"


def percent(part: Fraction | int, whole: int) -> str:
    """Return as text how much of the whole a part is; nothing is no part of nothing."""
    return f"{float(100 * Fraction(part) / (whole or 1)):.3g} %"
