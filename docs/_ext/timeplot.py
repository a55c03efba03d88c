"""The picture of the benchmark: how fast each algorithm is beside the library, a panel for each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Cell = Mapping[str, Any]

# Of the colours of Okabe and Ito, which readers who do not see all colours tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
MARKERS = "osD^vP"
LIBRARY = "comm.Allreduce"
CROWDED = "#eeeeee"


def draw(cells: Sequence[Cell], path: Path) -> None:
    """Write the picture; the format is the file's ending.  One file gives the same bytes in every build."""
    ranks, sizes = (sorted({cell[key] for cell in cells}) for key in ("ranks", "size"))
    densities = sorted({cell["density"] for cell in cells})
    names = [name for name in dict.fromkeys(n for cell in cells for n in cell["ratios"]) if name != LIBRARY]
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "sparring", "svg.fonttype": "none"}):
        height = (0.16 * len(names) + 0.5) * len(ranks) + 0.9
        figure = Figure(figsize=(2.2 * len(sizes) + 1.9, height), layout="constrained")
        grid = figure.subplots(len(ranks), len(sizes), sharex=True, sharey=True, squeeze=False)
        for p, line in zip(ranks, grid):
            for n, axes in zip(sizes, line):
                here = [cell for cell in cells if (cell["ranks"], cell["size"]) == (p, n)]
                panel(axes, here, names, densities)
        for axes, n in zip(grid[0], sizes):
            axes.set_title(f"{n:,} entries")
        for axes, p in zip(grid[:, 0], ranks):
            crowd = "\noversubscribed" if any(c["oversubscribed"] for c in cells if c["ranks"] == p) else ""
            axes.set_ylabel(f"{p} rank{'s' * (p > 1)}{crowd}")
        for axes in grid[-1]:
            axes.set_xlabel(f"times as fast as {LIBRARY}")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def panel(axes: Axes, cells: Sequence[Cell], names: Sequence[str], densities: Sequence[float]) -> None:
    """One panel: a row a name, in it a mark with its quartiles for each density; grey where ranks share cores."""
    axes.set(xscale="log", ylim=(len(names) - 0.4, -0.6), yticks=range(len(names)), yticklabels=names)
    axes.grid(color="#cccccc", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.axvline(1, color="#000000", linewidth=0.8)
    if any(cell["oversubscribed"] for cell in cells):
        axes.set_facecolor(CROWDED)
    for i, density in enumerate(densities):
        ratios = next((cell["ratios"] for cell in cells if cell["density"] == density), {})
        shift = (i + 0.5) / len(densities) - 0.5
        marks = [(*ratios[name], row + 0.6 * shift) for row, name in enumerate(names) if name in ratios]
        lower, median, upper, rows = zip(*marks) if marks else ((), (), (), ())
        colour, label = COLOURS[i % len(COLOURS)], f"density {100 * density:g} %"
        axes.hlines(rows, lower, upper, color=colour, linewidth=1)
        axes.plot(median, rows, MARKERS[i % len(MARKERS)], label=label, color=colour, markersize=3)
