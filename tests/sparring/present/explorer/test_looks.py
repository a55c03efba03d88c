"""How the viewer looks: on narrow screens, in the dark, inside another page, with many ranks, with hostile names."""

from __future__ import annotations

import io
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray
from PIL import Image

from sparring.present.explorer.document import Document, Run, Stage
from sparring.present.explorer.html import SCRIPTS
from sparring.present.explorer.html import page as written
from tests.sparring.present.explorer import samples

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.sparring.present.explorer.conftest import Opened

PICTURES = Path(__file__).with_name("pictures")
COARSE = 20, 14
"""Pictures are compared by how much ink is where, so coarsely: fonts differ from machine to machine."""
TOLERANCE = 0.08
"""So great a share of the ink may be elsewhere: another font moves 0.04 of it, a missing panel 0.1 and more."""
INK = 24
"""What differs so much from the ground, in grey of 0 to 255, is ink."""


class Sight(NamedTuple):
    """A picture that is kept: its document, address and colours."""

    document: Document
    at: str
    dark: bool = False


SIGHTS = {
    "spacetime": Sight(samples.ring(8), "step=5&view=spacetime"),
    "ring-dark": Sight(samples.ring(8), "step=9&view=ring", True),
    "failure": Sight(samples.failure(), "step=2&view=spacetime"),
    "deadlock": Sight(samples.deadlock(), ""),
    "topology-dark": Sight(samples.on_topology("recursive_doubling", 8, "fat_tree"), "step=3&view=topology", True),
}


@pytest.mark.parametrize("make", [samples.ring, samples.failure, samples.deadlock, samples.composition])
def test_nothing_sticks_out_of_a_narrow_screen(opened: Opened, make: type) -> None:
    """At 400 pixels there is no sideways scrolling, in any view, with a message shown."""
    page = opened(make(8) if make is samples.ring else make(), "step=2", width=400, height=800)
    page.locator(".messages button").first.dispatch_event("click")
    for key in "1234":
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        for part in (".picture", ".copies", ".controls", ".inspector"):
            box = page.locator(part).first.bounding_box()
            assert box is None or (box["x"] >= 0 and box["x"] + box["width"] <= 400), (key, part)
    wide = page.locator(".picture").first.bounding_box()
    assert wide is not None and wide["width"] > 300


def test_two_runs_stand_side_by_side_where_there_is_room(opened: Opened) -> None:
    """On a wide screen beside one another, on a narrow one below."""
    page = opened(samples.failure())
    tops = "[...document.querySelectorAll('.run')].map((one) => Math.round(one.getBoundingClientRect().top))"
    first, second = page.evaluate(tops)
    assert first == second
    page.set_viewport_size({"width": 400, "height": 800})
    first, second = page.evaluate(tops)
    assert first < second


def test_embedded_it_shows_pictures_and_controls_alone(opened: Opened) -> None:
    """In 700 x 520 the header is gone, and the current step is in sight."""
    page = opened(samples.ring(8), "step=5&embed", width=700, height=520)
    assert page.locator("header").is_hidden() and page.locator(".about").is_hidden()
    box = page.locator(".picture .arrow:not(.faint)").first.bounding_box()
    assert box is not None and box["y"] + box["height"] < 520
    page.keyboard.press("ArrowRight")
    assert page.evaluate("explorer.root.classList.contains('embed')")


