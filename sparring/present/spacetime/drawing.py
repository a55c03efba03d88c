"""The space-time picture as SVG: lifelines, arrows between them, and the copies as bars that fill up.

It has a light background of its own and colours that colour-blind people tell apart, and says
nothing by colour alone.  Every message is one ``<g class="message" data-step data-src data-dst
data-chunk>``, every rank's copies after a step one ``<g class="cells" data-rank data-after>``.
"""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sparring.errors import InputError
from sparring.present.spacetime.history import Held, Hop, cells, count, moments, share
from sparring.spec.core.model import Page

MOST = 16  # ranks at most; more arrows than that nobody tells apart
LEFT, RIGHT, TOP, BOTTOM = 140, 52, 108, 100  # margins
BAR, STEP = 20, 92  # height of a bar; distance from bars to bars, with the arrows between
INK, FAINT, RULE, PAPER, BAND = "#1b1f24", "#59636e", "#c3cad1", "#ffffff", "#f3f5f8"
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"
# Okabe and Ito, "Color Universal Design", 2008; yellow darker here, to stand out on white.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B3A000", "#4D4D4D")

Point = tuple[float, float]


class Place(NamedTuple):
    """Where things stand, in pixels: ``cell`` is a chunk's width in a bar, ``pitch`` from lifeline to lifeline."""

    p: int
    steps: int
    cell: int
    pitch: int

    @staticmethod
    def of(p: int, steps: int) -> Place:
        """The place that ``p`` ranks and so many steps take."""
        cell = next(cell for most, cell in ((4, 18), (8, 11), (MOST, 7)) if p <= most)
        return Place(p, steps, cell, max(150, p * cell + 56))

    def x(self, r: float) -> float:
        """Rank ``r``'s lifeline."""
        return LEFT + (r + 0.5) * self.pitch

    def y(self, t: int) -> float:
        """The top of the bars before step ``t``."""
        return TOP + t * STEP

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return LEFT + max(self.p, 2) * self.pitch + RIGHT, TOP + self.steps * STEP + BAR + BOTTOM


def svg(page: Page, ranks: int) -> str:
    """The run of ``page`` at ``ranks`` ranks, as an SVG document.

    Raises ScheduleFault where the formulas make no schedule, InputError unless there are 1 to 16 ranks.
    """
    if not 1 <= ranks <= MOST:
        raise InputError(f"no legible picture of {ranks} ranks; right: 1 to {MOST}")
    run = list(moments(page, ranks))
    states = [cells(page.start, ranks), *(moment.cells for moment in run)]
    place, wanted = Place.of(ranks, len(run)), cells(page.goal, ranks)
    root = sheet(page, place)
    for moment in run:
        label(root, place, moment.hops[0])
    lifelines(root, place)
    for moment in run:
        for hop in moment.hops:
            message(root, place, hop)
    for after, state in enumerate(states):
        for r in range(ranks):
            bars(root, place, r, after - 1, state[r], wanted[r])
    if run:
        legend(root, place, [moment.hops[0] for moment in run])
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def add(parent: Element, tag: str, content: str = "", **attributes: str | float) -> Element:
    """A new element in ``parent``; ``_`` in the names of attributes stands for ``-``."""
    texts = {k.rstrip("_").replace("_", "-"): v if isinstance(v, str) else f"{v:.6g}" for k, v in attributes.items()}
    element = SubElement(parent, tag, texts)
    element.text = "".join(char for char in content if char.isprintable()) or None
    return element


