"""The strokes of SVG pictures: where lifelines stand, and arrows between them with heads and labels.

The colours are ones that colour-blind people tell apart.  Every arrow is one ``<g class="message"
data-step data-src data-dst data-chunk>``; where it differs from the page, a second class says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from sparring.present.spacetime.history import Arrow, Hop, Look

MOST = 16  # ranks at most; more arrows than that nobody tells apart
LEFT, RIGHT, TOP, BOTTOM = 140, 52, 108, 100  # margins
BAR, STEP = 20, 92  # height of a bar; distance from bars to bars, with the arrows between
INK, FAINT, RULE, PAPER, BAND = "#1b1f24", "#59636e", "#c3cad1", "#ffffff", "#f3f5f8"
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"
# Okabe and Ito, "Color Universal Design", 2008; yellow darker here, to stand out on white.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B3A000", "#4D4D4D")
RED = "#C4001A"  # for what is wrong, which is thicker and marked by a sign as well

Point = tuple[float, float]


class Pen(NamedTuple):
    """The pen of an arrow: the name of its head, its colour, its dashes, its width in pixels."""

    head: str
    colour: str
    dash: str = ""
    width: float = 2


class Place(NamedTuple):
    """The layout in pixels: ``cell`` is a chunk's width in a bar, ``pitch`` the distance between lifelines.

    ``ranks`` have a lifeline, from left to right; ``first`` of the ``steps`` is the uppermost.
    """

    ranks: Sequence[int]
    steps: int
    cell: int
    pitch: int
    first: int = 0
    cut: int | None = None
    """Into how many chunks a vector is cut, if not into as many as there are ranks."""

    @staticmethod
    def of(p: int, steps: int, cut: int | None = None) -> Place:
        """Return the layout of ``p`` ranks and so many steps."""
        cell = next(cell for most, cell in ((4, 18), (8, 11), (MOST, 7)) if p <= most)
        return Place(range(p), steps, cell, max(150, p * cell + 56), cut=cut)

    @property
    def p(self) -> int:
        """The number of ranks drawn."""
        return len(self.ranks)

    @property
    def chunks(self) -> int:
        """The number of chunks drawn."""
        return self.p if self.cut is None else self.cut

    def x(self, r: int) -> float:
        """Return the x of rank ``r``'s lifeline."""
        return self.across(self.ranks.index(r) + 0.5)

    def across(self, place: float) -> float:
        """Return the x that lies so many pitches from the left edge of the lifelines."""
        return LEFT + place * self.pitch

    def y(self, t: int) -> float:
        """Return the y of the top of the bars before step ``t``."""
        return TOP + (t - self.first) * STEP

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return LEFT + max(self.p, 2) * self.pitch + RIGHT, TOP + self.steps * STEP + BAR + BOTTOM


def add(parent: Element, tag: str, content: str = "", **attributes: str | float) -> Element:
    """Add a new element to ``parent`` and return it; ``_`` in the names of attributes stands for ``-``."""
    texts = {k.rstrip("_").replace("_", "-"): v if isinstance(v, str) else f"{v:.6g}" for k, v in attributes.items()}
    element = SubElement(parent, tag, texts)
    element.text = "".join(char for char in content if char.isprintable()) or None
    return element


def document(width: int, height: int, title: str, description: str) -> Element:
    """Return a blank sheet of so many pixels; ``title`` and ``description`` are for readers who do not see it."""
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"})
    root.attrib |= {"width": str(width), "height": str(height), "font-family": FONT, "font-size": "13", "fill": INK}
    add(root, "title", title)
    add(root, "desc", description)
    add(root, "rect", width=width, height=height, rx=8, fill=PAPER)
    return root


def head(defs: Element, name: str, colour: str, size: int = 11) -> None:
    """Define the head of arrows of one colour."""
    marker = add(defs, "marker", id=f"head{name}", viewBox="0 0 10 10", refX=9, refY=5, orient="auto")
    marker.attrib |= {"markerWidth": str(size), "markerHeight": str(size), "markerUnits": "userSpaceOnUse"}
    add(marker, "path", d="M0 1L10 5 0 9z", fill=colour)


def name(root: Element, place: Place, t: int, does: str = "") -> None:
    """Write the name of step ``t``, and what its messages do."""
    y = place.y(t) + BAR / 2 + STEP / 2
    add(root, "text", f"step {t}", x=24, y=y - 3, font_weight="bold")
    if does:
        add(root, "text", does, x=24, y=y + 13, fill=FAINT, font_size=12)


