"""Draws and tabulates how the variance of a million ranks falls, whenever the documentation is built."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from markup import table
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring.analysis.averaging.simulation import Drawn, drawn
from sparring.present import growth

SIDE, SIDES, ROUNDS = 100, 3, 6
RUNS = 3
LEAST = 1e-9
MISSED = (0.0, 0.05, 0.2)
KINDS = ("random groups", "torus")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    app.add_directive("mixing", Mixing)
    return {"parallel_read_safe": True}


@cache
def course(kind: str, dies: float) -> Drawn:
    """The runs of one curve; seeds are the runs' numbers."""
    return drawn(kind, SIDE, SIDES, dies, ROUNDS, range(RUNS))


def draw(app: Sphinx) -> None:
    """Write ``generated/mixing.svg`` in the sources: a panel a kind of grouping."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    with growth.settings():
        sheet = Figure((2 * growth.WIDTH, growth.HEIGHT), layout="constrained")
        for place, kind in enumerate(KINDS, 1):
            panel(sheet.add_subplot(1, 2, place), kind)
        sheet.supxlabel("rounds (beside a curve: how many ranks miss each round)", fontsize=10)
        sheet.supylabel("variance over all ranks", fontsize=10)
        path = Path(app.srcdir) / "generated" / "mixing.svg"
        path.parent.mkdir(exist_ok=True)
        sheet.savefig(path, metadata={"Date": None, "Creator": None})


def panel(axes: Any, kind: str) -> None:
    """Lines are expectations, markers single runs; what is below ``LEAST`` is not drawn."""
    for dies, (colour, marker) in zip(MISSED, growth.PENS):
        runs = course(kind, dies)
        right = [1.0, *(v for v in runs.expected.mean(0) if v > LEAST)]
        axes.plot(range(len(right)), right, color=colour, linewidth=1.2)
        for found in runs.found:
            marks = found[: len(right) - 1]
            axes.plot(range(1, len(right)), marks, marker, color=colour, markersize=4, fillstyle="none")
        end = (len(right) - 1, right[-1])
        axes.annotate(f"{100 * dies:g} %", end, (8, 0), textcoords="offset points", va="center")
    powers = range(0, -10, -2)
    axes.set(title=kind, yscale="log", xlim=(0, 1.15 * ROUNDS), xticks=range(ROUNDS + 1), ylim=(LEAST, 2))
    axes.set_yticks([10.0**power for power in powers], [f"1e{power}" if power else "1" for power in powers])


class Mixing(SphinxDirective):
    """Round by round what is expected and what was drawn, where some ranks miss a round."""

    def run(self) -> list[nodes.Node]:
        head = ("round", *(f"{kind}, {what}" for kind in KINDS for what in ("expected", "drawn")))
        return self.parse_text_to_nodes(table(head, (row(t) for t in range(ROUNDS)), "sizes"))


def row(t: int) -> list[str]:
    """The cells of one round, with one rank in twenty missing it; drawn are means of the runs."""
    runs = [course(kind, MISSED[1]) for kind in KINDS]
    return [str(t + 1), *(f"{v:.3g}" for one in runs for v in (one.expected[:, t].mean(), one.found[:, t].mean()))]
