"""The viewer goes through a run: by slider, keys and address, in three views, and says what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sparring.present.explorer.document import Document, Message, Run, Stage, Step, plain
from sparring.spec.core.pages import find
from sparring.spec.core.schedule import number, truth
from tests.sparring.present.explorer import samples
from tests.sparring.present.explorer.browsing import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.sparring.present.explorer.conftest import Opened


def position(page: Page) -> int:
    """Return where the page stands."""
    return int(page.evaluate("explorer.state.position"))


def view(page: Page) -> str:
    """Return the name of the view that is shown."""
    return str(page.locator(".views button[aria-pressed=true]").inner_text())


def test_keys_step_and_choose_views(opened: Opened) -> None:
    """Arrows, Home and End move, 1 2 3 show the views, and nobody steps out of the run."""
    page = opened(samples.ring(5))
    assert position(page) == 0
    for key, there in [
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("End", 8),
        ("ArrowRight", 8),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert position(page) == there, key
    for key, shown in [("2", "Ring"), ("3", "Matrix"), ("1", "Space-time")]:
        page.keyboard.press(key)
        assert view(page) == shown


def test_slider_and_buttons(opened: Opened) -> None:
    """Slider and buttons reach the same places as the keys, and the step is told in words."""
    page = opened(samples.ring(5))
    slider = page.get_by_label("step", exact=True)
    assert slider.get_attribute("max") == "8"
    slider.fill("3")
    assert page.locator(".told").inner_text() == "Step 3 of 8: ring \N{MIDDLE DOT} t = 2"
    assert "rank 0 sends chunk 3 to rank 1, which adds it to its copy" in page.locator("[aria-live]").inner_text()
    slider.press("ArrowRight")
    page.get_by_label("forward (right arrow)").click()
    assert position(page) == 5
    page.get_by_label("first (Home)").click()
    assert page.locator(".told").inner_text() == "Before the first step"


def test_plays_until_it_is_stopped_or_the_run_ends(opened: Opened) -> None:
    """Space plays and pauses; play at the end begins again and stops at the end."""
    page = opened(samples.ring(4), "step=5")
    page.get_by_label("steps a second").select_option("8")
    page.locator("body").click(position={"x": 2, "y": 2})
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    until(page, "explorer.state.position === 6 && !explorer.timer")
    page.keyboard.press(" ")
    until(page, "explorer.state.position === 2")
    page.keyboard.press(" ")
    assert page.evaluate("explorer.timer") is None
    assert page.get_by_label("play (space)").is_visible()


def test_the_address_keeps_position_and_view(opened: Opened) -> None:
    """A link opens where it was taken, and follows when only its hash changes."""
    page = opened(samples.ring(5), "step=4&view=ring")
    assert (position(page), view(page)) == (4, "Ring")
    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash === '#step=5&view=matrix'")
    page.evaluate("location.hash = '#step=2&view=spacetime'")
    until(page, "explorer.state.position === 2 && explorer.state.view === 'spacetime'")


def test_an_odd_address_opens_the_run_all_the_same(opened: Opened) -> None:
    """Positions are kept within the run, and views that do not exist are left out."""
    page = opened(samples.ring(4), "step=99&view=__proto__")
    assert (position(page), view(page)) == (6, "Space-time")
    for odd in ("step=-3", "step=x&view=toString", "%%%&step"):
        page.evaluate("(hash) => { location.hash = hash }", odd)
        until(page, "explorer.state.position === 0")
        page.keyboard.press("End")


def test_stages_are_places_to_jump_to(opened: Opened) -> None:
    """Each stage has a button; local work shows its text."""
    page = opened(samples.composition())
    page.locator(".stages button").nth(2).click()
    place = position(page)
    assert place == 2 + len(samples.composition().runs[0].stages[1].steps)
    assert page.locator(".work").inner_text() == "What each rank does in part 1."
    page.keyboard.press("ArrowRight")
    assert page.locator(".work").is_hidden()
    assert page.locator(".stages button[aria-current=true]").inner_text() == "bruck_allgather"


STATES = """(document) => {
  const replay = new Replay(document.runs[0], document.ranks);
  return Array.from({length: replay.length + 1}, (_, k) => explorer.holds.call({replays: [replay]}, k));
}"""


@pytest.mark.parametrize("p", [5, 8])
def test_replayed_contributions_are_those_of_the_page(opened: Opened, p: int) -> None:
    """After each step every copy that the page vouches for holds what its formula ``holds`` says."""
    browser = opened(samples.ring(2))
    for name in ("ring", "rabenseifner", "recursive_doubling", "bruck_allgather"):
        own = find(name)
        states = browser.evaluate(STATES, plain(samples.algorithm(name, p))["document"])
        assert len(states) == number(own.steps(p)) + 1
        for t, state in enumerate(states):
            for r, row in enumerate(state):
                for c, held in enumerate(row):
                    if truth(own.live(r, c, t, p)):
                        assert held == [q for q in range(p) if truth(own.holds(q, r, c, t, p))], (name, t, r, c)


def test_a_message_that_goes_astray_changes_what_is_replayed(opened: Opened) -> None:
    """The replay follows the messages and no formula: of one that overwrites too early a contribution is lost."""
    stage = samples.stage(find("ring"), 4)
    first = [Message(0, 1, [0], False), *stage.steps[0].messages[1:]]
    astray = Stage("ring", chunks=4, steps=[Step(first, t=0), *stage.steps[1:]])
    page = opened(Document("trace", "astray", 4, [Run([astray])]))
    assert page.evaluate("explorer.holds(1)[1][0]") == [0]
    assert page.evaluate("explorer.holds(6)[0][0]") == [0, 2, 3]


def test_what_is_not_known_is_not_made_up(opened: Opened) -> None:
    """A message of unknown chunks leaves its receiver's copies unknown, and what comes from there."""
    steps = [Step([Message(0, 1)]), Step([Message(1, 2, [0], True)]), Step([Message(0, 2, [1], False)])]
    page = opened(Document("trace", "unknown", 3, [Run([Stage("messages", chunks=2, steps=steps)])]))
    assert page.evaluate("explorer.holds(3)") == [[[0], [0]], [None, None], [None, [0]]]
    page.keyboard.press("End")
    page.locator(".copies").focus()
    page.keyboard.press("ArrowDown")
    assert "not known" in page.locator(".tip").inner_text()


def test_jumps_back_and_forth_replay_the_same(opened: Opened) -> None:
    """States kept along the way do not depend on the way."""
    page = opened(samples.algorithm("ring", 24))
    ways = "(ks) => ks.map((k) => JSON.stringify(explorer.holds(k)))"
    order = [46, 3, 30, 17, 31, 0, 45, 16]
    there = page.evaluate(ways, order)
    page.reload()
    until(page, "Boolean(window.explorer)")
    assert page.evaluate(ways, sorted(order)) == [there[order.index(k)] for k in sorted(order)]
