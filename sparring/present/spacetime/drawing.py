"""The space-time picture as SVG: lifelines, arrows between them, and the copies as bars that fill up.

It has a light background of its own and colours that colour-blind people tell apart, and says
nothing by colour alone.  Every message is one ``<g class="message" data-step data-src data-dst
data-chunk>``, every rank's copies after a step one ``<g class="cells" data-rank data-after>``.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, indent, tostring

from sparring.errors import InputError
from sparring.present.spacetime.history import Held, Hop, cells, count, moments, share
from sparring.present.spacetime.strokes import (
    BAND,
    BAR,
    COLOURS,
    FAINT,
    MOST,
    PAPER,
    RULE,
    STEP,
    Place,
    add,
    document,
    head,
    key,
    lifelines,
    message,
    name,
    pen,
)
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number


def svg(page: Page, ranks: int) -> str:
    """Return the run of ``page`` at ``ranks`` ranks as an SVG document.

    Raises ScheduleFault where the formulas make no schedule, InputError unless there are 1 to 16 ranks.
    """
    if not 1 <= ranks <= MOST:
        raise InputError(f"no legible picture of {ranks} ranks; right: 1 to {MOST}")
    run = list(moments(page, ranks))
    states = [cells(page, page.start, ranks), *(moment.cells for moment in run)]
    place, wanted = Place.of(ranks, len(run), number(page.chunks(ranks))), cells(page, page.goal, ranks)
    root = sheet(page, place)
    for moment in run:
        label(root, place, moment.hops[0])
    lifelines(root, place)
    for moment in run:
        for hop in moment.hops:
            message(root, place, hop)
    for after, state in enumerate(states):
        for r in range(ranks):
            bars(root, place, r, after - 1, state[r], wanted[r])
    if run:
        legend(root, place, [moment.hops[0] for moment in run])
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def sheet(page: Page, place: Place) -> Element:
    """Return the picture without arrows and bars: its description, heading, and definitions."""
    title = f"{page.title} at {count(place.p, 'rank')}"
    steps = f"{count(place.steps, 'step')}, time runs down" if place.steps else "no step: nothing is sent"
    what = "some chunks" if page.blocks else "one chunk"
    sends = "some ranks are silent" if hasattr(page.module, "active") else f"every rank sends {what} in each step"
    told = f"Space-time diagram of {page.name}: {steps}; {sends}."
    root = document(*place.size, title, told)
    add(root, "text", title[: place.size[0] // 11], x=24, y=36, font_size=18, font_weight="bold")
    add(root, "text", steps, x=24, y=57, fill=FAINT)
    definitions(add(root, "defs"), place)
    return root


def definitions(defs: Element, place: Place) -> None:
    """Define the heads of arrows, one a colour, and a bar of complete chunks."""
    for i, colour in enumerate(COLOURS[: place.p]):
        head(defs, str(i), colour)
    full = add(defs, "g", id=f"bar{place.p}")
    for c in range(place.chunks):
        add(full, "rect", x=c * place.cell, width=place.cell - 1, height=BAR, fill=COLOURS[c % len(COLOURS)])


def label(root: Element, place: Place, hop: Hop) -> None:
    """Write the name of a step and what its messages do, on a band where they overwrite."""
    if not hop.adds:
        add(root, "rect", y=place.y(hop.t) + BAR / 2, width=place.size[0], height=STEP, fill=BAND)
    name(root, place, hop.t, hop.look)


def bars(root: Element, place: Place, r: int, after: int, held: list[Held], wanted: list[Held]) -> None:
    """Draw rank ``r``'s copies after a step (-1: at the start): a whole bar, blanked where parts are missing."""
    x, y, width = place.x(r) - place.chunks * place.cell / 2, place.y(after + 1), place.chunks * place.cell
    group = add(root, "g", class_="cells", data_rank=r, data_after=after, transform=f"translate({x:g} {y:g})")
    add(group, "title", f"rank {r}, {f'after step {after}' if after >= 0 else 'at the start'}: {contents(held)}")
    add(group, "rect", x=-3, y=-3, width=width + 5, height=BAR + 6, rx=3, fill=PAPER, stroke=RULE)
    add(group, "use", href=f"#bar{place.p}")
    missing = ((c, BAR * (1 - share(*pair))) for c, pair in enumerate(zip(held, wanted, strict=True)))
    blank = "".join(f"M{c * place.cell} 0h{place.cell - 1}v{tall:.3g}h{1 - place.cell}z" for c, tall in missing if tall)
    if blank:
        add(group, "path", d=blank, fill="#e8ebef")


def contents(held: list[Held]) -> str:
    """Return the ranks whose contributions each chunk holds, in words."""
    return "; ".join(f"chunk {c} of {', '.join(map(str, sorted(ranks))) or 'nobody'}" for c, ranks in enumerate(held))


def legend(root: Element, place: Place, hops: list[Hop]) -> None:
    """Draw the legend: the kinds of arrow that occur, and the bars."""
    y = place.y(place.steps) + BAR + 32
    for adds, does in (True, "the receiver adds the chunk to its copy"), (False, "the receiver overwrites its copy"):
        if hop := next((hop for hop in hops if hop.adds is adds), None):
            key(root, y, pen(hop._replace(chunk=0)), hop.label[0], does)
            y += 24
    for i, tall in enumerate((5, 10, 20)):
        add(root, "rect", x=24 + 20 * i, y=y - tall + 4, width=17, height=tall, fill=COLOURS[i])
    add(root, "text", f"how much of the sum of {count(place.p, 'rank')} a copy holds", x=112, y=y, fill=FAINT)
