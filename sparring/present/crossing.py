"""Costs as curves, and where they cross: bytes or seconds up, what grows along, both by factors.

The curves differ in colour and in their lines, names stand beside them, and each crossing is marked
with its place.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring.costs.crossover import Comparison
from sparring.costs.regions import Courses
from sparring.errors import InputError
from sparring.present.growth import GREY, INK, PENS, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 160  # of a curve
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (7, 2, 1, 2)), (0, (3, 1)), (0, (4, 1, 1, 1, 1, 1)), (0, (9, 3)))
COLOURS = (PENS[0], PENS[2], PENS[1], PENS[3], ("#CC79A7", "v"), ("#000000", "P"), ("#56B4E9", "X"))
"""For each curve a line, a colour of Okabe and Ito's palette and a marker."""
FORMATS = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
"""Kinds of files, and what of them says when and by which program they were made."""
AXES = {"time": "seconds in lock step", "bytes": "bytes of the largest message of each step, summed"}
ALONG = {
    "rho": "density, k / n",
    "n": "entries of a vector, n",
    "p": "ranks, p",
    "nodes": "nodes",
    "node": "ranks of a node",
}


class Curve(NamedTuple):
    """One algorithm's cost."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]


def curves(found: Comparison) -> list[Curve]:
    """Return both costs, at every number of ranks or at points that lie apart by one factor."""
    low, high = float(found.start), float(found.end)
    apart = [Fraction(low * (high / low) ** (i / (POINTS - 1))) for i in range(POINTS)]
    xs = found.places if found.over == "p" else apart
    return [
        Curve(name, [*map(float, xs)], [float(cost(x, x).mid) for x in xs])
        for name, cost in zip(found.names, found.costs)
    ]


def figure(found: Comparison) -> Figure:
    """Return the curves as matplotlib's figure; raises MissingExtra without matplotlib."""
    with settings():
        from matplotlib.figure import Figure

        sheet = Figure((6.4, 3.9), layout="constrained")
        draw(sheet.add_subplot(), found, curves(found))
        return sheet


def check(file: Path, option: str = "--plot") -> None:
    """Raise InputError unless ``file``, given with ``option``, has the name of a picture."""
    if file.suffix not in FORMATS:
        raise InputError(f"{option} {file}: the name of a picture ends in {', '.join(FORMATS)}")


def save(found: Comparison, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(found), file)


def write_picture(sheet: Figure, file: Path) -> None:
    """Write the picture, without the day and the program that made it; raises InputError where that cannot be."""
    drawn = io.BytesIO()
    with settings():
        sheet.savefig(drawn, format=file.suffix[1:], dpi=150, metadata=FORMATS[file.suffix])
    try:
        file.write_bytes(drawn.getvalue())
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


def several(found: Courses) -> Figure:
    """Return the curves of several algorithms as a figure; raises InputError for more than can be told apart."""
    if len(found.names) > len(COLOURS):
        raise InputError(f"{len(found.names)} algorithms: in a picture at most {len(COLOURS)} can be told apart")
    drawn = []
    for name, costs in zip(found.names, found.costs):
        known = [(float(x), float(cost)) for x, cost in zip(found.xs, costs) if cost is not None]
        drawn.append(Curve(name, [x for x, _ in known], [cost for _, cost in known]))
    with settings():
        from matplotlib.figure import Figure

        sheet = Figure((6.4, 4.1), layout="constrained")
        axes = sheet.add_subplot()
        strokes(axes, found.over, found.quantity, drawn)
        for turn in found.turns:
            if turn.before and turn.then:
                crossed(axes, found.over, float(turn.place))
        return sheet


def draw(axes: Axes, found: Comparison, both: Sequence[Curve]) -> None:
    """Draw the two curves, their names, and the crossings."""
    strokes(axes, found.over, found.quantity, both)
    axes.set_title(f"{found.names[0]} against {found.names[1]}")
    for crossing in () if found.over == "p" else found.crossings:  # which of two numbers is seen without
        crossed(axes, found.over, float(crossing.low + crossing.high) / 2)


def crossed(axes: Axes, over: str, place: float) -> None:
    """Draw the mark of a crossing."""
    axes.axvline(place, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.annotate(
        name_crossing(over, place), (place, 0), (3, 4), xycoords=("data", "axes fraction"),
        textcoords="offset points", color=GREY, fontsize=8.5,
    )  # fmt: skip


def strokes(axes: Axes, over: str, quantity: str, drawn: Sequence[Curve]) -> None:
    """Draw the curves, each with its own colour and line, and the axes."""
    from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

    for curve, (colour, marker), line in zip(drawn, COLOURS, LINES):
        only_points: dict[str, Any] = {"marker": marker, "markersize": 3.5} if over == "p" else {}
        axes.plot(curve.xs, curve.ys, color=colour, linestyle=line, linewidth=1.6, label=curve.name, **only_points)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if spread(drawn) < 50 else (1,)))
    axes.yaxis.set_major_formatter(EngFormatter("s" if quantity == "time" else "B", sep=" "))
    axes.yaxis.set_minor_formatter(NullFormatter())
    if over != "p":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(EngFormatter(sep="") if over == "n" else FuncFormatter(percent))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(ALONG[over])
    axes.set_ylabel(AXES[quantity])
    axes.legend(frameon=False, handlelength=2.8, labelcolor=INK)


def name_crossing(over: str, place: float) -> str:
    """Return the place of a crossing, in words.

    >>> name_crossing("rho", 0.125), name_crossing("n", 66_000.1)
    ('12.5%', '66000')
    """
    return percent(place) if over == "rho" else f"{place:.0f}"


def percent(density: float, _position: int | None = None) -> str:
    """Return a density as a percentage."""
    return f"{100 * density:.3g}%"


def spread(both: Sequence[Curve]) -> float:
    """Return the factor between the largest cost and the smallest that is not 0."""
    ys = [y for curve in both for y in curve.ys if y > 0]
    return max(ys) / min(ys) if ys else 1
