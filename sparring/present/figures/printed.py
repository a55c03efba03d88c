"""A figure as PDF, PNG or SVG, text as text.  Needs matplotlib, and leaves its settings alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparring.present.figures.parts import Bars, Sheet, Stroke, Words
from sparring.present.growth import settings
from sparring.present.spacetime.strokes import COLOURS, FAINT, INK, PAPER, RED, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: dict[str, dict[str, Any]] = {
    "lifeline": {"color": RULE, "linewidth": 0.4},
    "floor": {"color": FAINT, "linewidth": 0.4},
    "adds": {"linewidth": 0.8},
    "overwrites": {"linewidth": 0.8, "linestyle": (0, (3, 2.2))},
    "expected": {"linewidth": 1.6},
    "other": {"linewidth": 0.8},
    "wrong": {"linewidth": 1.6, "color": RED},
    "missing": {"linewidth": 1.6, "color": RED, "linestyle": (0, (1, 2))},
}
TEXTS: dict[str, dict[str, Any]] = {
    "rank": {"ha": "center", "fontsize": 7, "fontweight": "bold"},
    "time": {"fontsize": 7, "fontweight": "bold"},
    "note": {"fontsize": 6, "color": FAINT},
    "begins": {"fontsize": 5.5, "color": FAINT},
    "ends": {"ha": "right", "fontsize": 5.5, "color": FAINT},
    "node": {"ha": "center", "fontsize": 5.5},
    "full": {"ha": "center", "fontsize": 5.5, "fontweight": "bold"},
    "small": {"ha": "center", "fontsize": 5.5, "color": FAINT},
    "tag": {"ha": "center", "fontsize": 5.5, "fontweight": "bold", "color": INK},
    "fault": {"ha": "center", "fontsize": 5.5, "fontweight": "bold", "color": PAPER},
}
"""How strokes and words look, by style."""
ASIDE = 0.03  # inches from the edge to the text beside it
DISC = 11 / 72  # inches: the diameter of a rank's circle
DISCS = {"node": {"facecolor": PAPER, "edgecolor": INK, "linewidth": 0.5}, "full": {"facecolor": RULE, "linewidth": 0}}


def figure(sheet: Sheet) -> Figure:
    """Return the sheet as matplotlib's figure; raises MissingExtra without matplotlib."""
    with settings():
        from matplotlib.figure import Figure

        drawn = Figure((sheet.width, sheet.height))
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
        axes.set_axis_off()
        for order, part in enumerate(sheet.parts):
            if isinstance(part, Stroke):
                line(axes, part, order)
            elif isinstance(part, Bars):
                bars(axes, part, order)
            else:
                words(axes, part, order)
        return drawn


def line(axes: Axes, part: Stroke, order: int) -> None:
    """Draw a line, with its head if it has one."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    style = "-|>,head_length=4,head_width=1.8" if part.head else "-"
    look = {"color": COLOURS[part.chunk % len(COLOURS)], **LINES[part.style]}
    via = () if part.via is None else (part.via,)
    codes = (Path.MOVETO, *((Path.CURVE3, Path.CURVE3) if via else (Path.LINETO,)))
    way = Path([part.points[0], *via, part.points[1]], codes)
    drawn = FancyArrowPatch(path=way, arrowstyle=style, shrinkA=0, shrinkB=0, mutation_scale=1, zorder=order)
    drawn.set(**look)
    axes.add_artist(drawn)


def bars(axes: Axes, part: Bars, order: int) -> None:
    """Draw bars of one colour."""
    from matplotlib.patches import Rectangle

    for x, y, width, height in part.boxes:
        box = Rectangle((x, y), width, height, facecolor=COLOURS[part.chunk % len(COLOURS)], linewidth=0)
        axes.add_artist(box).set_zorder(order)


def words(axes: Axes, part: Words, order: int) -> None:
    """Write a text; a tag on white, with a border; a rank in its circle."""
    if part.style in DISCS:
        from matplotlib.patches import Circle

        axes.add_artist(Circle((part.x, part.y), DISC / 2, **DISCS[part.style])).set_zorder(order)
    aside = {"begins": ASIDE, "ends": -ASIDE}.get(part.style, 0.0)
    box: Any = None
    if part.style in ("tag", "fault"):
        edge, ground = (COLOURS[part.chunk % len(COLOURS)], PAPER) if part.style == "tag" else (RED, RED)
        box = {"boxstyle": "round,pad=0.2", "facecolor": ground, "edgecolor": edge, "linewidth": 0.6}
    axes.text(part.x + aside, part.y, part.text, va="center_baseline", bbox=box, zorder=order, **TEXTS[part.style])
