"""What the viewer tells of a message, a copy, a finding and a link; and the numbers that it puts into formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparring.present.explorer.document import Detail, Document, Finding, Formula, Message, Run, Stage, Step, Wait
from sparring.spec.core.numbers import reverse, where
from tests.sparring.present.explorer import samples

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.sparring.present.explorer.conftest import Opened

NOW = ".picture .arrow:not(.faint)"
"""The arrows of the current step."""


def equations(page: Page) -> list[str]:
    """Return the equations of the message that is shown, each in one line."""
    return [" ".join(one.split()) for one in page.locator(".equation").all_inner_texts()]


def test_a_message_is_told_in_full_with_its_formulas(opened: Opened) -> None:
    """A click shows ranks, chunk, what the receiver does, and each formula with the numbers put in."""
    page = opened(samples.ring(8), "step=3")
    page.locator(NOW).nth(3).dispatch_event("click")
    assert "Rank 3 \N{RIGHTWARDS ARROW} rank 4" in page.locator(".inspector h2").inner_text()
    assert equations(page) == [
        "dst(r=3, t=2, p=8) = (r + 1) % p = (3 + 1) % 8 = 4",
        "src(r=4, t=2, p=8) = (r - 1) % p = (4 - 1) % 8 = 3",
        "chunk(r=3, t=2, p=8) = (r - t) % p = (3 - 2) % 8 = 1",
        "adds(t=2, p=8) = t < p - 1 = 2 < 8 - 1 = True",
    ]
    page.keyboard.press("Escape")
    assert page.locator(".inspector").is_hidden()


def test_a_message_by_keyboard_keeps_the_focus(opened: Opened) -> None:
    """Enter on an arrow shows it; the arrow is drawn anew and still has the focus."""
    page = opened(samples.ring(5), "step=1&view=ring")
    page.locator(NOW).nth(2).focus()
    assert page.locator(".tip").inner_text() == "rank 2 sends chunk 2 to rank 3, which adds it to its copy"
    page.keyboard.press("Enter")
    assert page.locator(".inspector h2").inner_text().startswith("Rank 2")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("rank 2 sends chunk 2")
    listed = page.locator(".messages button").nth(4)
    listed.focus()
    page.keyboard.press("Enter")
    assert page.locator(".inspector h2").inner_text().startswith("Rank 4")
    assert page.evaluate("document.activeElement.closest('.messages') !== null")


def test_a_copy_by_pointer_and_by_keyboard(opened: Opened) -> None:
    """Hover and focus tell whose contributions a copy has; one that is chosen is followed through the steps."""
    page = opened(samples.ring(8), "step=3")
    told = (
        "rank 2\N{RIGHT SINGLE QUOTATION MARK}s copy of chunk 0: contributions of ranks 0\N{EN DASH}2 (3 of 8 wanted)"
    )
    cell = page.evaluate(
        "(() => { const b = document.querySelector('.copies').getBoundingClientRect(); return [b.x, b.y] })()"
    )
    page.mouse.move(cell[0] + 40, cell[1] + 30 + 30 * 2 + 10)
    assert page.locator(".tip").inner_text() == told
    page.locator(".copies").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(".tip").inner_text() == told
    page.keyboard.press("Enter")
    assert told in page.locator(".inspector").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert "(all it must hold)" in page.locator(".inspector").inner_text()


def test_a_run_beside_its_page(opened: Opened) -> None:
    """It opens at the first finding; what differs has a dash of its own; both runs step together."""
    page = opened(samples.failure())
    assert page.evaluate("explorer.state.position") == 2
    assert page.locator(".run h2").all_inner_texts() == ["page", "seen"]
    page_run, seen = page.locator(".picture").first, page.locator(".picture").last
    assert page_run.locator(".arrow.expected:not(.faint)").count() == 2
    for look, marks in [("wrong", 1), ("missing", 1)]:
        assert seen.locator(f".arrow.{look}").count() == marks
    dashes = {
        look: seen.locator(f".arrow.{look} path").nth(1).get_attribute("stroke-dasharray")
        for look in ("wrong", "missing", "adds")
    }
    assert len(set(dashes.values())) == 3 and not dashes["adds"]
    told = page.locator(".inspector").inner_text()
    assert all(part in told for part in ("differs from the page", "1.5 2", "1.5 3", "mine.py:12", "another value"))
    page.locator(".findings button").nth(2).click()
    assert page.evaluate("explorer.columns.map((one) => one.shown.position)") == [6, 6]


def test_what_was_not_sent_changes_no_copy(opened: Opened) -> None:
    """The run that lacks a message ends with another sum, and the page beside it does not."""
    page = opened(samples.failure())
    assert page.evaluate("explorer.holds(2, 0)[3][1]") == [1, 2, 3]
    assert page.evaluate("explorer.holds(2, 1)[3][1]") == [3]


def test_sparse_copies_show_their_entries(opened: Opened) -> None:
    """A copy's entries are ticks in its cell, and text with its values."""
    page = opened(samples.failure(), "step=2")
    page.locator(".run").last.locator(".copies").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert "entries 1, 5\N{EN DASH}6; values 1 2 3" in page.locator(".tip").inner_text()
    counted = (
        "explorer.columns.map((one) => copiesPicture(one.shown, 400).shapes.filter((s) => s.kind === 'line').length)"
    )
    assert page.evaluate(counted) == [0, 5]


def test_a_deadlock_is_a_circle_of_waits(opened: Opened) -> None:
    """Who waits for whom is drawn on the ring and told in the list, and gone at another step."""
    page = opened(samples.deadlock())
    assert page.locator(".picture .arrow.waits").count() == 4
    assert "rank 0 waits for rank 3 in Recv" in page.locator("ul.waits").inner_text()
    page.keyboard.press("1")
    assert "waits for 3" in str(page.locator(".picture svg").text_content())
    page.keyboard.press("2")
    page.keyboard.press("Home")
    assert page.locator(".picture .arrow.waits").count() == 0


