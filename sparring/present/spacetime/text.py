"""The space-time picture for a terminal, in characters; it reads as well without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil

from rich.text import Text

from sparring.errors import InputError
from sparring.present.spacetime.history import NOTHING, Arrow, Cells, Hop, Look, Moment, cells, count, moments, share
from sparring.spec.core.blocks import named
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

MARGIN = 8  # columns on the left, for "step 12 "
EDGE = 4  # columns on the right, for the numbers of ranks that are not drawn
PITCH = 20  # columns from rank to rank at most
MOST = 128  # ranks at most; to follow the contributions of more takes longer than a picture may
BARS = ((3, 1), (2, 1), (1, 1), (1, 0))  # width of a chunk's bar and of the gap beside it, best first
LEVELS = "·▁▂▃▄▅▆▇█"
ASCII = str.maketrans(LEVELS + "─═━╍│┼╪┿├╞┝┤╡┥▶◀↻" + NOTHING, ".12345678" + "-=#~|+|+||||||><@x")
STYLE = {
    Look.ADDS: "cyan", Look.OVERWRITES: "magenta", Look.EXPECTED: "bold", Look.OTHER: "",
    Look.WRONG: "bold red", Look.MISSING: "bold red",
}  # fmt: skip
RULES = {  # an arrow's line, where it leaves to the right, to the left, and where it crosses a lifeline
    Look.ADDS: "─├┤┼", Look.OVERWRITES: "═╞╡╪", Look.EXPECTED: "━┝┥┿", Look.OTHER: "─├┤┼",
    Look.WRONG: "━┝┥┿", Look.MISSING: "╍┝┥┿",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """The layout of the lines: the ``ranks`` drawn of all ``p``, from left to right, and the columns."""

    p: int
    ranks: Sequence[int]
    pitch: int
    width: int
    margin: int = MARGIN
    cut: int | None = None
    """Into how many chunks a vector is cut, if not into as many as there are ranks."""

    @staticmethod
    def fit(p: int, width: int, cut: int | None = None) -> Layout:
        """Return the layout with as many ranks as have room for a bar a chunk."""
        room, k = width - MARGIN, p
        if k * (k + 1) > room:
            k = max((k for k in range(1, p) if (2 * k + 1) * (k + 1) <= 2 * (room - EDGE)), default=1)
            return Layout(p, range(k), 2 * (room - EDGE) // (2 * k + 1), width, cut=cut)
        return Layout(p, range(k), min(room // k, PITCH), width, cut=cut)

    @property
    def k(self) -> int:
        """The number of ranks drawn."""
        return len(self.ranks)

    @property
    def chunks(self) -> int:
        """The number of chunks drawn."""
        return self.k if self.cut is None else min(self.cut, self.k)

    def place(self, r: int) -> int:
        """Return the index of rank ``r``'s lifeline; all ranks that are not drawn share the edge, ``k``."""
        return self.ranks.index(r) if r in self.ranks else self.k

    def centre(self, r: int) -> int:
        """Return the column of rank ``r``'s lifeline, or of the edge."""
        return self.margin + self.pitch * self.place(r) + self.pitch // 2

    @property
    def bar(self) -> tuple[int, int]:
        """The width of a chunk's bar and of the gap beside it."""
        return next((b for b in BARS if self.chunks * sum(b) - b[1] < self.pitch), BARS[-1])

    def cell(self, r: int, c: int) -> int:
        """Return the column at which the bar of rank ``r``'s chunk ``c`` begins."""
        wide, gap = self.bar
        return self.centre(r) - (self.chunks * (wide + gap) - gap) // 2 + c * (wide + gap)


class Line:
    """One line of characters, each with its style."""

    def __init__(self, width: int, label: str = "") -> None:
        self.chars = [(" ", "")] * width
        self.put(0, label)

    def put(self, x: int, text: str, style: str = "") -> None:
        """Write ``text`` from column ``x`` on; characters beyond the line are dropped."""
        for i, char in enumerate(text, x):
            if 0 <= i < len(self.chars):
                self.chars[i] = char, style

    def text(self) -> Text:
        """Return the line, without the blanks at its end."""
        line = Text.assemble(*self.chars)
        line.rstrip()
        return line


def terminal(page: Page, ranks: int, width: int = 80, *, ascii_only: bool = False) -> Text:
    """Return the run of ``page`` at ``ranks`` ranks as lines of at most ``width`` characters (40 or more).

    Where not all ranks have room, the first ones and their first steps are drawn, and a sentence
    says so.  ``ascii_only`` is for outputs that cannot encode arrows and bars.

    Raises ScheduleFault where the formulas make no schedule, InputError for no rank.
    """
    if ranks < 1:
        raise InputError(f"ranks = {ranks}; right: 1 or more")
    if ranks > MOST:
        return Text(f"No picture: {ranks} ranks are too many to draw; right: {MOST} or fewer.")
    layout, steps = Layout.fit(ranks, max(width, 40), number(page.chunks(ranks))), number(page.steps(ranks))
    drawn = list(islice(moments(page, ranks), steps if layout.k == ranks else layout.k))
    if not drawn:
        return Text(f"No picture: {page.name} sends nothing at {count(ranks, 'rank')}.")
    picture = Text("\n").join(lines(page, layout, drawn, steps))
    return Text(picture.plain.translate(ASCII)) if ascii_only else picture


