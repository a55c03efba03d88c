"""What a figure for a paper is made of: lines, bars and words on a sheet of a given width, in inches, y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

PIXELS = 184  # an inch: the layouts count in pixels, of which a label of 7 points is as high as one on a screen
COLUMN = 3.33  # inches: the width of a column of ACM's, IEEE's and USENIX's papers, within a few points
HIGH = 40  # inches at most

Point = tuple[float, float]
Box = tuple[float, float, float, float]


class Stroke(NamedTuple):
    """A line through these points: a ``lifeline``, or a message in the name of its look; ``head``: an arrow.

    ``via``: towards where a line of two points is bent, the middle one of a quadratic curve's three.
    """

    points: Sequence[Point]
    style: str
    chunk: int = 0
    head: bool = False
    via: Point | None = None


class Bars(NamedTuple):
    """Filled rectangles in a chunk's colour, each as x and y of its upper left corner, its width and its height."""

    boxes: Sequence[Box]
    chunk: int


class Words(NamedTuple):
    """A text in one of ``STYLES``; a ``tag`` has a border in its chunk's colour."""

    x: float
    y: float
    text: str
    style: str
    chunk: int = 0


STYLES = ("rank", "time", "note", "ends", "begins", "tag", "fault", "node", "full", "small")
"""The styles of texts.  ``rank``, ``tag``, ``fault``, ``small`` and the circles ``node`` and ``full`` stand centred on
their place, ``ends`` ends there; the others begin there."""
Part: TypeAlias = Stroke | Bars | Words


class Sheet(NamedTuple):
    """A picture: its size in inches, and its parts, from the lowest to the uppermost."""

    title: str
    width: float
    height: float
    parts: Sequence[Part]


def inches(part: Part, head: float = 0) -> Part:
    """Return a part in inches, ``head`` pixels further up.

    >>> inches(Words(184, 92, "half", "note"))
    Words(x=1.0, y=0.5, text='half', style='note', chunk=0)
    """

    def place(x: float, y: float) -> Point:
        return x / PIXELS, (y - head) / PIXELS

    if isinstance(part, Stroke):
        return part._replace(points=[place(*point) for point in part.points], via=part.via and place(*part.via))
    if isinstance(part, Bars):
        return part._replace(boxes=[(*place(x, y), w / PIXELS, h / PIXELS) for x, y, w, h in part.boxes])
    x, y = place(part.x, part.y)
    return part._replace(x=x, y=y)
