"""Draws which algorithm costs least, as regions of a plane; a panel for each model of supports.

A region has a colour, a hatch and its name; it is pale where another algorithm costs hardly more.
Dashed lines are the band in which a sparse ring pays if the allgather's lists are encoded as its own
messages are.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from sparring.costs.regions import WHOLE, Phases, Run
from sparring.costs.supports.break_even import Band
from sparring.errors import InputError
from sparring.present.crossing import ALONG, AXES, check, percent, write_picture
from sparring.present.growth import INK, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLS = (
    ("#56B4E9", ""),
    ("#E69F00", "///"),
    ("#009E73", ".."),
    ("#CC79A7", "\\\\\\"),
    ("#F0E442", "xx"),
    ("#D55E00", "--"),
)
"""A colour of Okabe and Ito's palette and a hatch for each algorithm."""
PALE, NOBODY = 0.45, "#FFFFFF"
COLUMNS, WIDTH, HEIGHT = 2, 5.4, 4.1  # panels side by side; inches a panel
LETTERS = 72  # of a line below a panel
Bands = Mapping[str, Mapping[int, Band | None]]


def figure(panels: Mapping[str, Phases], within: Fraction, bands: Bands) -> Figure:
    """Return the diagrams as matplotlib's figure, ``bands`` in the first.

    Raises MissingExtra without matplotlib, InputError for more algorithms than can be told apart.
    """
    names = next(iter(panels.values())).names
    if len(names) > len(FILLS):
        raise InputError(f"{len(names)} algorithms: in a picture at most {len(FILLS)} can be told apart")
    with settings():
        from matplotlib.figure import Figure

        columns = min(COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        sheet = Figure((WIDTH * columns, HEIGHT * rows), layout="constrained")
        for place, (title, found) in enumerate(panels.items(), 1):
            draw(sheet.add_subplot(rows, columns, place), title, found, within)
        mark(sheet.axes[0], bands)
        told = caption(next(iter(panels.values())).quantity, within, bands)
        lines = [line for sentence in told for line in wrap(sentence, LETTERS * columns)]
        sheet.supxlabel("\n".join(lines), fontsize=8.5, color=INK)
        return sheet


def save(panels: Mapping[str, Phases], within: Fraction, bands: Bands, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(panels, within, bands), file)


def draw(axes: Axes, title: str, found: Phases, within: Fraction) -> None:
    """Draw one panel."""
    from matplotlib.patches import Rectangle

    xs, ys = edges(found.along), edges(found.up)
    fills = dict(zip(found.names, FILLS)) | {"": (NOBODY, "")}
    for j in range(len(found.up)):
        for first, last, name in found.runs(j):
            colour, hatch = fills[name]
            corner, width, height = (xs[first], ys[j]), xs[last + 1] - xs[first], ys[j + 1] - ys[j]
            style: dict[str, Any] = {"linewidth": 0, "edgecolor": "white", "hatch": hatch, "hatch_linewidth": 0.8}
            axes.add_patch(Rectangle(corner, width, height, facecolor=colour, **style))
            for i in range(first, last + 1):
                if len(found.close(j, i, within)) > 1:
                    corner, width = (xs[i], ys[j]), xs[i + 1] - xs[i]
                    axes.add_patch(Rectangle(corner, width, height, facecolor="white", alpha=PALE, linewidth=0))
    borders(axes, found, xs, ys)
    for name in found.names:
        label(axes, found, name)
    frame(axes, title, found, xs, ys)


def edges(places: Sequence[Fraction]) -> list[float]:
    """Return the edges of cells around places that lie apart by factors."""
    at = [float(x) for x in places]
    inner = [(a * b) ** 0.5 for a, b in pairwise(at)]
    return [at[0], *inner, at[-1]]


def borders(axes: Axes, found: Phases, xs: Sequence[float], ys: Sequence[float]) -> None:
    """Draw a line between cells with different algorithms."""
    rows, columns = range(len(found.up)), range(len(found.along))
    names = [[found.cheapest(j, i) for i in columns] for j in rows]
    for j in rows:
        for i in columns:
            if i and names[j][i] != names[j][i - 1]:
                axes.plot([xs[i], xs[i]], [ys[j], ys[j + 1]], color=INK, linewidth=1.1, solid_capstyle="projecting")
            if j and names[j][i] != names[j - 1][i]:
                axes.plot([xs[i], xs[i + 1]], [ys[j], ys[j]], color=INK, linewidth=1.1, solid_capstyle="projecting")


def label(axes: Axes, found: Phases, name: str) -> None:
    """Write the algorithm's name where its region has most room; beside it where that is narrow."""
    best = max(
        (room(found, j, run) for j in range(len(found.up)) for run in found.runs(j) if run.name == name), default=None
    )
    if best is None:
        return
    _, j, (first, last, _) = best
    xs, ys = edges(found.along), edges(found.up)
    x, y = ((at * beyond) ** 0.5 for at, beyond in ((xs[first], xs[last + 1]), (ys[j], ys[j + 1])))
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}
    aside = 0 if last - first >= len(found.along) / 8 else 44 if first < len(found.along) / 2 else -44
    axes.annotate(
        name, (x, y), (aside, 0), textcoords="offset points", ha="center", va="center", color=INK, fontsize=9.5,
        bbox=box, arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8} if aside else None,
    )  # fmt: skip


def room(found: Phases, j: int, run: Run) -> tuple[int, int, Run]:
    """Return the area in cells that a name has around a stretch, the middle row of that area, and the stretch."""
    middle = (run.first + run.last) // 2
    low = high = j
    while low > 0 and found.cheapest(low - 1, middle) == run.name:
        low -= 1
    while high + 1 < len(found.up) and found.cheapest(high + 1, middle) == run.name:
        high += 1
    return (run.last - run.first + 1) * (high - low + 1), (low + high) // 2, run


def frame(axes: Axes, title: str, found: Phases, xs: Sequence[float], ys: Sequence[float]) -> None:
    """Make both axes logarithmic, and label them."""
    from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

    axes.set(xscale="log", yscale="log", xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    axes.set_xlabel(ALONG[found.over[0]])
    axes.set_ylabel(ALONG[found.over[1]])
    axes.set_title(title)
    for axis, letter, places in ((axes.xaxis, found.over[0], found.along), (axes.yaxis, found.over[1], found.up)):
        form: Any = {"rho": FuncFormatter(percent), "n": EngFormatter(sep="")}.get(letter, FuncFormatter(format_ranks))
        axis.set_major_formatter(form)
        axis.set_minor_formatter(NullFormatter())
        if letter in WHOLE:
            axis.set_major_locator(
                FixedLocator([p for p in map(int, places) if p.bit_count() == 1 or len(places) < 10])
            )
            axis.set_minor_locator(NullLocator())


def format_ranks(x: float, _position: int | None = None) -> str:
    """Return a number of ranks as text."""
    return f"{x:.0f}"


def mark(axes: Axes, bands: Bands) -> None:
    """Draw the edges of each band, with gaps where there is no band."""
    for found in bands.values():
        for side in ("begins", "ends"):
            xs = [float(getattr(band, side).low) if band else float("nan") for band in found.values()]
            axes.plot(xs, [*found], color="black", linestyle=(0, (4, 2)), linewidth=1.5)


def caption(quantity: str, within: Fraction, bands: Bands) -> list[str]:
    """Return sentences on the quantity compared, and the meaning of pale regions and dashed lines."""
    told = [f"cheapest in {AXES[quantity]}; pale: another costs at most {percent(float(within))} more"]
    told += [f"dashed: between these lines {name} pays even if lists are encoded as its messages are" for name in bands]
    return told
