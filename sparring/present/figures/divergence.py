"""Where a run leaves its page, for a paper: the page's space-time picture, and below it the observed one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from textwrap import wrap

from sparring.present.divergence.placing import Empty
from sparring.present.divergence.scene import Scene, Side, scene
from sparring.present.figures.parts import COLUMN, PIXELS, Part, Sheet, Stroke, Words, inches
from sparring.present.figures.spacetime import END, PITCH, ROW, colour, lifelines, messages
from sparring.present.spacetime.history import Hop
from sparring.present.spacetime.strokes import BAR, LEFT, RIGHT, STEP, TOP, Place
from sparring.spec.core.model import Page
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace

HEAD = 30  # pixels above a picture's heading that the SVG has for its sentence, and a paper has in its caption
CHARACTER = 8.5  # pixels of a character of a note


def sheet(
    page: Page, trace: Trace, divergence: Divergence, *, empty: Empty = frozenset(), width: float = COLUMN
) -> Sheet:
    """Return both pictures as a sheet so many inches wide, with the ranks nearest to the divergence that have room.

    ``empty``: the page's messages without entries, by step, source and destination, which the run may leave out.

    Raises ScheduleFault where the page makes no schedule, InputError for another run's divergence.
    """
    room = width * PIXELS - LEFT - RIGHT
    shown = scene(page, trace, divergence, empty, max(2, int(room / PITCH)))
    place = Place(shown.ranks, len(shown.steps), 0, max(PITCH, int(room / len(shown.ranks))), shown.steps.start)
    tall = TOP - HEAD + place.steps * STEP + BAR
    parts = [*picture(place, shown.page), *(lower(part, tall) for part in picture(place, shown.observed))]
    below = [lower(part, 2 * tall) for part in legend(shown, width)]
    height = 2 * tall + ROW * sum(isinstance(part, Words) for part in below) + END
    return Sheet(f"{page.title}: {divergence}", width, height / PIXELS, [inches(part) for part in (*parts, *below)])


def picture(place: Place, side: Side) -> Iterator[Part]:
    """Yield one picture: its heading, its steps, its ranks, and its arrows, on top the one that differs."""

    def raised() -> Iterator[Part]:
        yield Words(8, TOP - 52, side.heading, "time")
        for t, arrows in enumerate(side.arrows, place.first):
            y = place.y(t) + BAR / 2 + STEP / 2
            yield Words(8, y - 11, f"step {t}", "time")
            yield Words(8, y + 9, next((one.look.value for one in arrows if isinstance(one, Hop)), ""), "note")
        yield from lifelines(place)
        yield from messages(place, sorted(chain.from_iterable(side.arrows), key=lambda one: one.look.differs))

    return (lower(part, -HEAD) for part in raised())


def legend(shown: Scene, width: float) -> Iterator[Part]:
    """Yield the kinds of arrow that occur with their meanings, and what is not drawn."""
    y = ROW / 2
    for one, means in shown.legend:
        yield Stroke([(8, y), (64, y)], one.look.value, colour(one), head=True)
        yield Words(76, y, f"{one.label}: {means}", "note")
        y += ROW
    for line in wrap(shown.omitted, int((width * PIXELS - 16) / CHARACTER)):
        yield Words(8, y, line, "note")
        y += ROW


def lower(part: Part, by: float) -> Part:
    """Return a stroke or a text so many pixels further down."""
    if isinstance(part, Stroke):
        return part._replace(points=[(x, y + by) for x, y in part.points])
    return part._replace(y=part.y + by) if isinstance(part, Words) else part
