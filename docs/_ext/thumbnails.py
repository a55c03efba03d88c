"""Small space-time pictures: ranks across, time down, a line a message, in the colours of the page around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparring.present.explorer.document import Document, Message, Stage

SIDE = 120
MARGIN = 8


def svg(document: Document) -> str:
    """Return the picture of a document's first run; it is as high as it is wide, however many steps there are."""
    rows = [row for stage in document.runs[0].stages for row in steps(stage)]
    deep = SIDE / max(sum(1 if row else 0.4 for row in rows), 1)
    wide = SIDE / max(document.ranks - 1, 1)
    lines = [line("rank", r * wide, 0, r * wide, SIDE) for r in range(document.ranks)]
    top = 0.0
    for row in rows:
        bottom = top + deep * (1 if row else 0.4)
        lines += [line(look(one), one.src * wide, top, one.dst * wide, bottom) for one in row]
        lines += [] if row else [band(top, bottom)]
        top = bottom
    size = SIDE + 2 * MARGIN
    box = f'viewBox="{-MARGIN} {-MARGIN} {size} {size}"'
    return f'<svg class="thumbnail" {box} aria-hidden="true">{"".join(lines)}</svg>'


def steps(stage: Stage) -> Iterator[Sequence[Message]]:
    """Yield the messages of each step; none of local work."""
    yield from ([step.messages for step in stage.steps] or [[]])


def look(message: Message) -> str:
    """Return what the receiver does with it, as a class."""
    return {True: "adds", False: "overwrites", None: "sends"}[message.adds]


def line(look: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a line.

    >>> line("adds", 0, 0, 40, 20.125)
    '<line class="adds" x1="0" y1="0" x2="40" y2="20.12"/>'
    """
    at = " ".join(f'{name}="{round(value, 2):g}"' for name, value in zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2)))
    return f'<line class="{look}" {at}/>'


def band(top: float, bottom: float) -> str:
    """Return the band of local work."""
    return f'<rect class="local" x="{-MARGIN}" y="{top:.2f}" width="{SIDE + 2 * MARGIN}" height="{bottom - top:.2f}"/>'
