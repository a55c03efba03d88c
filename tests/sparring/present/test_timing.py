"""The pictures of a timing show every message from where it begins to where it ends, and mark the two that meet."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

import sparring
from sparring.errors import InputError
from sparring.present import timing

SVG = "{http://www.w3.org/2000/svg}"
CASES = [("crossbar", 4), ("crossbar", 16), ("ring", 5), ("fat_tree", 14), ("torus:k=2", 9)]


def judged(topology, p):
    return sparring.contention("recursive_doubling", topology, p)


def y(element) -> float:
    """How far down an element stands."""
    return float(element.get("y"))


def messages(root):
    """The groups that are messages, as numbers, and whether they are marked."""
    names = ("step", "src", "dst", "begin", "end")
    return {
        (*(int(group.get(f"data-{name}")) for name in names), group.get("class") == "message wrong")
        for group in root.iter(f"{SVG}g")
        if (group.get("class") or "").startswith("message")
    }


@pytest.mark.parametrize(("topology", "p"), CASES)
def test_the_svg_shows_the_timing(topology, p):
    """All messages, with their times; marked are the two that meet, and no others."""
    judgement = judged(topology, p)
    found, overlap = judgement.timing, judgement.freedom.overlap

    assert messages(ET.fromstring(timing.svg(judgement))) == {
        (*m, begin, found.ends[m], m in (overlap.first, overlap.second)) for m, begin in found.begins.items()
    }


def test_the_band_is_the_time_of_the_meeting():
    """It begins where the later one does and ends with the earlier."""
    judgement = judged("crossbar", 4)
    root = ET.fromstring(timing.svg(judgement))
    found, pair = judgement.timing, judgement.freedom.overlap[1:]
    lines = {t.text: y(t) - 4 for t in root.iter(f"{SVG}text") if (t.text or "").startswith("time ")}
    band = next(r for r in root.iter(f"{SVG}rect") if r.get("fill") == "#f3f5f8")

    assert y(band) == lines[f"time {max(found.begins[m] for m in pair)}"]
    assert y(band) + float(band.get("height", "nan")) == lines[f"time {min(found.ends[m] for m in pair)}"]


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize(("topology", "p"), CASES)
def test_the_terminal_shows_the_meeting(topology, p, width):
    """In the units of time in which both are on their way, both are marked; no line is too long."""
    judgement = judged(topology, p)
    found, pair = judgement.timing, judgement.freedom.overlap[1:]
    lines = timing.terminal(judgement, width).plain.splitlines()
    rows = [line for line in lines if "│" in line or line.startswith("time")]
    units: list[str] = []
    for row in rows:
        units = [*units, row] if row.startswith("time") else [*units[:-1], units[-1] + row]

    assert all(len(line) <= max(width, 68) for line in lines)
    assert all(len(line) <= width for line in rows)
    assert len(units) == found.length
    for unit, text in enumerate(units):
        assert text.count("!") == sum(found.begins[m] <= unit < found.ends[m] for m in pair)


def test_ascii():
    """Where arrows cannot be encoded, other characters stand for them."""
    assert timing.terminal(judged("crossbar", 4), ascii_only=True).plain.isascii()


@pytest.mark.parametrize("draw", [timing.svg, timing.terminal])
def test_nothing_to_draw(draw):
    """Where no messages meet, and where nobody looked for a timing."""
    with pytest.raises(InputError, match="no timing to draw: exclusive on ring at p=4"):
        draw(sparring.contention("ring", "ring", 4))
    with pytest.raises(InputError, match="no timing to draw: rendezvous on crossbar at p=32"):
        draw(judged("crossbar", 32))
