"""The space-time picture for a paper: ranks across, time down.

Where things stand is as in the SVG, which ``strokes`` lays out in pixels, so many to an inch; texts have the size of
the paper's small print, however wide the sheet is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from sparring.errors import InputError
from sparring.present.figures.parts import COLUMN, HIGH, PIXELS, Bars, Part, Sheet, Stroke, Words, inches
from sparring.present.spacetime.history import Arrow, Cells, Hop, cells, count, moments, share
from sparring.present.spacetime.strokes import BAR, COLOURS, LEFT, MOST, RIGHT, TOP, Place, edges, track
from sparring.spec.core.blocks import named
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

PITCH = 48  # pixels from rank to rank at least: else labels lie over one another
HEAD = 70  # pixels above the names of ranks that the SVG has for its heading, and a paper has in its caption
ROW = 26  # pixels from line to line of the legend
ALONG = (0.3, 0.6, 0.15, 0.45, 0.75, 0.22, 0.38, 0.53, 0.68)
"""The places of a label on its arrow, the best first: away from the middle, where exchanges cross, and from heads."""
LATE = 0.6  # the best place on an arrow that ends at the edge, which is half as long
LETTER, TALL = 9.5, 19  # pixels of a letter of a label, and of its border's height
END = 14  # pixels below it


def sheet(page: Page, ranks: int, width: float = COLUMN) -> Sheet:
    """Return the run of ``page`` at ``ranks`` ranks as a sheet so many inches wide.

    Raises ScheduleFault where the formulas make no schedule, InputError for a picture that would be illegible.
    """
    if not 1 <= ranks <= MOST:
        raise InputError(f"no legible picture of {ranks} ranks; right: 1 to {MOST}")
    pitch = int((width * PIXELS - LEFT - RIGHT) / ranks)
    if pitch < PITCH:
        least = ceil((LEFT + RIGHT + ranks * PITCH) / PIXELS * 10) / 10
        raise InputError(f"no legible picture of {ranks} ranks in {width:g} inches; right: --width {least} or more")
    run = list(moments(page, ranks))
    cut = number(page.chunks(ranks))
    place = Place(range(ranks), len(run), max(1, int(0.8 * pitch / max(cut, 4))), pitch, cut=cut)
    below = list(legend(place, [moment.hops[0] for moment in run if moment.hops]))
    height = (
        place.y(place.steps) + BAR + ROW * sum(isinstance(part, Words) for part in below) + BAR / 2 + END - HEAD
    ) / PIXELS
    if height > HIGH:
        raise InputError(f"a picture of {count(len(run), 'step')} is {height:.0f} inches high; right: at most {HIGH}")
    states = [cells(page, page.start, ranks), *(moment.cells for moment in run)]
    parts = [*lifelines(place), *bars(place, states, cells(page, page.goal, ranks))]
    parts += [part for moment in run for part in (*messages(place, moment.hops), *names(place, moment.hops))]
    title = f"{page.title} at {count(ranks, 'rank')}"
    return Sheet(title, width, height, [inches(part, HEAD) for part in (*parts, *below)])


def lifelines(place: Place) -> Iterator[Part]:
    """Yield every rank's name, and its line down the picture."""
    for r in place.ranks:
        bottom = place.y(place.first + place.steps)
        yield Stroke([(place.x(r), TOP), (place.x(r), bottom)], "lifeline")
        yield Words(place.x(r), TOP - 20, f"rank {r}" if place.pitch > 70 else str(r), "rank")


def bars(place: Place, states: Sequence[Cells], wanted: Cells) -> Iterator[Part]:
    """Yield every copy before the first step and after each as a bar, as high as the part of the sum that it holds."""
    wide = place.chunks * place.cell
    for t, state in enumerate(states):
        bottom = place.y(t) + BAR
        for c in range(place.chunks):
            shares = [(place.x(r) - wide / 2 + c * place.cell, share(state[r][c], wanted[r][c])) for r in place.ranks]
            boxes = [(x, bottom - BAR * full, place.cell - 0.5, BAR * full) for x, full in shares if full]
            yield from [Bars(boxes, c)] if boxes else []
        for r in place.ranks:
            yield Stroke([(place.x(r) - wide / 2, bottom), (place.x(r) + wide / 2 - 0.5, bottom)], "floor")


def messages(place: Place, arrows: Sequence[Arrow]) -> Iterator[Part]:
    """Yield the arrows of a step, and above them their labels: where each has room, if it has, beside the others."""
    tags: list[Words] = []
    for one in arrows:
        yield from message(place, one)
        lines = track(place, one)
        (x0, y0), (x1, y1) = max(lines, key=lambda line: abs(line[1][0] - line[0][0]))
        along = ALONG if len(lines) == 1 else (LATE, *ALONG)
        style = "fault" if one.look.differs else "tag"
        spots = [Words(x0 + s * (x1 - x0), y0 + s * (y1 - y0), one.label, style, colour(one)) for s in along]
        tags.append(min(spots, key=lambda spot: sum(covered(spot, other) for other in tags)))
    yield from tags


def colour(one: Arrow) -> int:
    """Return the number of an arrow's colour: its chunk's, and of one without a chunk the last, which is grey."""
    return len(COLOURS) - 1 if one.chunk is None else one.chunk


def covered(one: Words, other: Words) -> float:
    """Return how much of one label another covers, about, in square pixels."""
    wide = LETTER * (len(one.text) + len(other.text)) / 2 + 8 - abs(one.x - other.x)
    tall = TALL - abs(one.y - other.y)
    return wide * tall if min(wide, tall) > 0 else 0


def message(place: Place, one: Arrow) -> Iterator[Part]:
    """Yield an arrow; where it crosses the edge, the rank at its other end."""
    lines = track(place, one)
    for i, line in enumerate(lines):
        yield Stroke(line, one.look.value, colour(one), head=i == len(lines) - 1)
        for (x, y), words in zip(line, (f"from {one.src}", f"to {one.dst}")):
            if x in edges(place):
                yield Words(x, y, words, "begins" if x > place.across(0) else "ends")


def names(place: Place, hops: Sequence[Hop]) -> Iterator[Part]:
    """Yield the name of a step, and what its messages do."""
    for hop in hops[:1]:
        y = place.y(hop.t) + BAR / 2 + (place.y(1) - place.y(0)) / 2
        yield Words(8, y - 34, f"step {hop.t}", "time")
        yield Words(8, y - 14, hop.look.value, "note")


def legend(place: Place, hops: Sequence[Hop]) -> Iterator[Part]:
    """Yield the legend: the kinds of arrow that occur, and what they mean; the bars."""
    y = place.y(place.steps) + BAR + ROW
    meant = ((True, "the receiver adds {} to its copy"), (False, "the receiver overwrites its copy of {}"))
    for adds, means in meant:
        if hop := next((hop for hop in hops if hop.adds is adds), None):
            yield Stroke([(8, y), (64, y)], hop.look.value, hop.chunk, head=True)
            yield Words(76, y, f"{hop.label}: {means.format(named(hop.chunks))}", "note")
            y += ROW
    yield Bars([(12 + 16 * i, y + BAR / 2 - tall, 15, tall) for i, tall in enumerate((5, 10, BAR))], 0)
    yield Words(76, y, f"how much of the sum of {count(place.p, 'rank')} a copy holds", "note")
