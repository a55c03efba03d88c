"""The SVG picture, read back element by element, shows the run and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sparring.api import page
from sparring.errors import InputError
from sparring.present.spacetime import svg
from sparring.present.spacetime.history import Hop, moments
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import truth

RING = page("ring")
SVG = "{http://www.w3.org/2000/svg}"
README_PICTURE = Path(__file__).parents[3] / "docs" / "ring.svg"


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    """The groups of that class."""
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == name]


def texts(root: ET.Element) -> list[str]:
    """Every text that a reader sees."""
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def hop_of(group: ET.Element) -> Hop:
    """The message that a group is, by its attributes, its dashes and its label."""
    t, src, dst, chunk = (int(group.get(f"data-{name}", "")) for name in ("step", "src", "dst", "chunk"))
    path, label = group.find(f"{SVG}path"), texts(group)[-1]
    assert path is not None
    hop = Hop(t, src, dst, chunk, path.get("stroke-dasharray") is None)
    assert label == f"{'+' if hop.adds else '='}{chunk}" == hop.label
    return hop


def ends(group: ET.Element) -> list[tuple[float, float]]:
    """The points of a message's line, from sender to receiver."""
    path = group.find(f"{SVG}path")
    assert path is not None
    numbers = [float(x) for x in re.findall(r"[\d.]+", path.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize("which", ["ring", "backwards", "direct"])
def test_every_message_is_drawn_once(which: str, p: int, request: pytest.FixtureRequest) -> None:
    """The picture has the messages of the run, each once: solid where they add, dashed where they overwrite."""
    drawn = RING if which == "ring" else request.getfixturevalue(which)
    messages = [hop_of(group) for group in of_class(ET.fromstring(svg(drawn, p)), "message")]
    assert messages == [hop for moment in moments(drawn, p) for hop in moment.hops]
    assert len(messages) == p * 2 * (p - 1)


@pytest.mark.parametrize("which", ["ring", "backwards", "direct"])
def test_arrows_run_from_sender_down_to_receiver(which: str, request: pytest.FixtureRequest) -> None:
    """A line begins at the sender's lifeline and ends, lower, at the receiver's; round the edge it has two pieces."""
    drawn = RING if which == "ring" else request.getfixturevalue(which)
    root = ET.fromstring(svg(drawn, 5))
    lifeline = {e.text: float(e.get("x", "")) for e in root.iter(f"{SVG}text") if (e.text or "").startswith("rank ")}
    for group in of_class(root, "message"):
        hop, points = hop_of(group), ends(group)
        assert points[0][0] == lifeline[f"rank {hop.src}"]
        assert points[-1][0] == lifeline[f"rank {hop.dst}"]
        assert points[0][1] < points[-1][1]
        assert len(points) == (4 if abs(hop.src - hop.dst) > 2.5 else 2)
        if len(points) == 4:
            assert points[1][1] == points[2][1]
            assert {f"to {hop.dst}", f"from {hop.src}"} <= set(texts(group))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 8])
def test_copies_are_as_full_as_the_page_claims(p: int) -> None:
    """Every bar is blank exactly by what ``holds`` says is missing, and its tooltip names what is there."""
    groups = of_class(ET.fromstring(svg(RING, p)), "cells")
    assert len(groups) == p * (2 * (p - 1) + 1)
    for group in groups:
        r, t = int(group.get("data-rank", "")), int(group.get("data-after", "")) + 1
        held = [[q for q in range(p) if truth(RING.holds(q, r, c, t, p))] for c in range(p)]
        title, blank = group.find(f"{SVG}title"), group.find(f"{SVG}path")
        assert title is not None
        named = re.findall(r"chunk \d+ of ([\d, ]+)", title.text or "")
        assert [[int(q) for q in ranks.split(", ")] for ranks in named] == held
        missing = re.findall(r"v([\d.]+)", blank.get("d", "")) if blank is not None else []
        short = [20 * (1 - len(ranks) / p) for ranks in held if len(ranks) < p]
        assert [float(v) for v in missing] == pytest.approx(short, rel=0.01)


def test_hostile_prose_is_escaped(vary: Callable[..., Page]) -> None:
    """Markup and control characters in a page's title stay text."""
    title = ET.fromstring(svg(vary(doc='<script>alert("&")</script>\x00\x0b ]]> A title.'), 3)).find(f"{SVG}title")
    assert title is not None
    assert title.text == '<script>alert("&")</script> ]]> A title at 3 ranks'


def test_readers_without_sight_get_words() -> None:
    """The document has a title, a description, and a sentence for every message."""
    root = ET.fromstring(svg(RING, 3))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    titles = [group.findtext(f"{SVG}title") for group in of_class(root, "message")]
    assert titles[2] == "step 0: rank 2 sends chunk 2 to rank 0, which adds it to its copy"


def test_one_rank_sends_nothing() -> None:
    """A page without steps says so."""
    assert "no step: nothing is sent" in texts(ET.fromstring(svg(RING, 1)))


@pytest.mark.parametrize("p", [-1, 0, 17])
def test_ranks_out_of_range(p: int) -> None:
    """What cannot be drawn legibly is refused with the range that can."""
    with pytest.raises(InputError, match=f"no legible picture of {p} ranks; right: 1 to 16"):
        svg(RING, p)


def test_readme_picture_is_current() -> None:
    """The README's picture is what ``sparring show ring --ranks 4 --svg docs/ring.svg`` draws."""
    assert README_PICTURE.read_text(encoding="utf-8") == svg(RING, 4)
