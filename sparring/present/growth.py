"""Union growth as curves: what was measured, between the models; a panel a density.

Panels are given by title, and in each the measures by name: ``{"1 %": {"at the start": growth}}``.
Up the axis goes the union in percent of the vector, along it the number of ranks that are joined.
A measure is a line through the means with a marker of its own, and a band from least to largest;
models are dashed or dotted.  Names stand beside the curves, and nothing is said by colour alone.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sparring.errors import InputError, MissingExtra
from sparring.support_growth import Growth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panels: TypeAlias = Mapping[str, Mapping[str, Growth]]

INK, GREY = "#222222", "#555555"
PENS = (("#0072B2", "o"), ("#E69F00", "s"), ("#D55E00", "^"), ("#009E73", "D"))
"""A colour of Okabe and Ito's palette and a marker for each measure; in grey they differ in lightness."""
DASHES = {"disjoint": (0, (6, 2)), "independent": (0, (3, 2)), "identical": (0, (1, 2))}
STYLE: Any = {  # matplotlib's types name every setting, and each release has its own
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.titlesize": 11,
    "figure.constrained_layout.h_pad": 0.09,
    "font.size": 9.5,
    "pdf.fonttype": 42,  # TrueType: publishers refuse the default, type 3
    "svg.hashsalt": "sparring",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
}
XLABEL = "neighbouring ranks that are joined (line: mean over the ranks that may be first; band: least to largest)"
YLABEL = "union of their supports, % of the vector"
COLUMNS, WIDTH, HEIGHT = 2, 4.6, 3.4  # panels side by side; inches a panel
GAP = 0.062  # between the lines of text at the curves' ends, as a share of the axis


class End(NamedTuple):
    """The right end of a curve: its height, its name, and the colours of the line and of the name."""

    height: float
    name: str
    colour: str
    ink: str


def figure(panels: Panels) -> Figure:
    """Return the curves as matplotlib's figure.

    Raises MissingExtra without matplotlib, InputError for no panel, and for a panel without measures,
    with too many to tell apart, or with measures not of one ``n``, one mean ``k`` and as many ranks.
    """
    if not panels:
        raise InputError("there is no panel to draw: right is at least one, with its measures by name")
    for title, curves in panels.items():
        check(title, curves)
    with settings():
        from matplotlib.figure import Figure

        columns = min(COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        sheet = Figure((WIDTH * columns, HEIGHT * rows), layout="constrained")
        for place, (title, curves) in enumerate(panels.items(), 1):
            draw(sheet.add_subplot(rows, columns, place), title, curves)
        sheet.supxlabel(XLABEL, fontsize=10)
        sheet.supylabel(YLABEL, fontsize=10)
        return sheet


def svg(panels: Panels) -> str:
    """Return the figure as an SVG document, the same whenever it is drawn; raises as :func:`figure`."""
    return saved(panels, "svg").decode()


def png(panels: Panels) -> bytes:
    """Return the figure as a PNG; raises as :func:`figure`."""
    return saved(panels, "png")


def saved(panels: Panels, form: str) -> bytes:
    """Return the figure in that format, without the day and the program that made it."""
    sheet, file = figure(panels), io.BytesIO()
    dated = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    with settings():
        sheet.savefig(file, format=form, dpi=150, metadata=dated[form])
    return file.getvalue()


@contextmanager
def settings() -> Iterator[None]:
    """Give matplotlib our settings instead of the user's for a while; raises MissingExtra without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra('curves need matplotlib; to install it: pip install "sparring[plots]"') from error
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def check(title: str, curves: Mapping[str, Growth]) -> None:
    """Raise InputError unless one panel can show these measures beside one set of models."""
    if not 1 <= len(curves) <= len(PENS):
        raise InputError(f"panel {title!r} has {len(curves)} measures: right is 1 to {len(PENS)}")
    (first, model), *others = ((name, (g.n, g.typical, g.ranks)) for name, g in curves.items())
    if model[0] == 0:
        raise InputError(f"panel {title!r}: {first!r} is of vectors without entries; there is nothing to draw")
    for name, found in others:
        if found != model:
            told = ", ".join(f"{letter}={a} and {b}" for letter, a, b in zip(("n", "k", "p"), model, found) if a != b)
            raise InputError(f"panel {title!r}: {first!r} and {name!r} have {told}; right is one for all")


def draw(axes: Axes, title: str, curves: Mapping[str, Growth]) -> None:
    """Draw one panel."""
    growth = next(iter(curves.values()))
    n, ranks = growth.n, range(1, growth.ranks + 1)
    ends = []
    for name, dashes in DASHES.items():
        sizes = percent(getattr(growth, name)(), n)
        axes.plot(ranks, sizes, color=GREY, linestyle=dashes, linewidth=1.1, label=name)
        ends.append(End(sizes[-1], name, GREY, GREY))
    for (name, measure), (colour, marker) in zip(curves.items(), PENS):
        low, middle, high = (percent(sizes, n) for sizes in (measure.low, measure.mean, measure.high))
        axes.fill_between(ranks, low, high, color=colour, alpha=0.25, linewidth=0, label=name)
        axes.plot(ranks, middle, color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=name)
        ends.append(End(middle[-1], name, colour, INK))
    frame(axes, title, growth.ranks)
    label(axes, growth.ranks, sorted(ends))


def percent(sizes: tuple[int, ...] | tuple[Fraction, ...], n: int) -> list[float]:
    """Return sizes as percent of ``n``."""
    return [float(100 * Fraction(size) / n) for size in sizes]


def frame(axes: Axes, title: str, p: int) -> None:
    """Set the axes: from 0 up, and along the ranks with room for the names at the right."""
    axes.set_title(title)
    axes.set_ylim(0, axes.get_ylim()[1])
    axes.set_xlim(1 - 0.03 * p, p + 0.42 * p)
    step = -(-p // 8)
    axes.set_xticks(range(1, p + 1) if step == 1 else range(step, p + 1, step))
    axes.spines["bottom"].set_bounds(1, p)


def label(axes: Axes, p: int, ends: Sequence[End]) -> None:
    """Write the names at the right ends of the curves, in their order and never upon each other."""
    heights = spread([end.height for end in ends], GAP * axes.get_ylim()[1])
    for end, height in zip(ends, heights):
        lead = {"arrowstyle": "-", "color": end.colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 4}
        axes.annotate(
            end.name, (p, end.height), (p + 0.07 * p, height), va="center", color=end.ink,
            arrowprops=lead | {"relpos": (0, 0.5)},
        )  # fmt: skip


def spread(heights: list[float], gap: float) -> list[float]:
    """Return ascending heights at least ``gap`` apart, moved as little as possible in the sum of squares.

    With ``gap`` a place subtracted, they need only ascend; runs that do not are replaced by their mean: isotonic
    regression by pooling adjacent violators.

    >>> spread([1, 1, 5], 1)
    [0.5, 1.5, 5]
    """
    pools: list[list[float]] = []
    for place, height in enumerate(heights):
        pools.append([height - place * gap])
        while len(pools) > 1 and mean(pools[-2]) > mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    level = [mean(pool) for pool in pools for _ in pool]
    return [height + place * gap for place, height in enumerate(level)]
