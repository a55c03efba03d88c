"""The picture of times against length: a panel for each number of ranks and density."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Cell = Mapping[str, Any]

# The colours of Okabe and Ito, which readers who do not see all colours tell apart; black is the library.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vPX"
LEFT_OUT = "selection"
CROWDED = "#eeeeee"


def draw(cells: Sequence[Cell], path: Path) -> None:
    """Write the picture; the format is the file's ending.  One file gives the same bytes in every build."""
    ranks, densities = (sorted({cell[key] for cell in cells}) for key in ("ranks", "density"))
    names = [name for name in dict.fromkeys(n for cell in cells for n in cell["seconds"]) if name != LEFT_OUT]
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "sparring", "svg.fonttype": "none"}):
        figure = Figure(figsize=(2.4 * len(densities) + 0.6, 2.2 * len(ranks) + 0.9), layout="constrained")
        grid = figure.subplots(len(ranks), len(densities), sharex=True, sharey=True, squeeze=False)
        for p, line in zip(ranks, grid):
            for density, axes in zip(densities, line):
                panel(axes, [cell for cell in cells if (cell["ranks"], cell["density"]) == (p, density)], names)
        for axes, density in zip(grid[0], densities):
            axes.set_title(f"density {100 * density:g} %")
        for axes, p in zip(grid[:, 0], ranks):
            crowd = ", oversubscribed" if any(c["oversubscribed"] for c in cells if c["ranks"] == p) else ""
            axes.set_ylabel(f"{p} rank{'s' * (p > 1)}{crowd}\nmilliseconds")
        for axes in grid[-1]:
            axes.set_xlabel("entries n")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 4), frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def panel(axes: Axes, cells: Sequence[Cell], names: Sequence[str]) -> None:
    """One panel: a line a name, the band between the quartiles behind it; grey where ranks share cores."""
    axes.set(xscale="log", yscale="log")
    axes.grid(color="#cccccc", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    if any(cell["oversubscribed"] for cell in cells):
        axes.set_facecolor(CROWDED)
    for name, colour, marker in zip(names, cycle(COLOURS), cycle(MARKERS)):
        timed = sorted((cell["size"], cell["seconds"][name]) for cell in cells if name in cell["seconds"])
        sizes = [size for size, _ in timed]
        lower, median, upper = ([1e3 * quartiles[i] for _, quartiles in timed] for i in range(3))
        axes.fill_between(sizes, lower, upper, color=colour, alpha=0.15, linewidth=0)
        axes.plot(sizes, median, label=name, color=colour, marker=marker, markersize=3.5, linewidth=1.1)
