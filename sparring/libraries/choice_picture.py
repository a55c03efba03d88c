"""Draws which pages an MPI library chooses over ranks and lengths, and below, what its choice loses.

A region has the colour of its pages, and is hatched where derived costs choose others.  The lower panel has the
factors with their quartiles, and names the faster algorithm where a loss is sure.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from sparring.errors import InputError
from sparring.libraries.choice_audit import ChoiceAudit
from sparring.libraries.choices import Choice, Loss
from sparring.present.crossing import ALONG, check, write_picture
from sparring.present.growth import INK, PENS, settings
from sparring.present.phases import FILLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (*(colour for colour, _ in FILLS), "#B4DDF5", "#F5D08A", "#8CD3BC", "#E6BFD5", "#B8B8B8", "#EFAE85")
"""Okabe and Ito's palette, then pale ones.  Where there are more pages, colours come again: names tell them apart."""
HATCH, WIDTH, LETTERS = "////", 7.6, 110
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
FACTORS = (0.25, 0.5, 0.8, 1, 1.25, 1.5, 2, 3, 5, 8)
FACTOR = "own choice / fastest"


class Run(NamedTuple):
    """A stretch of lengths on ``ranks`` ranks with one label; ``first`` and ``last`` are columns."""

    ranks: int
    first: int
    last: int
    label: str
    otherwise: bool


def save(found: ChoiceAudit, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(found), file)


def figure(found: ChoiceAudit) -> Figure:
    """Return the picture as matplotlib's figure.

    Raises MissingExtra without matplotlib, InputError if there is nothing to draw.
    """
    labels = dict.fromkeys(one.label for one in found.choices)
    panels = [name for name, some in (("choices", found.choices), ("losses", found.losses)) if some]
    if not panels:
        raise InputError(f"{found.library} tells no messages, and no times were taken: there is nothing to draw")
    with settings():
        from matplotlib.figure import Figure

        sheet = Figure((WIDTH, 0.8 + 2.9 * len(panels)), layout="constrained")
        places = sheet.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for name, axes in zip(panels, places):
            if name == "choices":
                draw_choices(axes, found, dict(zip(labels, cycle(COLOURS))))
            else:
                draw_losses(axes, found)
        places[0].set_title(f"{found.collective} of {found.library}, left to choose")
        places[-1].set_xlabel(ALONG["n"])
        label_sizes(places[-1], found.sizes)
        told = [line for sentence in caption(found) for line in wrap(sentence, LETTERS)]
        sheet.supxlabel("\n".join(told), fontsize=8.5, color=INK)
        return sheet


def runs(choices: Sequence[Choice], sizes: Sequence[int]) -> list[Run]:
    """Return each row of the grid in stretches; a length that is refused belongs to none."""
    places = [(one, sizes.index(one.size)) for one in choices]
    keyed = groupby(
        enumerate(places), lambda at: (at[1][0].ranks, at[1][0].label, at[1][0].otherwise, at[1][1] - at[0])
    )
    found = []
    for (ranks, label, otherwise, _), some in keyed:
        columns = [column for _, (_, column) in some]
        found.append(Run(ranks, columns[0], columns[-1], label, otherwise))
    return found


def draw_choices(axes: Axes, found: ChoiceAudit, colours: Mapping[str, str]) -> None:
    """Draw the grid: a row a number of ranks, a column a length."""
    from matplotlib.patches import Rectangle

    rows = list(dict.fromkeys(one.ranks for one in found.choices))
    stretches = runs(found.choices, found.sizes)
    for run in stretches:
        corner, width = (run.first - 0.5, rows.index(run.ranks) - 0.5), run.last - run.first + 1
        hatch = HATCH if run.otherwise else ""
        axes.add_patch(
            Rectangle(corner, width, 1, facecolor=colours[run.label], edgecolor=INK, linewidth=0.8, hatch=hatch)
        )
    for label in colours:
        name_region(axes, [run for run in stretches if run.label == label], rows)
    axes.set(ylim=(-0.5, len(rows) - 0.5), ylabel=ALONG["p"])
    axes.set_yticks(range(len(rows)), [str(p) for p in rows])


def name_region(axes: Axes, stretches: Sequence[Run], rows: Sequence[int]) -> None:
    """Write a label into the longest stretch that has it; of several, the one in the middle."""
    longest = max(run.last - run.first for run in stretches)
    some = [run for run in stretches if run.last - run.first == longest]
    run = some[len(some) // 2]
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.88}
    axes.text(
        (run.first + run.last) / 2, rows.index(run.ranks), run.label, ha="center", va="center", color=INK, fontsize=9,
        bbox=box,
    )  # fmt: skip


def draw_losses(axes: Axes, found: ChoiceAudit) -> None:
    """Draw the factors, a curve a number of ranks, and the names of what is faster for sure."""
    axes.axhline(1, color=INK, linewidth=0.8)
    named = ""
    for (p, some), (colour, marker) in zip(groupby(found.losses, key=lambda loss: loss.ranks), PENS):
        curve = [*some]
        xs = [found.sizes.index(loss.size) for loss in curve]
        middles = [loss.factor[1] for loss in curve]
        below = [loss.factor[1] - loss.factor[0] for loss in curve]
        above = [loss.factor[2] - loss.factor[1] for loss in curve]
        axes.errorbar(
            xs, middles, (below, above), color=colour, marker=marker, markersize=4, linewidth=1.2, elinewidth=0.9,
            capsize=2, label=f"p = {p}",
        )  # fmt: skip
        for x, loss in zip(xs, curve):
            named = name_faster(axes, x, loss, named)
    axes.set_yscale("log")
    axes.set_ylabel(FACTOR)
    label_factors(axes)
    axes.legend(frameon=False, labelcolor=INK)


def name_faster(axes: Axes, x: int, loss: Loss, before: str) -> str:
    """Write which algorithm is faster where a loss is sure, unless the last name was the same; return the last name."""
    if not loss.sure or loss.best == before:
        return before if loss.sure else ""
    axes.annotate(
        loss.best, (x, loss.factor[1]), (4, 6), textcoords="offset points", rotation=35, fontsize=8, color=INK
    ).set_in_layout(False)
    return loss.best


def label_factors(axes: Axes) -> None:
    """Write factors as plain numbers, and cut bars off that leave a sensible range."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = axes.get_ylim()
    axes.set_ylim(max(low, FACTORS[0]), min(high, FACTORS[-1]))
    axes.yaxis.set_major_locator(FixedLocator(FACTORS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def label_sizes(axes: Axes, sizes: Sequence[int]) -> None:
    """Write every other length below its column, powers of two as such."""
    columns = range(0, len(sizes), 2 if len(sizes) > 8 else 1)
    axes.set_xticks(columns, [size(sizes[i]) for i in columns])
    axes.set_xlim(-0.5, len(sizes) - 0.5)


def size(n: int) -> str:
    """Write a length, a power of two as such.

    >>> size(1), size(1024), size(1000)
    ('2⁰', '2¹⁰', '1000')
    """
    return f"2{str(n.bit_length() - 1).translate(RAISED)}" if n.bit_count() == 1 else str(n)


def caption(found: ChoiceAudit) -> list[str]:
    """Return sentences on what hatches and factors mean."""
    hatched = "hatched: derived costs choose other pages, by more than 5 %"
    timed = "factors: medians and quartiles over launches; named: what is faster, but for one chance in 100"
    return [sentence for sentence, shown in ((hatched, found.choices), (timed, found.losses)) if shown]
