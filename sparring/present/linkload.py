"""A run on a topology: messages from rank to rank, step by step, and beside them how many each link carries.

Time runs down.  On the left a message is drawn darker and thicker the more messages share the fullest
link of its way in that step; on the right a row for each step and a column for each link have these
numbers.  Nothing is said by colour alone: widths differ, and the numbers stand in the cells.

Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.present.crossing import check, write_picture
from sparring.present.growth import GREY, INK, settings
from sparring.proofs.contention.networks import Topology, edge
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.spec.core.model import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST, MESSAGES, LINKS = 32, 1024, 64  # ranks, messages, and links at most: more of them nobody tells apart
MANY = 8  # messages on a link: where the most are fewer, the darkest is not reached
TALLEST = 40  # inches, of a long run
MAP = "cividis_r"
"""From yellow to dark blue; readers who do not see all colours see it alike, and in grey it only darkens."""
PALEST = 0.3  # of it, where it begins: paler lines are lost on white

Pixels = tuple[tuple[float, float], tuple[float, float]]


class Message(NamedTuple):
    """A message, and the most messages of its step that one link of its way carries."""

    t: int
    src: int
    dst: int
    load: int


class Loads(NamedTuple):
    """A run, as it is drawn."""

    title: str
    p: int
    messages: Sequence[Message]
    links: Sequence[str]
    """In print; those that are shown."""
    used: int
    """How many links there are messages on."""
    table: NDArray[np.int64]
    """Of shape (steps, links): how many messages of a step a link carries."""

    most: int
    """The most messages of one step on one link."""


def loads(page: Page, topology: Topology, p: int) -> Loads:
    """Return the loads that ``p`` ranks put onto the links of a topology.

    Of more than LINKS links those are shown that carry the most.  Raises InputError unless there are 2
    to MOST ranks and at most MESSAGES messages, ScheduleFault where the page makes no schedule.
    """
    if not 2 <= p <= MOST:
        raise InputError(f"no legible picture of messages between {p} ranks; right: 2 to {MOST}")
    routed = Routed(Traffic.of(page, p), topology)
    if len(routed.keys) > MESSAGES:
        few = f"right: at most {MESSAGES}, as fewer ranks have"
        raise InputError(f"no legible picture of {len(routed.keys)} messages between {p} ranks; {few}")
    table = np.array([routed.loads(t) for t in range(len(routed.ids))])
    fullest = np.lexsort((-table.sum(axis=0), -table.max(axis=0)))[:LINKS]
    shown = sorted(fullest, key=lambda link: [in_order(str(end)) for end in routed.links[link]])
    name = topology.name.replace("_", " ")
    return Loads(
        f"{page.title}, {p} ranks on {name}",
        p,
        list(messages(routed, table)),
        [edge(routed.links[link]) for link in shown],
        len(routed.links),
        table[:, shown],
        routed.load,
    )


def in_order(name: str) -> list[tuple[str, int]]:
    """Return a key that sorts names of nodes, their numbers as numbers.

    >>> sorted(["switch 1.10", "switch 1.2", "10", "9"], key=in_order)
    ['9', '10', 'switch 1.2', 'switch 1.10']
    """
    return [(word, int(digits or 0)) for word, digits in re.findall(r"(\D*)(\d*)", name)]


def messages(routed: Routed, table: NDArray[np.int64]) -> Iterator[Message]:
    """Yield all messages, each with the load of the fullest link of its way."""
    for t, ids in enumerate(routed.ids):
        which, link = routed.ways.of_all(ids)
        most = np.zeros(len(ids), np.int64)
        np.maximum.at(most, which, table[t][link])
        for (src, dst), load in zip(routed.pairs[ids].tolist(), most.tolist()):
            yield Message(t, src, dst, load)


def figure(found: Loads) -> Figure:
    """Return the picture as matplotlib's figure; raises MissingExtra without matplotlib."""
    steps, links = found.table.shape
    with settings():
        from matplotlib.figure import Figure

        left, right = max(3.4, 0.36 * found.p + 0.6), max(2.2, (0.19 if links > 20 else 0.27) * links + 0.5)
        each = 0.42 if steps > 12 else 0.75 * max(1, found.p / 14)
        tall = min(TALLEST, max(2.4, steps * each) + 1.7)
        sheet = Figure((left + right, tall), layout="constrained")
        space, heat = sheet.subplots(1, 2, sharey=True, width_ratios=(left, right))
        lines(space, found)
        cells(heat, found)
        sheet.suptitle(found.title, fontsize=12, x=0.01, ha="left", color=INK)
        sheet.supxlabel(count_links(found), fontsize=8.5, color=INK)
        return sheet


def save(found: Loads, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(found), file)


