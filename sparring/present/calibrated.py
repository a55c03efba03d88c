"""Draws a calibration: messages and additions with their fits, their errors, and the algorithms held out.

A full mark was fitted, a hollow one was held out; a bar goes from quartile to quartile.  Algorithms
stand where prediction and measurement put them; on the diagonal both are the same.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.costs.links.machines import Machine, Measured, Timed
from sparring.errors import InputError
from sparring.present.crossing import check, write_picture
from sparring.present.growth import GREY, INK, PENS, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXCHANGE, ADD = PENS[0], PENS[2]
THINGS = {"exchange": ("messages", "bytes", EXCHANGE), "add": ("additions", "entries", ADD)}
MARKS = "os^DvPX<>*"
COLOURS = [colour for colour, _ in PENS]


def figure(machine: Machine) -> Figure:
    """Return four panels as matplotlib's figure.

    Raises MissingExtra without matplotlib, InputError for a machine that was not measured.
    """
    if machine.measured is None:
        raise InputError(f"machine {machine.name!r} was not measured: there is nothing to draw")
    with settings():
        from matplotlib.figure import Figure

        sheet = Figure((9.2, 7.4), layout="constrained")
        first, second, third, fourth = (sheet.add_subplot(2, 2, place) for place in range(1, 5))
        for axes, what in ((first, "exchange"), (second, "add")):
            times(axes, what, of(machine.measured, what))
        errors(third, machine.measured)
        algorithms(fourth, of(machine.measured, "algorithm"))
        return sheet


def save(machine: Machine, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(machine), file)


def of(measured: Measured, what: str) -> list[Timed]:
    """Return the timings of one kind: of exchanges, additions or algorithms."""
    return [timed for timed in measured.timed if timed.what == what]


def times(axes: Axes, what: str, timed: Sequence[Timed]) -> None:
    """Draw seconds by size, and the fit."""
    name, unit, (colour, marker) = THINGS[what]
    for fitted in (True, False):
        some = [t for t in timed if t.fitted == fitted]
        bars = list(zip(*((t.median - t.seconds[1], t.seconds[3] - t.median) for t in some)))
        axes.errorbar(
            [t.size for t in some], [t.median for t in some], bars, color=colour, marker=marker, linestyle="",
            markersize=4.5, elinewidth=0.8, markerfacecolor=colour if fitted else "white",
            label="fitted" if fitted else "held out",
        )  # fmt: skip
    line = sorted({(t.size, t.predicted) for t in timed if t.predicted is not None})
    axes.plot(*zip(*line), color=INK, linewidth=1.1, label="fit", zorder=0)
    frame(axes, f"{name}, all ranks at once", f"{unit}", "seconds")
    axes.yaxis.set_major_formatter(engineering("s"))
    axes.legend(frameon=False, labelcolor=INK)


def errors(axes: Axes, measured: Measured) -> None:
    """Draw the errors of the fits, by size; the panels above say what the marks mean."""
    for what, (_, _, (colour, marker)) in THINGS.items():
        for fitted in (True, False):
            some = [(t.size, 100 * t.error) for t in of(measured, what) if t.fitted == fitted and t.error is not None]
            axes.plot(
                *zip(*some), color=colour, marker=marker, linestyle="", markersize=4.5,
                markerfacecolor=colour if fitted else "white",
            )  # fmt: skip
    axes.axhline(0, color=GREY, linewidth=0.8)
    frame(axes, "errors of both fits, marks as above", "bytes of a message, entries of an addition", "too high, %")
    axes.set_yscale("linear")


def algorithms(axes: Axes, timed: Sequence[Timed]) -> None:
    """Draw predicted by measured times of algorithms, without those that were not predicted."""
    judged = [t for t in timed if t.predicted]
    for i, name in enumerate(dict.fromkeys(t.algorithm for t in judged)):
        some = [(t.median, t.predicted) for t in judged if t.algorithm == name]
        style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i % len(MARKS)]}
        axes.plot(*zip(*some), linestyle="-", linewidth=0.5, markersize=4.5, label=name, **style)
    if judged:
        ends = [edge(x for t in judged for x in (t.median, t.predicted or t.median)) for edge in (min, max)]
        axes.plot(ends, ends, color=GREY, linewidth=0.8, linestyle=(0, (5, 2)), label="as predicted")
        axes.legend(frameon=False, labelcolor=INK, fontsize=8)
    frame(axes, "algorithms, none of which was fitted", "measured", "predicted")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(engineering("s"))


def frame(axes: Axes, title: str, along: str, up: str) -> None:
    """Make both axes logarithmic, and write the title and the labels."""
    from matplotlib.ticker import NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(engineering(""))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.set_title(title)
    axes.set_xlabel(along)
    axes.set_ylabel(up)


def engineering(unit: str) -> Any:
    """Return a formatter that writes numbers as 1 k, 10 µ and so on."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(unit, sep=" " if unit else "")