def test_a_run_without_messages_shows_its_waits(opened: Opened) -> None:
    """Ranks that wait before anything is sent are drawn all the same."""
    waits = [Wait(r, [1 - r], "Barrier") for r in range(2)]
    page = opened(Document("dumps", "stuck", 2, [Run([])], findings=[Finding("both wait", waits=waits)]))
    assert page.locator(".picture .arrow.waits").count() == 2
    assert page.locator(".told").inner_text() == "No messages are known"


def test_no_page_is_named_where_there_is_none(opened: Opened) -> None:
    """A message of a run alone is at fault; an exchange tells its text, and prose shows code without its signs."""
    step = Step([Message(0, 1, [0], adds=False)], details=[Detail(0, "wrong")])
    goal = [[[0], []], [[0], []]]
    stage = Stage("broadcast", text="Rank 1 dies after it.", chunks=2, goal=goal, steps=[step])
    page = opened(Document("schedule", "a file", 2, [Run([stage])], prose="Of ``x[0]`` alone."), "step=1")
    assert "is at fault" in page.locator(".legend").first.inner_text()
    assert page.locator(".work").inner_text() == "Rank 1 dies after it."
    assert page.locator(".about p code").text_content() == "x[0]"
    assert page.evaluate("explorer.columns[0].shown.copies.share(1, 1, explorer.replays[0].goal(1))") is None
    assert page.evaluate("copyTold(1, 1, [1], [])").endswith("(nothing is promised here)")


def test_links_that_two_messages_share_are_marked(opened: Opened) -> None:
    """Of a topology the loads of the step are shown, contention by word and not by colour alone."""
    page = opened(samples.ring(4), "step=1")
    rows = [" ".join(row.split()) for row in page.locator(".links li").all_inner_texts()]
    assert len(rows) == 4 and all(row.endswith("2 messages \N{EN DASH} contention") for row in rows)
    page.keyboard.press("Home")
    assert page.locator(".links li").count() == 0


def test_the_matrix_counts(opened: Opened) -> None:
    """Rows send, columns receive: of a step, or of all so far."""
    page = opened(samples.ring(4), "step=3&view=matrix")
    counts = "[...traffic(explorer.columns[0].shown)].map(([k, v]) => [Math.floor(k / 4), k % 4, v.count])"
    assert page.evaluate(counts) == [[r, (r + 1) % 4, 1] for r in range(4)]
    page.get_by_label("all steps so far").check()
    assert page.evaluate(counts) == [[r, (r + 1) % 4, 3] for r in range(4)]


GIVEN = {"r": 3, "t": 2, "p": 8}
MEANT = [
    "(r - t) % p", "(t - 2 * r) % p", "-r % p", "r - t - 1", "1 << t", "r ^ 1 << t", "p >> 1 | r & 2", "7 // -2",
    "-7 % -3", "0 <= r - t < p", "r == 3 != t", "where(t < p - 1, r, p)", "reverse(r, t + 1)", "~r & 7",
    "(r, where(r < t, 1, t))",
]  # fmt: skip
MEANINGLESS = [
    "alert(1)", "r.constructor", "constructor", "toString()", "__proto__", "r %", "(r", "r if t else p", "q + 1",
    "r % 0", "again(r)", "(" * 500, "1 << 80", "r = 2", "",
]  # fmt: skip


def test_the_evaluator_agrees_with_python(opened: Opened) -> None:
    """Precedence, floors and comparisons are Python's."""
    page = opened(samples.ring(2))
    for text in MEANT:
        meant = eval(text, {"where": where, "reverse": reverse, **GIVEN})
        got = page.evaluate("([text, given]) => worth(text, given, [])", [text, GIVEN])
        assert got == (list(meant) if isinstance(meant, tuple) else meant), text


def test_the_evaluator_leaves_what_it_does_not_know(opened: Opened) -> None:
    """It runs nothing, and gives no number where the text has none."""
    page = opened(samples.ring(2))
    formulas = [{"name": "again", "letters": ["r"], "expression": "again(r)"}]
    for text in MEANINGLESS:
        assert page.evaluate(
            "([text, given, all]) => worth(text, given, all) === undefined", [text, GIVEN, formulas]
        ), text


def test_formulas_call_one_another_and_messages_witness_the_rest(opened: Opened) -> None:
    """A formula that calls another is worked out; what only the message tells is taken from there; a lie is shown."""

    def formula(name: str, expression: str) -> Formula:
        return Formula(name, ["r", "t", "p"], f"def {name}(r, t, p): ...", expression)

    formulas = [
        formula("next", "(r + 1) % p"),
        formula("dst", "next(r, t, p)"),
        formula("chunk", "secret(r)"),
        formula("src", ""),
        formula("adds", "r < 0"),
    ]
    stage = Stage("one", chunks=3, steps=[Step([Message(1, 2, [2], True)], t=0)], formulas=[1, 2, 3, 4])
    page = opened(Document("algorithm", "one", 3, [Run([stage])], formulas=formulas), "step=1")
    page.locator(".messages button").click()
    assert equations(page) == [
        "dst(r=1, t=0, p=3) = next(r, t, p) = next(1, 0, 3) = 2",
        "chunk(r=1, t=0, p=3) = secret(r) = secret(1) = 2",
        "src(r=2, t=0, p=3) = 1",
        "adds(r=1, t=0, p=3) = r < 0 = 1 < 0 = False \N{NOT EQUAL TO} True, as the message has it",
    ]
