"""``sparring calibrate``: alpha, beta, gamma and work on entries, measured on real ranks, and what they are worth."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from sparring.cli import _options
from sparring.errors import InputError
from sparring.ranges import LARGEST

if TYPE_CHECKING:
    from rich.table import Table

    from sparring.costs.links.machines import Letter, Machine, Measured, Timed

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("calibrate")
@_options.algorithms
@click.option(
    "--ranks", "-n", type=click.IntRange(1, LARGEST), help="Default: as many as cores, or as mpiexec started."
)
@click.option("--seconds", type=float, default=20, show_default=True, help="How long to measure.")
@click.option("--output", "-o", type=FILE, metavar="FILE", help="Write the machine, for --machine FILE; a .json.")
@click.option("--plot", type=FILE, metavar="FILE", help="Draw what was measured and the fit; a .svg, .png or .pdf.")
@_options.as_json
def command(
    algorithms: tuple[str, ...], ranks: int | None, seconds: float, output: Path | None, plot: Path | None, json_: bool
) -> None:
    """Measure this machine on real ranks: alpha, beta, gamma, and work on sparse vectors.

    Under 'mpiexec -n N sparring calibrate' it measures on those N ranks, on one host or several;
    else it starts ranks here.  Every second size is held out, and so is each ALGO (by default all):
    what the fit predicts of them is compared with what was measured.
    """
    from sparring.calibration.running import calibrated
    from sparring.report import Report

    start = time.perf_counter()
    machine = calibrated(
        algorithms,
        ranks,
        seconds,
        ready=lambda: check(output, plot),
        tell=lambda told: click.echo(f"calibrate: {told}", err=True),
    )
    if machine is None or machine.measured is None:  # a rank other than 0 of a real job
        raise SystemExit(0)
    if not json_:
        print_machine(machine, machine.measured)
    save(machine, output, plot)
    gaps = [f"{name}: {why}" for name, why in machine.measured.unjudged.items()]
    _options.finish(Report("calibrate", [], gaps, time.perf_counter() - start, {"calibrate": machine.dump()}), json_)


def check(output: Path | None, plot: Path | None) -> None:
    """Raise InputError before anything is measured, where a file could not be written."""
    from sparring.calibration.running import check_writable
    from sparring.present import crossing, growth

    if output and output.suffix != ".json":
        raise InputError(f"--output {output}: the name of a machine's file ends in .json")
    if plot:
        crossing.check(plot)
        with growth.settings():  # matplotlib is there
            pass
    for file in filter(None, (output, plot)):
        check_writable(file)


def save(machine: Machine, output: Path | None, plot: Path | None) -> None:
    """Write what was asked for."""
    from sparring.present import calibrated

    if output:
        machine.save(output)
    if plot:
        calibrated.save(machine, plot)


def print_machine(machine: Machine, measured: Measured) -> None:
    """Print everything for people."""
    console = _options.console()
    for line in lines(measured):
        console.print(line, soft_wrap=True, markup=False)
    for title, table in (("", letters(machine, measured)), (WORK, work(machine)), (HELD_OUT, algorithms(measured))):
        console.print("", *([title] if title else []), table, sep="\n")
    console.print()
    for line in (
        *describe_fit(measured),
        *(f"not predicted: {name}: {why}" for name, why in measured.unjudged.items()),
    ):
        console.print(line, soft_wrap=True, markup=False)


WORK = "work on entries, median seconds an entry"
HELD_OUT = "algorithms, none of which was fitted: median time, and how much too high or low the prediction is"


def lines(measured: Measured) -> Iterator[str]:
    """Yield on what it was measured, and what that is worth."""
    from sparring.calibration.profile import CROWDED, where

    yield f"{where(measured)}: {measured.rounds} rounds in {measured.seconds:g} s"
    if measured.crowded:
        yield f"warning: {CROWDED}"
    elif measured.hosts == 1:
        yield "all ranks share one host's memory: what was measured is copying in it, and no network"


def letters(machine: Machine, measured: Measured) -> Table:
    """Return a table of alpha, beta and gamma."""
    table = grid("", "value", "95 % interval", "fitted to sizes")
    for letter, (what, each, unit) in LETTERS.items():
        sizes = [t.size for t in measured.timed if t.what == what and t.fitted]
        low, high = (shown(x) for x in measured.intervals[letter])
        value = f"{shown(float(machine.letters[letter]))} {each}"
        table.add_row(letter, value, f"{low} .. {high}", f"{min(sizes)} .. {max(sizes)} {unit}")
    return table


LETTERS: dict[Letter, tuple[str, str, str]] = {
    "alpha": ("exchange", "a message", "bytes"),
    "beta": ("exchange", "a byte", "bytes"),
    "gamma": ("add", "an addition", "entries"),
}


def work(machine: Machine) -> Table:
    """Return a table of seconds an entry, by size."""
    sizes = sorted({size for table in machine.work.values() for size, _ in table})
    table = grid("entries", *map(str, sizes))
    for kind, row in machine.work.items():
        each = dict(row)
        table.add_row(kind, *(shown(each[size]) if size in each else "" for size in sizes))
    return table


def algorithms(measured: Measured) -> Table:
    """Return a table: a row an algorithm, a column a length; the time, and the prediction's error."""
    timed = [t for t in measured.timed if t.what == "algorithm"]
    sizes = sorted({t.size for t in timed})
    table = grid("entries", *map(str, sizes))
    for name in dict.fromkeys(t.algorithm for t in timed):
        of = {t.size: t for t in timed if t.algorithm == name}
        table.add_row(name, *(f"{shown(of[n].median)} {percent(of[n])}" if n in of else "" for n in sizes))
    return table


def describe_fit(measured: Measured) -> Iterator[str]:
    """Yield how good the fit is at sizes that it has not seen, and whether one fit suits near and far ranks."""
    for what, things in (("exchange", "messages"), ("add", "additions")):
        out = [t for t in measured.timed if t.what == what and not t.fitted]
        worst = max(out, key=size_of_error)
        unit = "bytes" if what == "exchange" else "entries"
        typical = median(map(size_of_error, out))
        yield (
            f"{things} of {len(out)} held-out sizes: predicted within {100 * typical:.0f} % at half of them, "
            f"{percent(worst)} at worst, at {worst.size} {unit}"
        )
    far = {
        t.distance: [u.error or 0.0 for u in measured.timed if u.distance == t.distance]
        for t in measured.timed
        if t.distance
    }
    if len(far) > 1:
        told = (f"{100 * median(errors):+.0f}% to rank r + {distance}" for distance, errors in far.items())
        yield f"by how far messages go, the median error is {', '.join(told)}"


def size_of_error(timed: Timed) -> float:
    """Return the error without its sign."""
    return abs(timed.error or 0.0)


def percent(timed: Timed) -> str:
    """Return by how much a prediction is off, as text."""
    return "" if timed.error is None else f"{100 * timed.error:+.0f}%"


def shown(seconds: float) -> str:
    """Return seconds in a unit that fits, as text.

    >>> shown(4.387e-6), shown(1.747e-10), shown(0.0)
    ('4.39 us', '0.175 ns', '0 s')
    """
    for unit, scale in UNITS.items():
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns" if seconds else "0 s"


UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def grid(first: str, *columns: str) -> Table:
    """Return a table without lines: names, then numbers."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
