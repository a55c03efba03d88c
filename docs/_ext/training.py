"""The directive ``training``: tables and a picture of what ``benchmarks/training.py`` found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from docutils import nodes
from markup import table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from timeplot import COLOURS, MARKERS

Row = Mapping[str, Any]

PICTURE = "training-{}.svg"
LONG = 36
"""Letters of a line of which no three fit beside each other."""
ALIKE = 0.01
"""Mean curves that are nowhere further apart than this are drawn as one."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("training_results", "../benchmarks/results/training", "env", [str])
    app.add_directive("training", Training)
    return {"parallel_read_safe": True}


def results(app: Sphinx, name: str) -> Path:
    """The file of results of that name."""
    return Path(app.srcdir) / str(app.config.training_results) / f"{name}.json"


def read(path: Path) -> dict[str, Any]:
    """What it holds."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


class Training(SphinxDirective):
    """The settings, the picture, and a table a number of ranks, of the file of results that is named."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = results(self.env.app, self.arguments[0])
        self.env.note_dependency(path)
        found = read(path)
        draw(Path(self.env.srcdir) / "generated" / PICTURE.format(path.stem), found)
        picture = f".. image:: generated/{PICTURE.format(path.stem)}\n   :class: curves\n   :alt: {ALT}"
        return self.parse_text_to_nodes("\n\n".join([picture, *sections(found), facts(found)]))


ALT = (
    "The mean loss on the training images against the step on the left, against the bytes that a rank has sent on "
    "the right; a row for each number of ranks, a line for each group of algorithms."
)


def sections(found: Mapping[str, Any]) -> Iterator[str]:
    """A heading and a table for each number of ranks."""
    share = round(100 * found["settings"]["confidence"])
    head = ("algorithm", "bytes a step", "messages a step", "loss", f"above dense ({share} %)", "accuracy",
            f"above dense ({share} %)")  # fmt: skip
    for ranks in dict.fromkeys(row["ranks"] for row in found["rows"]):
        mine = [row for row in found["rows"] if row["ranks"] == ranks]
        yield f".. rubric:: {ranks} ranks\n\n{table(head, [*map(cells, mine)], 'timings')}"


def cells(row: Row) -> list[str]:
    """One algorithm's: means over the seeds, and the paired differences with their intervals."""
    losses = [curve[-1] for curve in row["losses"]]
    return [
        row["algorithm"], f"{np.mean(row['bytes']):,.0f}", f"{np.mean(row['messages']):.0f}",
        f"{np.mean(losses):.4f}", spread(row["loss_above_dense"], 1, 4),
        f"{100 * np.mean(row['accuracy']):.1f} %", spread(row["accuracy_above_dense"], 100, 1),
    ]  # fmt: skip


def spread(interval: Sequence[float] | None, scale: float, places: int) -> str:
    """A difference and between what it lies.

    >>> spread([0.001, -0.002, 0.004], 1, 4), spread([0.001, -0.002, 0.004], 100, 1), spread(None, 1, 1)
    ('+0.0010 (-0.0020 to +0.0040)', '+0.1 (-0.2 to +0.4)', '')
    """
    if interval is None:
        return ""
    mean, low, high = (f"{scale * x:+.{places}f}" for x in interval)
    return f"{mean} ({low} to {high})"


def facts(found: Mapping[str, Any]) -> str:
    """How it can be repeated."""
    made = ", ".join(f"{name} {release}" for name, release in found["versions"].items())
    return f"Made with {made}, by ``{found['command']}``."


def draw(path: Path, found: Mapping[str, Any]) -> None:
    """Write the picture of these results."""
    path.parent.mkdir(exist_ok=True)
    ranks, named = [*dict.fromkeys(row["ranks"] for row in found["rows"])], groups(found["rows"])
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "sparring", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.2, 2.4 * len(ranks) + 1.0), layout="constrained")
        grid = figure.subplots(len(ranks), 2, sharey="row", squeeze=False)
        for p, (left, right) in zip(ranks, grid):
            mine = [row for row in found["rows"] if row["ranks"] == p]
            panels(left, right, mine, named, found["settings"])
            left.set_ylabel(f"{p} ranks\nloss")
        grid[-1][0].set_xlabel("step")
        grid[-1][1].set_xlabel("bytes that a rank has sent")
        handles, labels = grid[0][1].get_legend_handles_labels()
        columns = 3 if max(len(line) for label in labels for line in label.split("\n")) < LONG else 2
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def panels(
    left: Axes, right: Axes, rows: Sequence[Row], named: Sequence[Sequence[str]], settings: Mapping[str, Any]
) -> None:
    """The mean loss of each group of names against steps, and of its members against bytes."""
    steps = np.minimum(np.arange(len(rows[0]["losses"][0])) * settings["every"], settings["steps"])
    for i, (names, colour) in enumerate(zip(named, cycle(COLOURS))):
        marker = MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]  # no two groups have both in common
        group, label = [row for row in rows if row["algorithm"] in names], ", ".join(names)
        curve = np.mean(group[0]["losses"], axis=0)
        left.plot(steps, curve, color=colour, marker=marker, markersize=3, markevery=5, linewidth=1.1)
        for row in group:
            sent = steps[1:] * np.mean(row["bytes"])
            right.plot(sent, np.mean(row["losses"], axis=0)[1:], color=colour, marker=marker, markersize=3, markevery=5,
                       linewidth=1.1, label=wrapped(label) if row is group[0] else None)  # fmt: skip
    left.set_yscale("log")
    right.set_xscale("log")
    for axes in (left, right):
        axes.grid(color="#cccccc", linewidth=0.4)
        axes.set_axisbelow(True)


def groups(rows: Sequence[Row]) -> list[list[str]]:
    """The names of algorithms whose mean curves nobody could tell apart, on any number of ranks."""
    curves: dict[str, list[float]] = {}
    for row in rows:
        curves.setdefault(row["algorithm"], []).extend(np.mean(row["losses"], axis=0))
    found: list[list[str]] = []
    for name, curve in curves.items():
        near = (g for g in found if np.abs(np.subtract(curves[g[0]], curve)).max() < ALIKE)
        if (group := next(near, None)) is None:
            found.append(group := [])
        group.append(name)
    return found


def wrapped(label: str) -> str:
    """Two names a line.

    >>> print(wrapped("ring, two_shot, rabenseifner"))
    ring, two_shot,
    rabenseifner
    """
    names = label.split(", ")
    return ",\n".join(", ".join(names[i : i + 2]) for i in range(0, len(names), 2))