def lines(page: Page, layout: Layout, drawn: list[Moment], steps: int) -> Iterator[Text]:
    """Yield the whole picture, line by line."""
    wanted, before = cells(page, page.goal, layout.p), cells(page, page.start, layout.p)
    yield from legend(layout, drawn)
    yield from heading(layout)
    yield state(layout, before, wanted, [], "start")
    for t, (hops, after) in enumerate(drawn):
        for i, lane in enumerate(lanes(layout, hops)):
            yield across(layout, lane, f"step {t}" if i == 0 else "")
        yield state(layout, after, wanted, hops, "end" if t == steps - 1 else "")
    if layout.k < layout.p:
        last = layout.k - 1
        yield Text(
            f"\nDrawn: ranks 0 to {last} of {layout.p}, their chunks 0 to {layout.chunks - 1}, "
            f"steps 0 to {last} of {steps}."
        )


def legend(layout: Layout, drawn: list[Moment]) -> Iterator[Text]:
    """Yield the legend: the kinds of arrow that occur, and the bars."""
    for adds, rule, does in (True, "─", "adds {} to its copy"), (False, "═", "overwrites its copy of {}"):
        if hop := next((hop for moment in drawn for hop in moment.hops if hop.adds is adds), None):
            arrow = f"{rule * 2}{hop.label}{rule * 2}▶"
            yield Text.assemble((f"{arrow:<10}", STYLE[hop.look]), "the receiver ", does.format(named(hop.chunks)))
    yield Text(f"{'▁▄█':<10}a bar a chunk: how much of the sum of {layout.p} ranks this copy holds\n")


def heading(layout: Layout) -> Iterator[Text]:
    """Yield the lines with the numbers of the ranks and of their chunks (of these the last digit)."""
    ranks, chunks, wide = Line(layout.width, "rank"), Line(layout.width, "chunk"), layout.bar[0]
    for r in layout.ranks:
        ranks.put(layout.centre(r) - len(str(r)) // 2, str(r), "bold")
        for c in range(layout.chunks):
            chunks.put(layout.cell(r, c) + (wide - 1) // 2, str(c)[-1], "dim")
    yield ranks.text()
    yield chunks.text()


def state(layout: Layout, now: Cells, wanted: Cells, hops: Iterable[Hop], label: str) -> Text:
    """Return a line with every copy as a bar: one that a message just changed in its colour, an incomplete one dim."""
    line, wide = Line(layout.width, label), layout.bar[0]
    changed = {(hop.dst, c): STYLE[hop.look] for hop in hops for c in hop.chunks}
    for r in layout.ranks:
        for c in range(layout.chunks):
            full = share(now[r][c], wanted[r][c])
            style = changed.get((r, c), "dim" if full < 1 else "")
            line.put(layout.cell(r, c), LEVELS[ceil(8 * full)] * wide, style)
    return line.text()


def lanes(layout: Layout, arrows: Iterable[Arrow]) -> list[list[Arrow]]:
    """Return the arrows of a step on as few lines as possible, so that none covers another."""

    def span(arrow: Arrow) -> list[int]:
        low, high = sorted(layout.place(end) for end in (arrow.src, arrow.dst))
        return [low, high] if low < high else [low - 1, high + 1]

    found: list[list[Arrow]] = []
    for one in sorted((a for a in arrows if span(a)[0] < layout.k), key=span):
        for lane in found:
            if span(lane[-1])[1] <= span(one)[0]:
                lane.append(one)
                break
        else:
            found.append([one])
    return found


def across(layout: Layout, lane: Iterable[Arrow], label: str) -> Text:
    """Return a line with the lifelines, and the arrows of one lane across them."""
    line = Line(layout.width, label)
    for r in layout.ranks:
        line.put(layout.centre(r), "│", "dim")
    for one in lane:
        if one.src == one.dst:
            line.put(layout.centre(one.src) - len(one.label) // 2, f"↻{one.label}", STYLE[one.look])
        else:
            arrow(line, layout, one)
    return line.text()


def arrow(line: Line, layout: Layout, one: Arrow) -> None:
    """Write one arrow, its label beside the sender; at the edge, the number of the rank that is not drawn."""
    rule, right, left, cross = tuple(RULES[one.look])
    a, b, style = layout.centre(one.src), layout.centre(one.dst), STYLE[one.look]
    low, high = min(a, b), max(a, b)
    line.put(low + 1, rule * (high - low - 1), style)
    for r in layout.ranks:
        if low < layout.centre(r) < high:
            line.put(layout.centre(r), cross, style)
    line.put(a, right if a < b else left, style)
    line.put(*((b - 1, "▶") if a < b else (b + 1, "◀")), style)
    middle = a + layout.pitch // 2 * (1 if a < b else -1)
    line.put(middle - len(one.label) // 2, one.label, f"bold {style}")
    for hidden in {one.src, one.dst}.difference(layout.ranks):
        line.put(high + (a < b), f" {hidden}" if a < b else f"{rule} {hidden}", style)