def lifelines(root: Element, place: Place) -> None:
    """Draw every rank's name, its chunks' numbers where they have room, and its line down the picture."""
    bottom = place.y(place.first + place.steps)
    for r in place.ranks:
        x = place.x(r)
        add(root, "text", f"rank {r}", x=x, y=TOP - 20, text_anchor="middle", font_weight="bold")
        add(root, "line", x1=x, x2=x, y1=TOP, y2=bottom, stroke=RULE, stroke_width=1.5)
        for c in range(place.chunks if place.cell > 10 else 0):
            at = x + (c + 0.5 - place.chunks / 2) * place.cell
            add(root, "text", str(c), x=at, y=TOP - 5, text_anchor="middle", font_size=10, fill=FAINT)


def edges(place: Place) -> Point:
    """Return the x of the two edges at which arrows that go round the picture leave and enter it."""
    return place.across(0), place.across(place.p)


def track(place: Place, one: Arrow) -> list[tuple[Point, Point]]:
    """Return the way of an arrow: one line, or two where the way round the edge of the picture is shorter."""
    top, bottom = place.y(one.t) + BAR + 4, place.y(one.t + 1) - 4
    a, b = place.x(one.src), place.x(one.dst)
    left, right = edges(place)
    if 2 * abs(a - b) <= right - left:
        return [((a, top), (b, bottom))]
    leaves, enters = (right, left) if b < a else (left, right)
    middle = top + (bottom - top) * abs(leaves - a) / (abs(leaves - a) + abs(b - enters))
    return [((a, top), (leaves, middle)), ((enters, middle), (b, bottom))]


def message(root: Element, place: Place, one: Arrow) -> None:
    """Draw one arrow, its label on its longest part; where it crosses the edge, the rank at its other end."""
    kind = "message" if isinstance(one, Hop) else f"message {one.look}"
    group = add(root, "g", class_=kind, data_step=one.t, data_src=one.src, data_dst=one.dst)
    if one.chunk is not None:
        group.set("data-chunk", one.label[1:] if isinstance(one, Hop) else str(one.chunk))
    add(group, "title", str(one))
    lines, drawn = track(place, one), pen(one)
    line(group, lines, drawn)
    for start, end in lines:
        for (x, y), words in (start, f"from {one.src}"), (end, f"to {one.dst}"):
            if x in edges(place):
                away = 1 if x > place.across(0) else -1
                anchor = "start" if away > 0 else "end"
                add(group, "text", words, x=x + 6 * away, y=y + 4, text_anchor=anchor, font_size=11, fill=FAINT)
    (x0, y0), (x1, y1) = max(lines, key=lambda ends: abs(ends[1][0] - ends[0][0]))
    along = 0.3 if len(lines) == 1 else 0.6  # away from the middle, where exchanges cross
    tag(group, x0 + along * (x1 - x0), y0 + along * (y1 - y0), one.label, drawn)


def pen(one: Arrow) -> Pen:
    """Return the pen of an arrow: in its chunk's colour, dashed if the receiver overwrites, red if it is wrong."""
    if one.look.differs:
        return Pen("-wrong", RED, "2 6" if one.look is Look.MISSING else "", 4)
    if one.chunk is None:
        return Pen("-other", FAINT)
    i = one.chunk % len(COLOURS)
    return Pen(str(i), COLOURS[i], "7 5" if one.adds is False else "", 4 if one.look is Look.EXPECTED else 2)


def line(group: Element, lines: list[tuple[Point, Point]], pen: Pen) -> None:
    """Draw the line of an arrow, in one or more pieces, with its head."""
    d = "".join(f"M{x0:g} {y0:.5g}L{x1:g} {y1:.5g}" for (x0, y0), (x1, y1) in lines)
    path = add(group, "path", d=d, fill="none", stroke=pen.colour, stroke_width=pen.width)
    path.set("marker-end", f"url(#head{pen.head})")
    if pen.dash:
        path.set("stroke-dasharray", pen.dash)


def tag(group: Element, x: float, y: float, words: str, pen: Pen) -> None:
    """Draw a label with a border around it, filled where the pen is red."""
    wide, fill, ink = 12 + 8 * len(words), *((RED, PAPER) if pen.colour == RED else (PAPER, ""))
    box = add(group, "rect", x=x - wide / 2, y=y - 9, width=wide, height=18, rx=9)
    box.attrib |= {"fill": fill, "stroke": pen.colour, "stroke-width": "1.5"}
    text = add(group, "text", words, x=x, y=y + 4.5, text_anchor="middle", font_size=12, font_weight="bold")
    if ink:
        text.set("fill", ink)


def key(root: Element, y: float, pen: Pen, words: str, meaning: str) -> None:
    """Draw a line of the legend: an arrow and what it means."""
    line(root, [((24, y - 4), (96, y - 4))], pen)
    tag(root, 56, y - 4, words, pen)
    add(root, "text", meaning, x=112, y=y, fill=FAINT)
