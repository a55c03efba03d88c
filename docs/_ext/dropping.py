"""The directive ``dropping``: a table and a picture of what ``benchmarks/dropping.py`` found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from docutils import nodes
from markup import table
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from stragglers import read
from timeplot import COLOURS, MARKERS
from training import spread

Row = Mapping[str, Any]

PICTURE = "dropping.svg"
ALT = "The mean loss on the training images against the step on the left, against the time that passed on the right."


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("dropping_results", "../benchmarks/results/training/dropping.json", "env", [str])
    app.add_directive("dropping", Dropping)
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}


def results(app: Sphinx) -> Path:
    """The file of results."""
    return Path(app.srcdir) / str(app.config.dropping_results)


class Dropping(SphinxDirective):
    """The picture, a table a number of ranks, and how it was made."""

    def run(self) -> list[nodes.Node]:
        path = results(self.env.app)
        self.env.note_dependency(path)
        found = read(path)
        picture = f".. image:: /generated/{PICTURE}\n   :class: curves\n   :alt: {ALT}"
        return self.parse_text_to_nodes("\n\n".join([picture, *sections(found), facts(found)]))


def sections(found: Mapping[str, Any]) -> Iterator[str]:
    """A table for each number of ranks."""
    share = round(100 * found["settings"]["confidence"])
    head = ("way", "completed", "time", f"loss above waiting ({share} %)", f"at the same time ({share} %)", "accuracy",
            f"above waiting ({share} %)")  # fmt: skip
    for ranks in dict.fromkeys(row["ranks"] for row in found["rows"]):
        mine = [row for row in found["rows"] if row["ranks"] == ranks]
        yield f".. rubric:: {ranks} ranks\n\n{table(head, [*map(cells, mine)], 'timings')}"


def cells(row: Row) -> list[str]:
    """One way's: means over the seeds, and the paired differences with their intervals."""
    return [
        row["way"], f"{100 * np.mean(row['completed']):.1f} %", f"{(row['time_of'] or [1])[0]:.3f}",
        spread(row["loss_above"], 1, 4), spread(row["loss_above_at_that_time"], 1, 4),
        f"{100 * np.mean(row['accuracy']):.1f} %", spread(row["accuracy_above"], 100, 1),
    ]  # fmt: skip


def facts(found: Mapping[str, Any]) -> str:
    """What was asked, and how it can be repeated."""
    asked, made = found["settings"], ", ".join(f"{name} {release}" for name, release in found["versions"].items())
    return (
        f"{asked['seeds']} seeds, {asked['steps']} steps, {asked['micro_batches']} micro-batches to a minibatch of "
        f"{asked['batch']} images; a deviation of {asked['spread']:g} mean times of a micro-batch, and "
        f"{asked['rest']:g} of them for what is no computing. Made with {made}, by "
        f"``{found['command']}``."
    )


def draw(app: Sphinx) -> None:
    """Write the picture into ``generated/`` in the sources."""
    path = Path(app.srcdir) / "generated" / PICTURE
    path.parent.mkdir(exist_ok=True)
    found = read(results(app))
    rows, asked = found["rows"], found["settings"]
    ranks = [*dict.fromkeys(row["ranks"] for row in rows)]
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "sparring", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.2, 2.4 * len(ranks) + 0.9), layout="constrained")
        grid = figure.subplots(len(ranks), 2, sharey="row", squeeze=False)
        for p, (left, right) in zip(ranks, grid):
            panels(left, right, [row for row in rows if row["ranks"] == p], asked)
            left.set_ylabel(f"{p} ranks\nloss")
        grid[-1][0].set_xlabel("step")
        grid[-1][1].set_xlabel("time, in mean times of a micro-batch")
        handles, labels = grid[0][1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def panels(left: Any, right: Any, rows: Sequence[Row], asked: Mapping[str, Any]) -> None:
    """The mean loss of each way, against steps and against time."""
    for row, colour, marker in zip(rows, COLOURS, MARKERS):
        loss, moments = (np.mean(row[what], axis=0) for what in ("losses", "moments"))
        steps = np.minimum(np.arange(len(loss)) * asked["every"], asked["steps"])
        for axes, x in ((left, steps), (right, moments)):
            axes.plot(x, loss, color=colour, marker=marker, markersize=3, markevery=5, linewidth=1.1, label=row["way"])
    for axes in (left, right):
        axes.set_yscale("log")
        axes.grid(color="#cccccc", linewidth=0.4)
        axes.set_axisbelow(True)
