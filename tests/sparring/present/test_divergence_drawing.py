"""The SVG of a divergence, read back element by element."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sparring.present.divergence import svg
from sparring.present.spacetime.history import hops
from sparring.trace.events import Trace

SVG = "{http://www.w3.org/2000/svg}"
RED = "#C4001A"
Cases = Callable[..., Any]


def messages(root: ET.Element, side: str) -> list[ET.Element]:
    """The arrows of one of the pictures."""
    picture = next(group for group in root.iter(f"{SVG}g") if group.get("data-of") == side)
    return [group for group in picture.iter(f"{SVG}g") if (group.get("class") or "").startswith("message")]


def place(group: ET.Element) -> tuple[int, ...]:
    """Step, source and destination of an arrow."""
    return tuple(int(group.get(f"data-{name}", "")) for name in ("step", "src", "dst"))


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    """The arrows, of both pictures, that are also of this class."""
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == f"message {name}"]


def texts(root: ET.Element) -> list[str]:
    """Every text that a reader sees."""
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize(("fault", "t", "r", "dst"), [("chunk", 1, 2, 3), ("chunk", 4, 3, 0), ("peer", 2, 1, 0)])
@pytest.mark.parametrize("p", [4, 8])
def test_one_arrow_is_wrong(fault: str, t: int, r: int, dst: int, p: int, case: Cases) -> None:
    """Exactly the faulty message is red, thick, on top and marked; exactly the page's in its place is emphasised."""
    root = ET.fromstring(svg(*case(fault, t, r, p)))
    (culprit,) = of_class(root, "wrong")
    assert place(culprit) == (t, r, dst if p == 4 else (r + (-1 if fault == "peer" else 1)) % p)
    assert messages(root, "observed")[-1] is culprit
    assert texts(culprit)[-1].endswith("]!")
    assert culprit.get("data-chunk") is None
    (expected,) = of_class(root, "expected")
    assert place(expected) == (t, r, (r + 1) % p)
    assert expected in messages(root, "page")
    red = [element for element in root.iter(f"{SVG}path") if element.get("stroke") == RED]
    assert len(red) == 2  # the arrow, and its sample in the legend
    thick = {e.get("class"): e.find(f"{SVG}path") for e in (culprit, expected, messages(root, "page")[0])}
    widths = {name: float(path.get("stroke-width", "")) for name, path in thick.items() if path is not None}
    assert widths["message wrong"] == widths["message expected"] == 2 * widths["message"]


@pytest.mark.parametrize("p", [2, 3, 4, 5, 8, 16])
def test_the_page_is_complete(p: int, case: Cases) -> None:
    """The page's side has all messages of the steps drawn; both sides have the same lifelines."""
    made = case("chunk", 0, 1, p)
    root = ET.fromstring(svg(*made))
    drawn = [(*place(group), int(group.get("data-chunk", ""))) for group in messages(root, "page")]
    assert drawn == [hop[:4] for step in hops(made.page, p)[:6] for hop in step]
    for side in ("page", "observed"):
        picture = next(group for group in root.iter(f"{SVG}g") if group.get("data-of") == side)
        assert [text for text in texts(picture) if text.startswith("rank ")] == [f"rank {r}" for r in range(p)]


def test_a_missing_message_is_dotted_and_crossed(case: Cases) -> None:
    """Where nothing was sent a dotted arrow with a cross stands, and no other is observed there."""
    root = ET.fromstring(svg(*case("missing", 1, 1, p=2)))
    (absent,) = of_class(root, "missing")
    assert place(absent) == (1, 1, 0)
    assert texts(absent) == ["\N{MULTIPLICATION SIGN}"]
    path = absent.find(f"{SVG}path")
    assert path is not None and path.get("stroke-dasharray") and path.get("stroke") == RED
    assert not of_class(root, "wrong")
    assert [place(group) for group in messages(root, "observed")].count((1, 1, 0)) == 1


def test_no_messages_at_all(case: Cases) -> None:
    """A run that only calls a collective has one arrow, the missing one, and a heading that says so."""
    root = ET.fromstring(svg(*case("library")))
    assert [group.get("class") for group in messages(root, "observed")] == ["message missing"]
    assert "observed: no messages" in texts(root)
    assert "it calls Allreduce" in root.findtext(f"{SVG}desc", "")


def test_the_sentence_stands_above_and_within(case: Cases) -> None:
    """The divergence's sentence is the caption, wrapped, and the description for readers without sight."""
    made = case("chunk", 1, 2)
    root = ET.fromstring(svg(*made))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Dense ring allreduce at 4 ranks: the page and a run that leaves it"
    assert root.findtext(f"{SVG}desc") == str(made.divergence)
    caption = [element.text or "" for element in root.findall(f"{SVG}text") if element.get("fill") == RED]
    assert " ".join(caption) == str(made.divergence)
    assert {"the page", "observed"} <= set(texts(root))


def test_nothing_lies_outside(case: Cases) -> None:
    """Pictures stand side by side where few ranks are drawn, else one below the other, within the sheet."""
    for p, beside in (2, True), (5, True), (6, False), (16, False):
        root = ET.fromstring(svg(*case("chunk", 0, 1, p)))
        width, height = (float(root.get(name, "")) for name in ("width", "height"))
        moves = {g.get("data-of"): g.get("transform", "") for g in root.iter(f"{SVG}g") if g.get("data-of")}
        (x0, y0), (x1, y1) = ([float(v) for v in re.findall(r"[\d.]+", moves[side])] for side in ("page", "observed"))
        assert (x1 > x0 and y1 == y0) if beside else (x1 == x0 and y1 > y0)
        for side, x, y in ("page", x0, y0), ("observed", x1, y1):
            picture = next(group for group in root.iter(f"{SVG}g") if group.get("data-of") == side)
            assert all(x + float(line.get("x2", "")) < width for line in picture.iter(f"{SVG}line"))
            assert all(y + float(line.get("y2", "")) < height for line in picture.iter(f"{SVG}line"))


def test_many_ranks(case: Cases) -> None:
    """Of more than 16 ranks 16 are drawn, and the rest is named."""
    root = ET.fromstring(svg(*case("chunk", 20, 5, p=18)))
    assert "Not drawn: steps 0 to 17, as in the page; steps 24 to 33; ranks 14, 15, with all" in " ".join(texts(root))
    assert len(of_class(root, "wrong")) == 1


def test_hostile_names_are_escaped(case: Cases) -> None:
    """Markup and control characters from a trace stay text."""
    made = case("chunk", 1, 2)
    events = [event._replace(where='<a href="x">\x00&.py:1') for event in made.trace.events]
    hostile = made.divergence._replace(where="]]><script>\x0b&")
    root = ET.fromstring(svg(made.page, Trace(4, events), hostile))
    assert not {"{http://www.w3.org/2000/svg}a", "{http://www.w3.org/2000/svg}script"} & {e.tag for e in root.iter()}
    assert "(]]><script>&)" in root.findtext(f"{SVG}desc", "")
