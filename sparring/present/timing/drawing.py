"""The timing as SVG: every message is one ``<g class="message" data-step data-src data-dst data-begin data-end>``.

The two that meet are of class ``message wrong``, red and thick; their time on the link is a band.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, indent, tostring

from sparring.errors import InputError
from sparring.present.spacetime import strokes
from sparring.present.spacetime.history import count
from sparring.present.spacetime.strokes import BAND, BAR, COLOURS, FAINT, RED, STEP, Pen, Place, add
from sparring.proofs.contention.judgement import Judgement
from sparring.proofs.contention.levels import WITH
from sparring.proofs.contention.networks import edge
from sparring.proofs.contention.timings import Timing, describe_transfer
from sparring.proofs.contention.traffic import Transfer

MEETING = Pen("-wrong", RED, "", 4)


def svg(judged: Judgement) -> str:
    """Return the timing of a judgement as an SVG document.

    Raises InputError where no messages meet, or where there are too many ranks to look for a timing.
    """
    overlap, timing = judged.freedom.overlap, judged.timing
    if overlap is None or timing is None:
        raise InputError(f"no timing to draw: {judged.sentences()[0]}")
    place = Place(range(judged.p), timing.length, 0, 96)
    title = f"{judged.page.title} at {count(judged.p, 'rank')}"
    where = f"{judged.routed.topology.name}: {WITH[judged.freedom.sends]} two messages meet on {edge(overlap.link)}"
    root = strokes.document(*place.size, title, f"{title}: {where}")
    add(root, "text", title[: place.size[0] // 11], x=24, y=36, font_size=18, font_weight="bold")
    add(root, "text", where, x=24, y=57, fill=FAINT)
    heads(add(root, "defs"))
    both = (overlap.first, overlap.second)
    band(root, place, max(timing.begins[m] for m in both), min(timing.ends[m] for m in both))
    for unit in range(timing.length + 1):
        add(root, "text", f"time {unit}", x=24, y=height(place, unit) + 4, fill=FAINT)
    strokes.lifelines(root, place)
    for m in sorted(timing.begins, key=lambda m: m in both):  # those that meet lie on top
        message(root, place, timing, m, MEETING if m in both else pen(m))
    bottom = place.y(timing.length) + BAR + 32
    strokes.key(root, bottom, pen(both[1]), f"t{both[1].t}", "a message of that step, as long as it takes")
    strokes.key(root, bottom + 24, MEETING, f"t{both[1].t}!", "one of the two that meet, in the time of the band")
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def heads(defs: Element) -> None:
    """Define the heads of arrows: one a colour, and one for the two messages that meet."""
    for i, colour in enumerate(COLOURS):
        strokes.head(defs, str(i), colour)
    strokes.head(defs, "-wrong", RED, 18)


def height(place: Place, time: int) -> float:
    """Return the height of a time in the picture, in pixels."""
    return place.y(time) + BAR / 2


def band(root: Element, place: Place, begin: int, end: int) -> None:
    """Draw the band of the time in which both messages are on the link."""
    add(root, "rect", y=height(place, begin), width=place.size[0], height=STEP * (end - begin), fill=BAND)


def pen(m: Transfer) -> Pen:
    """Return the pen of a message, in its step's colour."""
    return Pen(str(m.t % len(COLOURS)), COLOURS[m.t % len(COLOURS)])


def label(m: Transfer, drawn: Pen) -> str:
    """Return the label of a message: its step, and a sign if it is one of the two that meet."""
    return f"t{m.t}{'!' if drawn is MEETING else ''}"


def message(root: Element, place: Place, timing: Timing, m: Transfer, drawn: Pen) -> None:
    """Draw a message as an arrow, from when it begins to when it ends."""
    begin, end = timing.begins[m], timing.ends[m]
    group = add(root, "g", class_="message wrong" if drawn is MEETING else "message")
    group.attrib |= {"data-step": str(m.t), "data-src": str(m.src), "data-dst": str(m.dst)}
    group.attrib |= {"data-begin": str(begin), "data-end": str(end)}
    add(group, "title", f"{describe_transfer(m)}: time {begin} to {end}")
    (x0, y0), (x1, y1) = (place.x(m.src), height(place, begin) + 3), (place.x(m.dst), height(place, end) - 3)
    strokes.line(group, [((x0, y0), (x1, y1))], drawn)
    strokes.tag(group, x0 + 0.3 * (x1 - x0), y0 + 0.3 * (y1 - y0), label(m, drawn), drawn)
