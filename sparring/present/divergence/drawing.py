"""A divergence as SVG: the page's picture and the observed one, side by side or one below the other.

One arrow is of class ``message wrong`` or ``message missing``: red, thick, marked by a sign.  Where
the page has a message in its place, that is of class ``message expected``.
"""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from xml.etree.ElementTree import Element, indent, tostring

from sparring.present.divergence.placing import Empty
from sparring.present.divergence.scene import Scene, Side, scene
from sparring.present.spacetime import strokes
from sparring.present.spacetime.history import Hop, count
from sparring.present.spacetime.strokes import FAINT, LEFT, RED, RIGHT, TOP, Place, add, head
from sparring.spec.core.model import Page
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace

BESIDE = 5  # ranks at most for pictures side by side
SHARED = LEFT - 56  # how far the right one reaches under the left one: it has no names of steps
PITCHES = ((4, 120), (8, 96), (strokes.MOST, 64))  # from rank to rank, where there are at most so many ranks
CHARACTER, ROW, SAMPLE = 10, 20, 24  # width of a character; height of a line of prose, of the legend


def svg(page: Page, trace: Trace, divergence: Divergence, *, empty: Empty = frozenset()) -> str:
    """Return an SVG document of where ``trace`` leaves ``page``; of over 16 ranks, those nearest to ``divergence``.

    ``empty``: the page's messages without entries, by step, source and destination, which the run may leave out.

    Raises ScheduleFault where the page makes no schedule, InputError for another run's divergence.
    """
    shown = scene(page, trace, divergence, empty, strokes.MOST)
    place = placed(shown)
    wide, tall = LEFT + place.p * place.pitch + RIGHT, TOP + place.steps * strokes.STEP + strokes.BAR
    right, below = (wide - SHARED, 0) if place.p <= BESIDE else (0, tall)
    caption = wrap(str(divergence), (wide + right - 48) // CHARACTER)
    top = 16 + ROW * len(caption)
    bottom = top + below + tall + SAMPLE
    title = f"{page.title} at {count(shown.p, 'rank')}: the page and a run that leaves it"
    height = bottom + SAMPLE * (len(shown.legend) + bool(shown.omitted))
    root = strokes.document(wide + right, height, title, str(divergence))
    heads(add(root, "defs"))
    for i, words in enumerate(caption):
        add(root, "text", words, x=24, y=36 + ROW * i, font_size=15, font_weight="bold", fill=RED)
    picture(root, place, shown.page, 0, top, "page")
    picture(root, place, shown.observed, right, top + below, "observed")
    legend(root, shown, bottom)
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def placed(shown: Scene) -> Place:
    """Return the layout of either picture; without bars, since the contents of copies are not observed."""
    pitch = next(pitch for most, pitch in PITCHES if len(shown.ranks) <= most)
    return Place(shown.ranks, len(shown.steps), 0, pitch, shown.steps.start)


def heads(defs: Element) -> None:
    """Define the heads of arrows: one a colour, and those of messages that differ from the page."""
    for i, colour in enumerate(strokes.COLOURS):
        head(defs, str(i), colour)
    head(defs, "-other", FAINT)
    head(defs, "-wrong", RED, 18)


def picture(root: Element, place: Place, side: Side, x: float, y: float, name: str) -> None:
    """Draw one picture, moved to its place; the right one of two has no names of steps, since the left one has."""
    group = add(root, "g", class_="picture", data_of=name, transform=f"translate({x:g} {y:g})")
    add(group, "text", side.heading, x=LEFT, y=TOP - 52, font_size=16, font_weight="bold")
    for t, arrows in enumerate(side.arrows if not x else (), place.first):
        strokes.name(group, place, t, next((one.look for one in arrows if isinstance(one, Hop)), ""))
    strokes.lifelines(group, place)
    for one in sorted(chain.from_iterable(side.arrows), key=lambda one: one.look.differs):  # which is on top
        strokes.message(group, place, one)


def legend(root: Element, shown: Scene, y: float) -> None:
    """Draw the legend of the kinds of arrow that occur, and say what is not drawn."""
    for i, (one, means) in enumerate(shown.legend):
        strokes.key(root, y + i * SAMPLE, strokes.pen(one), one.label, means)
    add(root, "text", shown.omitted, x=24, y=y + len(shown.legend) * SAMPLE, fill=FAINT)