def lines(axes: Axes, found: Loads) -> None:
    """Draw lifelines, and the messages between them, in two pieces where they go round the edge."""
    steps = len(found.table)
    for rank in range(found.p):
        axes.plot([rank, rank], [0, steps], color="#C3CAD1", linewidth=1, zorder=1)
    for t in range(steps + 1):
        axes.plot(range(found.p), [t] * found.p, color=GREY, linestyle="", marker="o", markersize=3, zorder=3)
    for one in sorted(found.messages, key=lambda one: one.load):
        arrow(axes, one, found)
    axes.set(xlim=(-0.75, found.p - 0.25), ylim=(steps + 0.06, -0.06))
    axes.set_xticks(range(found.p))
    axes.set_yticks([t + 0.5 for t in range(steps)], [f"step {t}" for t in range(steps)])
    axes.xaxis.set_ticks_position("top")
    axes.tick_params(length=0, labelsize=8 if found.p <= 20 else 6.5)
    axes.set_title("messages between ranks", fontsize=9.5, pad=18)
    axes.spines[:].set_visible(False)
    key(axes, found)


def arrow(axes: Axes, one: Message, found: Loads) -> None:
    """Draw one message, on top of those with smaller loads."""
    from matplotlib.patches import FancyArrowPatch

    shade, thick = colour(one.load, found.most), width(one.load, found)
    pieces = way(one, found.p)
    for start, end in pieces:
        style = "-|>" if end == pieces[-1][1] else "-"
        piece = FancyArrowPatch(start, end, arrowstyle=style, shrinkA=0, shrinkB=0, mutation_scale=6 + 2 * thick)
        piece.set(color=shade, linewidth=thick, zorder=2 + one.load / (1 + found.most), in_layout=False)
        axes.add_artist(piece)


def way(one: Message, p: int) -> list[Pixels]:
    """Return the pieces of an arrow, from top to bottom: two round the edge if it spans more than half of the ranks."""
    top, bottom, far = one.t + 0.07, one.t + 0.93, one.dst - one.src
    if 2 * abs(far) <= p:
        return [((one.src, top), (one.dst, bottom))]
    round_ = p if far < 0 else -p
    edge_ = p - 0.4 if far < 0 else -0.6
    share = (edge_ - one.src) / (far + round_)
    middle = top + (bottom - top) * share
    return [((one.src, top), (edge_, middle)), ((edge_ - round_, middle), (one.dst, bottom))]


def key(axes: Axes, found: Loads) -> None:
    """Draw the legend of the lines: all loads, or six of many."""
    from matplotlib.lines import Line2D

    there = sorted({one.load for one in found.messages})
    some = there if len(there) <= 6 else [there[i * (len(there) - 1) // 5] for i in range(6)]
    handles = [
        Line2D([], [], color=colour(load, found.most), linewidth=width(load, found), label=str(load)) for load in some
    ]
    axes.legend(
        handles=handles, title="messages on the fullest link of the way", loc="upper left", bbox_to_anchor=(0, -0.01),
        ncols=len(some), frameon=False, fontsize=8.5, title_fontsize=8.5, alignment="left", handlelength=2.2,
    )  # fmt: skip


def cells(axes: Axes, found: Loads) -> None:
    """Draw the table, a cell for each step and link, and at its right the most of each step."""
    links = len(found.links)
    size = 8 if links <= 32 else 6.5
    for t, row in enumerate(found.table.tolist()):
        for i, load in enumerate(row):
            if load:
                shade: Any = colour(load, found.most)
                axes.add_artist(box(i, t, shade))
                number = axes.text(i + 0.5, t + 0.5, str(load), ha="center", va="center", color=ink(shade))
                number.set(fontsize=size, in_layout=False)
        most = f"most: {max(row, default=0)}"
        axes.text(links + 0.3, t + 0.5, most, va="center", fontsize=8.5, fontweight="bold")
    axes.set_xlim(0, links)
    axes.set_xticks([i + 0.5 for i in range(links)], found.links, rotation=90)
    axes.xaxis.set_ticks_position("top")
    axes.tick_params(length=0, labelsize=size - 0.5)
    axes.set_title("messages on each link", fontsize=9.5)
    axes.spines[:].set_visible(False)


def box(i: int, t: int, shade: Any) -> Any:
    """Return one cell as a rectangle."""
    from matplotlib.patches import Rectangle

    return Rectangle((i + 0.03, t + 0.12), 0.94, 0.76, facecolor=shade, edgecolor="#FFFFFF", linewidth=0.5)


def load_fraction(load: int, most: int) -> float:
    """Return a load on a logarithmic scale from 0, for one message, to 1, for ``most`` or MANY, whichever is more."""
    return float(np.log2(load) / np.log2(max(most, MANY)))


def colour(load: int, most: int) -> Any:
    """Return the colour of a load: the more messages, the darker."""
    from matplotlib import colormaps

    return colormaps[MAP](PALEST + (1 - PALEST) * load_fraction(load, most))


def ink(shade: Sequence[float]) -> str:
    """Return the colour of the number in a cell of the colour ``shade``."""
    red, green, blue = shade[:3]
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#FFFFFF"


def width(load: int, found: Loads) -> float:
    """Return the width of a line, in points: thicker for more messages, thinner in pictures of many ranks."""
    return (1.2 + 2.4 * load_fraction(load, found.most)) * min(1.0, max(0.7, 12 / found.p))


def count_links(found: Loads) -> str:
    """Return a sentence on the number of links with messages, and on those that are not shown."""
    all_ = f"{found.used} links carry messages, at most {found.most} of one step"
    return all_ if len(found.links) == found.used else f"{all_}; shown are the {len(found.links)} that carry the most"