def brightness(page: Page) -> int:
    """Return how bright the page's ground is, from 0 to 255."""
    return int(page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"))


def test_colours_follow_the_system_and_the_switch(opened: Opened) -> None:
    """Dark where the system is; the switch turns to dark and light, for canvases, too."""
    page = opened(samples.ring(8), theme="dark")
    assert brightness(page) < 50
    page.locator("header button").click()
    page.locator("header button").click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert brightness(page) == 255
    page = opened(samples.ring(20), "step=1&theme=dark", theme="light")
    assert brightness(page) < 50
    assert page.locator(".picture canvas").count() == 1
    dark = page.evaluate("ink('--paper')")
    page.locator("header button").click()
    assert page.evaluate("ink('--paper')") != dark


def test_names_from_strangers_are_text(opened: Opened) -> None:
    """Tags and attributes in a document's texts stay text, wherever they are shown."""
    bad = "</script><script>window.bad = 1</script><img src=x onerror='window.bad = 1'>\"onload=\"window.bad = 1"
    own = samples.failure()
    stages = [replace(stage, heading=bad, text=bad) for stage in own.runs[1].stages]
    found = [replace(one, text=bad, where=bad) for one in own.findings]
    formulas = [replace(one, source=bad, expression=bad) for one in own.formulas]
    runs = [Run([Stage(bad, text=bad), *stages], bad), Run(stages, bad)]
    page = opened(Document(bad, bad, 4, runs, bad, bad, {"p": 4, bad: 2}, formulas, found, notes=[bad]), "step=3")
    for position in range(1, 4):
        page.evaluate("(k) => explorer.go(k)", position)
        page.evaluate("document.querySelectorAll('.messages button, .findings button').forEach((one) => one.click())")
    assert page.evaluate("window.bad") is None
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == bad
    assert page.title() == bad


def test_many_ranks_draw_a_bounded_number_of_shapes(opened: Opened) -> None:
    """128 ranks and 254 steps: each step draws some thousands of shapes on canvases, however many steps there are."""
    page = opened(samples.ring(128))
    assert page.evaluate("explorer.last") == 254
    most = 0
    for key in "1234":
        page.keyboard.press(key)
        for position in (1, 127, 254):
            page.evaluate("(k) => explorer.go(k)", position)
            most = max(most, int(page.evaluate("explorer.drawn()")))
        assert page.locator(".picture canvas, .picture svg").count() == 1
    assert 500 < most < 5000
    assert page.evaluate("explorer.holds(254).flat().every((held) => held.length === 128)")
    assert page.evaluate("explorer.replays[0].kept.size") < 40
    listed = page.locator(".messages li")
    assert listed.count() == 25
    page.get_by_text("show 104 more").click()
    assert listed.count() == 128


def test_files_are_small() -> None:
    """Viewer and data together: what a documentation or a mail can carry."""
    assert len(written(samples.ring(8)).encode()) < 100_000
    assert len(written(samples.ring(128)).encode()) < 500_000


def test_no_text_of_the_scripts_spans_lines() -> None:
    """So that comments and indentation may be taken away; a page has neither."""
    folder = resources.files("sparring.present.explorer")
    for name in SCRIPTS:
        for line in (folder / f"{name}.js").read_text(encoding="utf-8").splitlines():
            assert line.strip().startswith(("*", "/*", "//")) or line.count("`") % 2 == 0, (name, line)
    assert not re.search(r"^ *(//|/\*\*)", written(samples.ring(2)).split("<script>")[1], re.MULTILINE)


def seen(page: Page) -> Image.Image:
    """Return what is on the screen."""
    return Image.open(io.BytesIO(page.screenshot()))


def inked(picture: Image.Image) -> NDArray[np.float64]:
    """Return how much ink is in each coarse part of a picture."""
    grey = np.asarray(picture.convert("L"), float)
    ink = Image.fromarray((np.abs(grey - grey[0, 0]) > INK).astype(np.float32))
    return np.asarray(ink.resize(COARSE, Image.Resampling.BOX), float)


def unlike(one: Image.Image, other: Image.Image) -> float:
    """Return how great a share of a picture's ink is elsewhere in the other."""
    return float(np.abs(inked(one) - inked(other)).sum() / inked(other).sum())


@pytest.mark.parametrize("name", SIGHTS)
def test_it_looks_like_the_pictures_that_are_kept(opened: Opened, name: str) -> None:
    """Coarsely: another font passes, a missing panel does not.  To renew one: delete it, and run the test twice."""
    document, at, dark = SIGHTS[name]
    page = opened(document, at, width=1000, height=700, theme="dark" if dark else "light")
    kept = PICTURES / f"{name}.png"
    if not kept.exists():
        seen(page).convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(kept, optimize=True)
        pytest.fail(f"{kept.name} was not there; look at the one that is there now")
    assert kept.stat().st_size < 80_000
    reference = Image.open(kept)
    assert reference.size == (1000, 700)
    assert unlike(seen(page), reference) < TOLERANCE
    page.evaluate("document.body.style.fontFamily = 'serif'")
    assert unlike(seen(page), reference) < TOLERANCE
    for panel in (".view", ".controls"):
        page.evaluate("(panel) => { document.querySelector(panel).style.visibility = 'hidden' }", panel)
        assert unlike(seen(page), reference) > TOLERANCE, panel
        page.evaluate("(panel) => { document.querySelector(panel).style.visibility = '' }", panel)
