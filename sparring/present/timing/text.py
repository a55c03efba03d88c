"""The timing for a terminal: a row a unit of time, with every message that is under way in it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from sparring.errors import InputError
from sparring.present.divergence.placing import Seen
from sparring.present.divergence.text import as_ascii
from sparring.present.spacetime.history import Look
from sparring.present.spacetime.text import EDGE, MARGIN, PITCH, RULES, STYLE, Layout, Line, across, lanes
from sparring.proofs.contention.judgement import Judgement
from sparring.proofs.contention.overlaps import Overlap
from sparring.proofs.contention.timings import Timing, describe_transfer

NARROW = 7  # columns from rank to rank at least


def terminal(judged: Judgement, width: int = 80, *, ascii_only: bool = False) -> Text:
    """Return the timing of a judgement as lines; raises InputError where no messages meet or none was looked for.

    Where not all ranks have room, those of the two messages and the first ones are drawn.
    ``ascii_only`` is for outputs that cannot encode arrows; it has no colours.
    """
    overlap, timing = judged.freedom.overlap, judged.timing
    if overlap is None or timing is None:
        raise InputError(f"no timing to draw: {judged.sentences()[0]}")
    ranks = drawn(judged.p, overlap, max(4, (width - MARGIN - EDGE) // NARROW))
    layout = Layout(judged.p, ranks, min((width - MARGIN - EDGE) // len(ranks), PITCH), width)
    picture = Text("\n").join(lines(layout, overlap, timing))
    return Text(as_ascii(picture.plain)) if ascii_only else picture


def drawn(p: int, overlap: Overlap, most: int) -> list[int]:
    """Return the ranks that have room: those of the two messages, then the first ones."""
    needed = {overlap.first.src, overlap.first.dst, overlap.second.src, overlap.second.dst}
    others = [r for r in range(p) if r not in needed]
    return sorted([*needed, *others[: most - len(needed)]])


def lines(layout: Layout, overlap: Overlap, timing: Timing) -> Iterator[Text]:
    """Yield the lines of the legend, of the numbers of the ranks, and of the units of time."""
    step, rule, heavy = f"t{overlap.second.t}", *(RULES[look][0] * 2 for look in (Look.OTHER, Look.WRONG))
    yield Text(f"{rule}{step}{rule}▶   a message of that step, in each unit of time that it takes")
    yield Text.assemble((f"{heavy}{step}!{heavy}▶  ", STYLE[Look.WRONG]), "one of the two that meet\n")
    if layout.k < layout.p:
        yield Text(f"{layout.k} of {layout.p} ranks are drawn, and no messages between others\n")
    ranks = Line(layout.width, "rank")
    for r in layout.ranks:
        ranks.put(layout.centre(r) - len(str(r)) // 2, str(r), "bold")
    yield ranks.text()
    for unit in range(timing.length):
        found = lanes(layout, under_way(overlap, timing, unit)) or [[]]
        for i, lane in enumerate(found):
            yield across(layout, lane, f"time {unit}" if i == 0 else "")


def under_way(overlap: Overlap, timing: Timing, unit: int) -> Iterator[Seen]:
    """Yield the messages that are on their way between ``unit`` and the next."""
    for m, begin in timing.begins.items():
        if begin <= unit < timing.ends[m]:
            meets = m in (overlap.first, overlap.second)
            label = f"t{m.t}!" if meets else f"t{m.t}"
            yield Seen(unit, m.src, m.dst, Look.WRONG if meets else Look.OTHER, label, describe_transfer(m))