def sheet(page: Page, place: Place) -> Element:
    """The empty picture: what it is, in words and as a heading, and what its arrows and bars are made of."""
    width, height = place.size
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"})
    root.attrib |= {"width": str(width), "height": str(height), "font-family": FONT, "font-size": "13", "fill": INK}
    name = f"{page.title} at {count(place.p, 'rank')}"
    steps = f"{count(place.steps, 'step')}, time runs down" if place.steps else "no step: nothing is sent"
    add(root, "title", name)
    add(root, "desc", f"Space-time diagram of {page.name}: {steps}; every rank sends one chunk in each step.")
    add(root, "rect", width=width, height=height, rx=8, fill=PAPER)
    add(root, "text", name[: width // 11], x=24, y=36, font_size=18, font_weight="bold")
    add(root, "text", steps, x=24, y=57, fill=FAINT)
    definitions(add(root, "defs"), place)
    return root


def definitions(defs: Element, place: Place) -> None:
    """The heads of arrows, one a colour, and a bar of complete chunks."""
    for i, colour in enumerate(COLOURS[: place.p]):
        head = add(defs, "marker", id=f"head{i}", viewBox="0 0 10 10", refX=9, refY=5, orient="auto")
        head.attrib |= {"markerWidth": "11", "markerHeight": "11", "markerUnits": "userSpaceOnUse"}
        add(head, "path", d="M0 1L10 5 0 9z", fill=colour)
    full = add(defs, "g", id=f"bar{place.p}")
    for c in range(place.p):
        add(full, "rect", x=c * place.cell, width=place.cell - 1, height=BAR, fill=COLOURS[c % len(COLOURS)])


def label(root: Element, place: Place, hop: Hop) -> None:
    """The name of a step and what its messages do, on a band where they overwrite."""
    y = place.y(hop.t) + BAR / 2
    if not hop.adds:
        add(root, "rect", y=y, width=place.size[0], height=STEP, fill=BAND)
    add(root, "text", f"step {hop.t}", x=24, y=y + STEP / 2 - 3, font_weight="bold")
    add(root, "text", "adds" if hop.adds else "overwrites", x=24, y=y + STEP / 2 + 13, fill=FAINT, font_size=12)


def lifelines(root: Element, place: Place) -> None:
    """Every rank's name, its chunks' numbers where they have room, and its line down the picture."""
    for r in range(place.p):
        x = place.x(r)
        add(root, "text", f"rank {r}", x=x, y=TOP - 20, text_anchor="middle", font_weight="bold")
        add(root, "line", x1=x, x2=x, y1=TOP, y2=place.y(place.steps), stroke=RULE, stroke_width=1.5)
        for c in range(place.p if place.p <= 8 else 0):
            at = x + (c + 0.5 - place.p / 2) * place.cell
            add(root, "text", str(c), x=at, y=TOP - 5, text_anchor="middle", font_size=10, fill=FAINT)


def bars(root: Element, place: Place, r: int, after: int, held: list[Held], wanted: list[Held]) -> None:
    """Rank ``r``'s copies after a step (-1: at the start): a whole bar, and blank on it what is still missing."""
    x, y, width = place.x(r) - place.p * place.cell / 2, place.y(after + 1), place.p * place.cell
    group = add(root, "g", class_="cells", data_rank=r, data_after=after, transform=f"translate({x:g} {y:g})")
    add(group, "title", f"rank {r}, {f'after step {after}' if after >= 0 else 'at the start'}: {contents(held)}")
    add(group, "rect", x=-3, y=-3, width=width + 5, height=BAR + 6, rx=3, fill=PAPER, stroke=RULE)
    add(group, "use", href=f"#bar{place.p}")
    missing = ((c, BAR * (1 - share(*pair))) for c, pair in enumerate(zip(held, wanted, strict=True)))
    blank = "".join(f"M{c * place.cell} 0h{place.cell - 1}v{tall:.3g}h{1 - place.cell}z" for c, tall in missing if tall)
    if blank:
        add(group, "path", d=blank, fill="#e8ebef")


def contents(held: list[Held]) -> str:
    """Whose contributions each chunk holds, in words."""
    return "; ".join(f"chunk {c} of {', '.join(map(str, sorted(ranks))) or 'nobody'}" for c, ranks in enumerate(held))


def track(place: Place, hop: Hop) -> list[tuple[Point, Point]]:
    """The way of a message: one line, or two where round the edge of the picture is shorter."""
    top, bottom = place.y(hop.t) + BAR + 4, place.y(hop.t + 1) - 4
    a, b = place.x(hop.src), place.x(hop.dst)
    if 2 * abs(hop.src - hop.dst) <= place.p:
        return [((a, top), (b, bottom))]
    left, right = place.x(-0.5), place.x(place.p - 0.5)
    leaves, enters = (right, left) if hop.dst < hop.src else (left, right)
    middle = top + (bottom - top) * abs(leaves - a) / (abs(leaves - a) + abs(b - enters))
    return [((a, top), (leaves, middle)), ((enters, middle), (b, bottom))]


def message(root: Element, place: Place, hop: Hop) -> None:
    """One arrow: solid where the receiver adds, dashed where it overwrites; its label on its longest part."""
    group = add(root, "g", class_="message", data_step=hop.t, data_src=hop.src, data_dst=hop.dst, data_chunk=hop.chunk)
    add(group, "title", str(hop))
    lines, i = track(place, hop), hop.chunk % len(COLOURS)
    line(group, lines, i, hop.adds)
    if len(lines) == 2:
        (_, leaves), (enters, _) = lines
        for (x, y), words in (leaves, f"to {hop.dst}"), (enters, f"from {hop.src}"):
            away = 1 if x > place.x(0) else -1
            anchor = "start" if away > 0 else "end"
            add(group, "text", words, x=x + 6 * away, y=y + 4, text_anchor=anchor, font_size=11, fill=FAINT)
    (x0, y0), (x1, y1) = max(lines, key=lambda ends: abs(ends[1][0] - ends[0][0]))
    along = 0.3 if len(lines) == 1 else 0.6  # away from the middle, where exchanges cross
    tag(group, x0 + along * (x1 - x0), y0 + along * (y1 - y0), hop.label, COLOURS[i])


def line(group: Element, lines: list[tuple[Point, Point]], colour: int, adds: bool) -> None:
    """The line of an arrow, in as many pieces as it has, with its head."""
    d = "".join(f"M{x0:g} {y0:.5g}L{x1:g} {y1:.5g}" for (x0, y0), (x1, y1) in lines)
    path = add(group, "path", d=d, fill="none", stroke=COLOURS[colour], stroke_width=2)
    path.set("marker-end", f"url(#head{colour})")
    if not adds:
        path.set("stroke-dasharray", "7 5")


def tag(group: Element, x: float, y: float, words: str, colour: str) -> None:
    """A label with a border around it."""
    wide = 12 + 8 * len(words)
    box = add(group, "rect", x=x - wide / 2, y=y - 9, width=wide, height=18, rx=9)
    box.attrib |= {"fill": PAPER, "stroke": colour, "stroke-width": "1.5"}
    add(group, "text", words, x=x, y=y + 4.5, text_anchor="middle", font_size=12, font_weight="bold")


def legend(root: Element, place: Place, hops: list[Hop]) -> None:
    """How to read it: the kinds of arrow that occur, and the bars."""
    y = place.y(place.steps) + BAR + 32
    for adds, does in (True, "the receiver adds the chunk to its copy"), (False, "the receiver overwrites its copy"):
        if hop := next((hop for hop in hops if hop.adds is adds), None):
            line(root, [((24, y - 4), (96, y - 4))], 0, adds)
            tag(root, 56, y - 4, hop.label[0], COLOURS[0])
            add(root, "text", does, x=112, y=y, fill=FAINT)
            y += 24
    for i, tall in enumerate((5, 10, 20)):
        add(root, "rect", x=24 + 20 * i, y=y - tall + 4, width=17, height=tall, fill=COLOURS[i])
    add(root, "text", f"how much of the sum of {count(place.p, 'rank')} a copy holds", x=112, y=y, fill=FAINT)
