"""Draws and tabulates where a sparse ring pays, whenever the documentation is built."""

from __future__ import annotations

import logging
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from io import StringIO
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from docutils import nodes
from markup import table
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import sparring
from sparring.costs.supports.break_even import Band, Between, Comparison, band, comparison
from sparring.costs.supports.contributions import predicted
from sparring.impl.core.selection import top
from sparring.inputs import digits
from sparring.present.growth import GREY, INK, PENS, settings
from sparring.spec.core.model import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANKS = (4, 8, 16, 32, 64, 128, 256)
DRAWN = (8, 32, 256)
WIDTH = 4  # bytes of a value
GAIN = Fraction(11, 10)
STEPS = ("step0", "step300")
MEASURED = tuple(Fraction(share, 1000) for share in (2, 5, 10, 20, 50, 100, 200, 300, 500))
PLACES = 240  # densities of a curve


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    app.add_directive("sparse-ring-band", BandTable)
    return {"parallel_read_safe": True}


@cache
def page() -> Page:
    """The sparse ring."""
    return sparring.page("ring_sparse")


@cache
def found(p: int, times: Fraction = Fraction(1)) -> Band:
    """Its band; raises LookupError where there is none."""
    if pays := band(page(), p, WIDTH, times):
        return pays
    raise LookupError(f"{p} ranks: at no density the others send {times} times as much")


class BandTable(SphinxDirective):
    """A row for each number of ranks: where it pays, where it saves a tenth, and the largest factor."""

    def run(self) -> list[nodes.Node]:
        head = ("ranks", "less is sent from", "to", "a tenth less from", "to", "at best", "at density")
        return self.parse_text_to_nodes(table(head, map(row, RANKS), "sizes"))


def row(p: int) -> list[str]:
    """The cells for ``p`` ranks."""
    pays, much = found(p), found(p, GAIN)
    edges = [percent(edge) for edge in (pays.begins, pays.ends, much.begins, much.ends)]
    return [str(p), *edges, f"{agreed(pays.factor, 3)} times", f"{100 * float(pays.best):.2g} %"]


def percent(x: Between) -> str:
    """A density in percent."""
    return f"{agreed(Between(100 * x.low, 100 * x.high), 3)} %"


def agreed(x: Between, places: int) -> str:
    """A number to so many digits, or fewer, so that both bounds are rounded alike.

    >>> agreed(Between(Fraction(1234, 1000), Fraction(1236, 1000)), 4)
    '1.2'
    """
    low, high = (f"{float(bound):#.{places}g}" for bound in x)
    return low if low == high else agreed(x, places - 1)


def draw(app: Sphinx) -> None:
    """Write ``generated/sparse-ring.svg`` in the sources."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    path = Path(app.srcdir) / "generated" / "sparse-ring.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(svg(), encoding="utf-8")


def svg() -> str:
    """Both panels, the same whenever they are drawn."""
    with settings():
        sheet = Figure((9.2, 4.3), layout="constrained")
        factors(sheet.add_subplot(1, 2, 1))
        bytes_sent(sheet.add_subplot(1, 2, 2))
        file = StringIO()
        sheet.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        return file.getvalue()


def densities(lowest: float) -> list[Fraction]:
    """Densities from ``lowest`` to 1, evenly spread on a logarithmic axis."""
    return [Fraction(lowest ** (1 - i / PLACES)).limit_denominator(10**9) for i in range(PLACES + 1)]


def factors(axes: Axes) -> None:
    """How many times as much the better of the two others sends."""
    xs = densities(5e-4)
    axes.axhline(1, color=GREY, linewidth=0.9)
    for p, (colour, marker), dashes in zip(DRAWN, PENS, ("solid", (0, (5, 1.5)), (0, (1.5, 1)))):
        compared, pays = comparison(page(), p, WIDTH), found(p)
        ys = [float(compared.factor(x).low) for x in xs]
        axes.plot([float(x) for x in xs], ys, color=colour, linestyle=dashes, linewidth=1.6)
        edge = float(pays.begins.low)
        axes.plot([edge], [1], color=colour, marker=marker, markersize=6, zorder=3)
        axes.annotate(percent(pays.begins), (edge, 1), (5, -6), textcoords="offset points", va="top", fontsize=8.5)
        name = f"{p} ranks:\n{agreed(pays.factor, 3)} times"
        top_ = float(pays.best), float(pays.factor.low)
        axes.annotate(name, top_, (0, 5), textcoords="offset points", ha="center", color=INK)
        axes.plot([float(pays.ends.low)], [1], color=GREY, marker="|", markersize=12, zorder=3)
    end = found(DRAWN[0]).ends
    axes.annotate(percent(end), (float(end.low), 1), (0, -9), textcoords="offset points", ha="center", va="top")
    axes.set_xscale("log")
    axes.set_ylim(0.6, 1.78)
    axes.set_title("how many times as much the better other sends")
    share(axes, 1.3)


def bytes_sent(axes: Axes) -> None:
    """What each sends on 8 ranks, and what the sparse ring sends of real gradients."""
    p, xs = 8, densities(1e-3)
    compared = comparison(page(), p, WIDTH)
    unit = compared.p * compared.scale * (1 << 96)
    curves: dict[str, tuple[Callable[[int], int], str, object]] = {
        "ring allgather": (lambda x: compared.p * (compared.p - 1) * compared.least(x), "#D55E00", (0, (5, 1.5))),
        "sparse ring": (lambda x: compared.sent(x, 0).ring, "#0072B2", "solid"),
        "dense ring": (lambda x: dense(compared), GREY, (0, (1.5, 1))),
    }
    for name, (sent, colour, dashes) in curves.items():
        ys = [sent(x * (1 << 96) // 1) / unit for x in xs]
        axes.plot([float(x) for x in xs], ys, color=colour, linestyle=dashes, linewidth=1.6, label=name)
    for step, marker in zip(STEPS, ("o", "^")):
        name = f"sparse ring, digits, step {step.removeprefix('step')}"
        ys = [measured(p, step, x) for x in MEASURED]
        axes.plot([float(x) for x in MEASURED], ys, marker, color="#0072B2", markersize=5, mfc="white", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(0.03, 12)
    axes.set_yticks([0.1, 1, 7], ["0.1", "1", "7"])
    axes.set_title("bytes that a rank sends for each place, 8 ranks")
    axes.legend(frameon=False, fontsize=8.5)
    share(axes, 1.1)


def dense(compared: Comparison) -> int:
    """What the dense ring sends: the most that the better of the others does."""
    return compared.sent(1 << 96, 1).other


def measured(p: int, step: str, density: Fraction) -> float:
    """Bytes for each place, the mean over ranks, when each keeps so many of the largest entries of its gradient."""
    grads = digits(p, step)
    n = grads[0].size
    kept = [top(x, round(density * n)).indices.tolist() for x in grads]
    sent = predicted(page(), kept, n, WIDTH)
    return mean(map(sum, zip(*sent))) / n


def share(axes: Axes, end: float) -> None:
    """The axis of densities, in percent."""
    axes.set_xlim(axes.get_xlim()[0], end)
    ticks = (0.001, 0.01, 0.1, 1)
    axes.set_xticks(ticks, [f"{100 * x:g} %" for x in ticks])
    axes.set_xlabel("entries that each rank has, share of the vector")
