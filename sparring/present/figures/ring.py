"""The ring view for a paper: ranks on a circle, every message an arrow, and for each step a small picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, cos, hypot, pi, sin
from typing import NamedTuple

from sparring.errors import InputError
from sparring.present.figures.parts import COLUMN, HIGH, PIXELS, Part, Point, Sheet, Stroke, Words, inches
from sparring.present.spacetime.history import Cells, Hop, Moment, cells, count, share
from sparring.spec.core.model import Page

NODE = 15  # pixels: the radius of a rank's circle
APART = 36  # pixels from rank to rank along the ring, at least
LEAST, LARGEST = 60, 190  # pixels: the radius of a ring
LABELLED = 75  # pixels from rank to rank where arrows have room for labels
GAP, NAME, ROW = 16, 34, 26  # pixels between pictures, for the name of a step, from line to line of the legend
BEND = 0.12  # of an arrow's length, to one side: the way back lies on the other
LINES = {True: "the receiver adds what comes to its copy", False: "the receiver overwrites its copy"}


class Ring(NamedTuple):
    """One picture: its centre and its radius in pixels."""

    x: float
    y: float
    radius: float
    p: int

    def at(self, r: int) -> Point:
        """Return where rank ``r`` stands: 0 on top, the others clockwise."""
        angle = 2 * pi * r / self.p - pi / 2
        return self.x + self.radius * cos(angle), self.y + self.radius * sin(angle)


def sheet(page: Page, run: Sequence[Moment], ranks: int, width: float = COLUMN) -> Sheet:
    """Return the steps of a run as a sheet so many inches wide.

    Raises InputError for a picture that would be illegible.
    """
    radius, across = laid(len(run), ranks, width)
    wide, tall = width * PIXELS / across, 2 * (radius + NODE) + NAME + GAP
    goal = cells(page, page.goal, ranks)
    parts: list[Part] = []
    for i, moment in enumerate(run):
        ring = Ring((i % across + 0.5) * wide, (i // across) * tall + NAME + NODE + radius, radius, ranks)
        parts += [*picture(ring, moment, goal)]
    below = list(legend(-(-len(run) // across) * tall + ROW / 2, [hop for moment in run for hop in moment.hops]))
    height = max(part.y for part in below if isinstance(part, Words)) / PIXELS + 0.1
    if height > HIGH:
        raise InputError(f"a picture of {count(len(run), 'step')} is {height:.0f} inches high; right: at most {HIGH}")
    title = f"{page.title} at {count(ranks, 'rank')}, as a ring"
    return Sheet(title, width, height, [inches(part) for part in (*parts, *below)])


def laid(steps: int, ranks: int, width: float) -> tuple[float, int]:
    """Return the radius of rings, and how many stand side by side."""
    least = max(LEAST, ranks * APART / (2 * pi))
    room = width * PIXELS
    across = min(max(1, steps), int(room / (2 * (least + NODE) + GAP)))
    if not across:
        needed = ceil((2 * (least + NODE) + GAP) / PIXELS * 10) / 10
        raise InputError(f"no legible picture of {ranks} ranks in {width:g} inches; right: --width {needed} or more")
    across = ceil(max(1, steps) / ceil(max(1, steps) / across))  # rows of one length, where they can be
    return min(max(least, LARGEST), (room / across - GAP) / 2 - NODE), across


def picture(ring: Ring, moment: Moment, goal: Cells) -> Iterator[Part]:
    """Yield the messages of a step, above them the ranks: filled where all is there after it."""
    yield Words(ring.x, ring.y - ring.radius - NODE - NAME / 2, f"step {moment.hops[0].t}", "rank")
    labelled = 2 * pi * ring.radius / ring.p >= LABELLED
    tags = []
    for hop in moment.hops:
        arrow = chord(ring, hop)
        yield arrow
        tags += [tag(arrow, hop)] if labelled else []
    yield from tags
    for r in range(ring.p):
        full = all(share(held, wanted) == 1 for held, wanted in zip(moment.cells[r], goal[r]))
        yield Words(*ring.at(r), str(r), "full" if full else "node")


def chord(ring: Ring, hop: Hop) -> Stroke:
    """Return a message as an arrow from rim to rim, bent to one side."""
    (ax, ay), (bx, by) = ring.at(hop.src), ring.at(hop.dst)
    far = hypot(bx - ax, by - ay) or 1
    gap = min(0.35, (NODE + 2) / far)
    ends = [(ax + (bx - ax) * s, ay + (by - ay) * s) for s in (gap, 1 - gap)]
    via = (ax + bx) / 2 - BEND * (by - ay), (ay + by) / 2 + BEND * (bx - ax)
    return Stroke(ends, hop.look.value, hop.chunk, head=True, via=via)


def tag(arrow: Stroke, hop: Hop) -> Words:
    """Return the label of a message, on its arrow before the middle, where others may cross."""
    s, (a, b), via = 0.42, arrow.points, arrow.via or arrow.points[0]
    x, y = ((1 - s) ** 2 * u + 2 * s * (1 - s) * v + s * s * w for u, v, w in zip(a, via, b))
    return Words(x, y, hop.label, "tag", hop.chunk)


def legend(y: float, hops: Sequence[Hop]) -> Iterator[Part]:
    """Yield the legend: the kinds of arrow that occur, and what a filled rank means."""
    for adds, means in LINES.items():
        if hop := next((hop for hop in hops if hop.adds is adds), None):
            yield Stroke([(8, y), (64, y)], hop.look.value, hop.chunk, head=True)
            yield Words(76, y, f"{means}; its colour is the chunk's", "note")
            y += ROW
    yield Words(36, y, " ", "full")
    yield Words(76, y, "a rank that has all that it is to have, after the step", "note")
