"""A divergence in the terminal: the page's picture and the observed one, side by side where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from rich.text import Text

from sparring.present.divergence.placing import Empty
from sparring.present.divergence.scene import Scene, Side, scene
from sparring.present.spacetime.history import Arrow
from sparring.present.spacetime.text import ASCII, MARGIN, PITCH, RULES, STYLE, Layout, Line, across, lanes
from sparring.spec.core.model import Page
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace

MOST = 8  # ranks at most
NARROW = 8  # columns from rank to rank at least
GAP = 2  # columns between pictures


def terminal(
    page: Page,
    trace: Trace,
    divergence: Divergence,
    width: int = 80,
    *,
    empty: Empty = frozenset(),
    ascii_only: bool = False,
) -> Text:
    """Return where ``trace`` leaves ``page``, in pictures of at most ``width`` characters (40 or more) and sentences.

    Of more than 8 ranks, or where there is less room, those nearest to the divergence are drawn.
    ``empty``: the page's messages without entries, by step, source and destination, which the run may leave out.
    ``ascii_only`` is for outputs that cannot encode arrows; it has no colours.

    Raises ScheduleFault where the page makes no schedule, InputError for another run's divergence.
    """
    width = max(width, 40)
    shown = scene(page, trace, divergence, empty, min(MOST, (width - MARGIN) // NARROW))
    parts = [Text(str(divergence), "bold red"), Text(), *legend(shown), Text(), *pictures(shown, width)]
    if shown.omitted:
        parts += [Text(), Text(shown.omitted)]
    picture = Text("\n").join(parts)
    return Text(as_ascii(picture.plain)) if ascii_only else picture


def as_ascii(words: str) -> str:
    """Return ``words`` in ASCII."""
    return words.translate(ASCII).encode("ascii", "backslashreplace").decode()


def legend(shown: Scene) -> Iterator[Text]:
    """Yield the kinds of arrow that occur, with their meanings."""
    for one, means in shown.legend:
        rule = RULES[one.look][0] * 2
        yield Text.assemble((f"{f'{rule}{one.label}{rule}▶':<11}", STYLE[one.look]), means)


def pictures(shown: Scene, width: int) -> Iterator[Text]:
    """Yield the lines of both pictures: side by side, or one below the other."""
    k = len(shown.ranks)
    half, whole = (width - MARGIN - GAP) // (2 * k), (width - MARGIN) // k
    pitch = min(half if half >= NARROW else whole, PITCH)
    layout = Layout(shown.p, shown.ranks, pitch, MARGIN + k * pitch)
    if half >= NARROW:
        yield from beside(layout, shown)
    else:
        yield from chain(*rows(layout, shown.steps, shown.page))
        yield Text()
        yield from chain(*rows(layout, shown.steps, shown.observed))


def beside(left: Layout, shown: Scene) -> Iterator[Text]:
    """Yield the lines of both pictures side by side; a step begins on the same line in both."""
    right = Layout(left.p, left.ranks, left.pitch, left.width, 0)
    for ours, theirs in zip(rows(left, shown.steps, shown.page), rows(right, shown.steps, shown.observed), strict=True):
        for one, other in zip_longest(ours, theirs):
            row = one or across(left, [], "")
            row.pad_right(left.width + GAP - row.cell_len)
            yield row + (other or across(right, [], ""))


def rows(layout: Layout, steps: range, side: Side) -> Iterator[list[Text]]:
    """Yield the lines of one picture: its heading, then the lines of each step."""
    yield heading(layout, side)
    for t, arrows in zip(steps, side.arrows, strict=True):
        yield step(layout, arrows, f"step {t}" if layout.margin else "")


def heading(layout: Layout, side: Side) -> list[Text]:
    """Return the picture's name and the numbers of its ranks, a line each."""
    numbers = Line(layout.width, "rank" if layout.margin else "")
    for r in layout.ranks:
        numbers.put(layout.centre(r) - len(str(r)) // 2, str(r), "bold")
    return [Text.assemble(" " * (layout.margin + 1), (side.heading, "bold underline")), numbers.text()]


def step(layout: Layout, arrows: Sequence[Arrow], label: str) -> list[Text]:
    """Return the arrows of a step, on one line or more, and a line below them."""
    found = lanes(layout, arrows) or [[]]
    return [across(layout, lane, "" if i else label) for i, lane in enumerate(found)] + [across(layout, [], "")]
