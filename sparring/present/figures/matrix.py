"""The matrix view for a paper: how many messages each rank sends to each, as squares of so large an area."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt

from sparring.errors import InputError
from sparring.present.figures.parts import COLUMN, PIXELS, Bars, Box, Part, Sheet, Stroke, Words, inches
from sparring.present.spacetime.history import Moment, count
from sparring.spec.core.model import Page

EDGE = 44  # pixels for the names of ranks
SMALL, LARGE = 9, 44  # pixels: a cell
NAMED = 24  # pixels from name to name at least
SPARE = 2  # pixels between the largest square and its cell
ROW = 26  # pixels from line to line of the legend

Pairs = Mapping[tuple[int, int], int]


def sheet(page: Page, run: Sequence[Moment], ranks: int, width: float = COLUMN) -> Sheet:
    """Return the messages of these steps, added up, as a sheet so many inches wide.

    Raises InputError for a picture that would be illegible.
    """
    cell = min(LARGE, (width * PIXELS - EDGE - SPARE) / ranks)
    if cell < SMALL:
        needed = ceil((EDGE + SPARE + ranks * SMALL) / PIXELS * 10) / 10
        raise InputError(f"no legible picture of {ranks} ranks in {width:g} inches; right: --width {needed} or more")
    pairs = Counter((hop.src, hop.dst) for moment in run for hop in moment.hops)
    left = (width * PIXELS - EDGE - ranks * cell) / 2 + EDGE
    parts = [*grid(left, cell, ranks), *squares(left, cell, pairs)]
    below = list(legend(EDGE + ranks * cell + ROW, cell, pairs))
    height = max(part.y for part in below if isinstance(part, Words)) / PIXELS + 0.15
    title = f"{page.title} at {count(ranks, 'rank')}, as a matrix"
    return Sheet(title, width, height, [inches(part) for part in (*parts, *below)])


def grid(left: float, cell: float, ranks: int) -> Iterator[Part]:
    """Yield the lines between ranks, with names: senders down, receivers across."""
    far = ranks * cell
    for i in range(ranks + 1):
        yield Stroke([(left + i * cell, EDGE), (left + i * cell, EDGE + far)], "lifeline")
        yield Stroke([(left, EDGE + i * cell), (left + far, EDGE + i * cell)], "lifeline")
    for r in range(0, ranks, ceil(NAMED / cell)):
        yield Words(left + (r + 0.5) * cell, EDGE - 12, str(r), "small")
        yield Words(left - 14, EDGE + (r + 0.5) * cell, str(r), "small")


def squares(left: float, cell: float, pairs: Pairs) -> Iterator[Part]:
    """Yield for each pair that talks a square: as a part of its cell, its messages as a part of the most."""
    most = max(pairs.values(), default=0)
    boxes = [
        square(left + (dst + 0.5) * cell, EDGE + (src + 0.5) * cell, cell, number / most)
        for (src, dst), number in sorted(pairs.items())
    ]
    yield from [Bars(boxes, 0)] if boxes else []


def square(x: float, y: float, cell: float, part: float) -> Box:
    """Return the square in the middle of a cell that is so great a part of it."""
    side = (cell - SPARE) * sqrt(part)
    return x - side / 2, y - side / 2, side, side


def legend(y: float, cell: float, pairs: Pairs) -> Iterator[Part]:
    """Yield the legend: the squares of the fewest and of the most messages."""
    numbers = [*pairs.values()]
    for number in sorted({min(numbers), max(numbers)} if numbers else ()):
        yield Bars([square(36, y, cell, number / max(numbers))], 0)
        yield Words(76, y, count(number, "message"), "note")
        y += max(ROW, cell + SPARE)
    rows = "a row: what a rank sends; a column: what it receives"
    yield Words(8, y, rows if pairs else "no messages", "note")
