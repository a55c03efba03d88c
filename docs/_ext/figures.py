"""Draws a figure for papers, and how a timeline looks, whenever the documentation is built."""

from __future__ import annotations

import logging
from pathlib import Path

from matplotlib.figure import Figure
from sphinx.application import Sphinx

import sparring
from sparring.costs.links.machines import Machine
from sparring.present.crossing import write_picture
from sparring.present.figures.files import Drawing, save
from sparring.present.growth import settings
from sparring.present.spacetime.history import hops
from sparring.present.spacetime.strokes import INK
from sparring.present.timelines.steps import of_hop, of_steps
from sparring.present.timelines.timeline import TRACKS, Timeline

RANKS = 4
FILLS = {"sends": "#9CC7E8", "receives": "#F2D08A"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}


def draw(app: Sphinx) -> None:
    """Write ``figure.png``, ``rings.png`` and ``timeline.svg`` into ``generated`` in the sources."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    save(sparring.page("recursive_doubling"), 8, folder / "figure.png")
    save(sparring.page("rabenseifner"), 8, folder / "rings.png", Drawing("ring", 5))
    write_picture(drawn(halving()), folder / "timeline.svg")


def halving() -> Timeline:
    """Return Rabenseifner's run: its messages are half as long from step to step, then twice as long."""
    page, size = sparring.page("rabenseifner"), 1_000_000
    sent = [
        [of_hop(page, hop, RANKS)._replace(nbytes=size * len(hop.chunks) // RANKS) for hop in step]
        for step in hops(page, RANKS)
    ]
    return of_steps(page.name, RANKS, sent, Machine("5us", "25Gbit/s"))


def drawn(timeline: Timeline) -> Figure:
    """Return slices and arrows of a timeline as Perfetto has them: a row a track, time from left to right."""
    with settings():
        sheet = Figure((7.2, 2.9), layout="constrained")
        axes = sheet.add_subplot()
        rows = {(r, track): 2.4 * r + i for r in range(timeline.ranks) for i, track in enumerate(TRACKS[1:])}
        for one in timeline.spans:
            start, wide, row = one.start / 1000, (one.end - one.start) / 1000, rows[one.rank, one.track]
            axes.broken_barh([(start, wide - 1)], (row + 0.1, 0.8), facecolors=FILLS[one.track])
            axes.text(start + 0.8 * wide, row + 0.5, one.name, fontsize=7, ha="center", va="center")
        for tail, head in timeline.arrows:
            sent, came = timeline.spans[tail], timeline.spans[head]
            begins = sent.start / 1000, rows[sent.rank, sent.track] + 0.5
            ends = (came.start + came.end) / 2000, rows[came.rank, came.track] + 0.5
            axes.annotate("", ends, begins, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 0.7})
        axes.set_yticks([y + 0.5 for y in rows.values()], [f"rank {r}  {track}" for r, track in rows], fontsize=7.5)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.invert_yaxis()
        axes.set_xlabel("microseconds", fontsize=8)
        return sheet
