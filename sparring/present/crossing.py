"""Two costs as curves, and where they cross: bytes or seconds up, what grows along, both by factors.

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

from sparring.errors import InputError
from sparring.present.growth import GREY, INK, PENS, settings
from sparring.proofs.cost.versus import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 160  # of a curve
LINES = ("-", (0, (5, 2)))
FORMATS = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
"""Kinds of files, and what of them says when and by which program they were made."""
AXES = {"time": "seconds in lock step", "bytes": "bytes of the largest message of each step, summed"}
ALONG = {"rho": "density, k / n", "n": "entries of a vector, n", "p": "ranks, p"}


class Curve(NamedTuple):
    """One algorithm's cost."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]


def curves(found: Comparison) -> list[Curve]:
    """Both costs, at every number of ranks or at points that lie apart by one factor."""
    low, high = float(found.start), float(found.end)
    apart = [Fraction(low * (high / low) ** (i / (POINTS - 1))) for i in range(POINTS)]
    xs = [Fraction(p) for p in range(int(low), int(high) + 1)] if found.over == "p" else apart
    return [
        Curve(name, [*map(float, xs)], [float(cost(x, x).mid) for x in xs])
        for name, cost in zip(found.names, found.costs)
    ]


def figure(found: Comparison) -> Figure:
    """The curves as matplotlib's figure; raises MissingExtra without matplotlib."""
    with settings():
        from matplotlib.figure import Figure

        sheet = Figure((6.4, 3.9), layout="constrained")
        draw(sheet.add_subplot(), found, curves(found))
        return sheet


def check(file: Path) -> None:
    """Raises InputError unless ``file`` has the name of a picture."""
    if file.suffix not in FORMATS:
        raise InputError(f"--plot {file}: the name of a picture ends in {', '.join(FORMATS)}")


def save(found: Comparison, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    sheet, drawn = figure(found), io.BytesIO()
    with settings():
        sheet.savefig(drawn, format=file.suffix[1:], dpi=150, metadata=FORMATS[file.suffix])
    try:
        file.write_bytes(drawn.getvalue())
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


def draw(axes: Axes, found: Comparison, both: Sequence[Curve]) -> None:
    """The two curves, their names, the crossings."""
    from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

    for curve, (colour, marker), line in zip(both, PENS[::2], LINES):
        only_points: dict[str, Any] = {"marker": marker, "markersize": 3.5} if found.over == "p" else {}
        axes.plot(curve.xs, curve.ys, color=colour, linestyle=line, linewidth=1.6, label=curve.name, **only_points)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if spread(both) < 50 else (1,)))
    axes.yaxis.set_major_formatter(EngFormatter("s" if found.quantity == "time" else "B", sep=" "))
    axes.yaxis.set_minor_formatter(NullFormatter())
    if found.over != "p":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(EngFormatter(sep="") if found.over == "n" else FuncFormatter(percent))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(ALONG[found.over])
    axes.set_ylabel(AXES[found.quantity])
    axes.set_title(f"{found.names[0]} against {found.names[1]}")
    axes.legend(frameon=False, handlelength=2.8, labelcolor=INK)
    for crossing in () if found.over == "p" else found.crossings:  # which of two numbers is seen without
        place = float(crossing.low + crossing.high) / 2
        axes.axvline(place, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
        axes.annotate(
            named(found.over, place), (place, 0), (3, 4), xycoords=("data", "axes fraction"),
            textcoords="offset points", color=GREY, fontsize=8.5,
        )  # fmt: skip


def named(over: str, place: float) -> str:
    """A crossing's place.

    >>> named("rho", 0.125), named("n", 66_000.1)
    ('12.5%', '66000')
    """
    return percent(place) if over == "rho" else f"{place:.0f}"


def percent(density: float, _position: int | None = None) -> str:
    """A density."""
    return f"{100 * density:.3g}%"


def spread(both: Sequence[Curve]) -> float:
    """By which factor the largest cost is above the smallest."""
    ys = [y for curve in both for y in curve.ys if y > 0]
    return max(ys) / min(ys) if ys else 1
