"""The view of a topology: what each link carries at a step, what a click on it tells, and how it is drawn."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from sparring.present.explorer.document import Document, Finding, Message, Run, Stage, Step, Topology
from sparring.present.explorer.html import page as written
from sparring.present.explorer.routes import WHOLE, topology
from sparring.proofs.contention import networks
from sparring.spec.core.pages import find
from sparring.spec.core.schedule import number, step_sends
from tests.sparring.present.explorer import samples

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.sparring.present.explorer.conftest import Opened

TOPOLOGIES = ("ring", "tree", "fat_tree", "torus", "torus:k=2", "crossbar", "dragonfly")
NOW = ".picture .arrow:not(.faint)"
"""The links that messages of the step cross."""
ARROW = "\N{RIGHTWARDS ARROW}"
CONTENTION = "messages \N{EN DASH} contention"


def loads(name: str, p: int, topology: str, t: int) -> dict[str, int]:
    """Return how many messages of step ``t`` each link carries, by the topology's own routes."""
    network, sends = networks.find(topology), step_sends(find(name), t, p)
    return dict(Counter(f"{a} -> {b}" for src, dst, _ in sends for a, b in network.route(src, dst, p)))


def labels(page: Page) -> dict[str, int]:
    """Return the links of the picture by their names, with the number of messages that each is said to carry."""
    told = [one.get_attribute("aria-label") for one in page.locator(NOW).all()]
    parts = [str(one).rpartition(": ") for one in told]
    return {name: int(said.split()[0]) for name, _, said in parts}


@pytest.mark.parametrize("topology", ["ring", "fat_tree", "torus:k=2"])
def test_links_carry_the_messages_of_the_step(opened: Opened, topology: str) -> None:
    """At each step the picture has the loads that the routes give; links with several look different by their dash."""
    steps = number(find("recursive_doubling").steps(8))
    page = opened(samples.on_topology("recursive_doubling", 8, topology), "view=topology")
    assert not labels(page)
    for t in range(steps):
        page.keyboard.press("ArrowRight")
        wanted = loads("recursive_doubling", 8, topology, t)
        assert labels(page) == wanted, t
        contended = page.locator(".picture .arrow.contended")
        assert contended.count() == sum(load > 1 for load in wanted.values())
        dashes = [one.get_attribute("stroke-dasharray") for one in contended.locator("path:nth-child(2)").all()]
        assert all(dashes)
        busy = contended.count()
        sentence = f"{busy} link{'s' * (busy != 1)} with contention" if busy else "no link carries two messages"
        assert sentence in page.locator("[aria-live]").inner_text()


def test_more_messages_are_a_wider_line(opened: Opened) -> None:
    """In a tree the links near the root carry more, and are wider."""
    page = opened(samples.on_topology("recursive_doubling", 8, "tree"), "step=3&view=topology")
    found = {}
    for one in page.locator(NOW).all():
        said = str(one.get_attribute("aria-label")).rpartition(": ")[2]
        found[int(said.split()[0])] = float(str(one.locator("path").nth(1).get_attribute("stroke-width")))
    assert sorted(found) == [1, 2, 4]
    assert found[1] < found[2] < found[4]


def test_a_click_on_a_link_tells_its_messages(opened: Opened) -> None:
    """And how many it carries in the whole run; from there a message is shown, and its way is marked."""
    page = opened(samples.on_topology("recursive_doubling", 8, "tree"), "step=3&view=topology")
    page.locator(f"{NOW}[aria-label^='switch 3.0 -> switch 2.1']").dispatch_event("click")
    panel = page.locator(".inspector")
    assert panel.locator("h2").inner_text() == f"Link switch 3.0 {ARROW} switch 2.1"
    assert [one.split(" \N{MIDDLE DOT}")[0] for one in panel.locator("li").all_inner_texts()] == [
        f"{r} {ARROW} {r + 4}" for r in range(4)
    ]
    assert [" ".join(one.split()) for one in panel.locator("dd").all_inner_texts()] == [
        f"4 {CONTENTION}",
        "4 messages",
        "4 messages, first at step 3",
    ]
    assert page.locator(".picture .arrow.chosen").count() == 1
    panel.get_by_role("button", name="rank 1 sends chunk 0 to rank 5").click()
    way = networks.find("tree").route(1, 5, 8)
    chosen = [str(one.get_attribute("aria-label")) for one in page.locator(".picture .arrow.chosen").all()]
    assert {one.rpartition(": ")[0] for one in chosen} == {f"{a} -> {b}" for a, b in way}


def test_a_link_by_keyboard_is_followed_through_the_steps(opened: Opened) -> None:
    """Enter shows it and keeps the focus; at another step it tells the messages there, or that there are none."""
    page = opened(samples.on_topology("recursive_doubling", 8, "ring"), "step=2")
    page.keyboard.press("4")
    page.locator(f"{NOW}[aria-label^='1 -> 2']").focus()
    assert page.locator(".tip").inner_text() == f"1 -> 2: 2 {CONTENTION}"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"1 -> 2: 2 {CONTENTION}"
    panel = page.locator(".inspector")
    assert panel.locator("li").count() == 2
    page.keyboard.press("ArrowRight")
    assert panel.locator("li").count() == 4
    page.keyboard.press("Home")
    assert "no message in this step" in panel.inner_text() and not panel.locator("li").count()
    page.keyboard.press("Escape")
    assert panel.is_hidden()


def test_the_list_of_links_leads_to_them_too(opened: Opened) -> None:
    """So that links on a canvas are within reach of the keyboard; the button keeps the focus."""
    page = opened(samples.on_topology("recursive_doubling", 128, "fat_tree"), "step=1&view=topology")
    assert page.locator(".picture canvas").count() == 1
    first = page.locator(".links button").first
    first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".inspector h2").inner_text() == f"Link 0 {ARROW} leaf 0"
    assert page.evaluate("document.activeElement.closest('.links') !== null")
    assert page.evaluate("explorer.columns[0].picture.firstChild.scene.shapes.filter((one) => one.chosen).length") == 1


def test_a_canvas_is_pointed_at(opened: Opened) -> None:
    """A pointer on a switch tells its name, one on a link what it carries, and a click shows it."""
    page = opened(samples.on_topology("recursive_doubling", 128, "tree"), "step=6&view=topology")
    box = page.locator(".picture canvas").bounding_box()
    assert box is not None
    shapes = "explorer.columns[0].picture.firstChild.scene.shapes"
    named = f"{shapes}.filter((one) => one.item?.name === 'switch 4.2').map((one) => [one.x, one.y])[0]"
    x, y = page.evaluate(named)
    page.mouse.move(box["x"] + x + 2, box["y"] + y + 2)
    assert page.locator(".tip").inner_text() == "switch 4.2"
    told = f"switch 4.2 -> switch 5.1: 16 {CONTENTION}"
    middle = "(name) => ((one) => between(one.a, one.via, one.b, 0.5))(" + f"{shapes}.find((s) => s.name === name))"
    x, y = page.evaluate(middle, told)
    page.mouse.move(box["x"] + x, box["y"] + y)
    assert page.locator(".tip").inner_text() == told
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.locator(".inspector h2").inner_text() == f"Link switch 4.2 {ARROW} switch 5.1"


def test_of_arrows_side_by_side_the_nearest_is_meant(opened: Opened) -> None:
    """Not the one that was drawn last; and a node that covers them stands before them."""
    page = opened(samples.ring(2))
    made = """(y) => {
      const scene = new Scene(100, 100);
      scene.arrow([0, 10], [100, 10], { item: "first" });
      scene.arrow([0, 15], [100, 15], { item: "last" });
      scene.circle(90, 12, 4, {}, "node");
      return [scene.at(40, y), scene.at(90, y)];
    }"""
    assert page.evaluate(made, 11) == ["first", "node"]
    assert page.evaluate(made, 14) == ["last", "node"]
    assert page.evaluate(made, 30) == [None, None]


def test_without_a_topology_there_is_no_such_view(opened: Opened) -> None:
    """Neither a button nor a key, and an address that asks for it opens the first view."""
    page = opened(samples.algorithm("ring", 4), "step=1&view=topology")
    page.keyboard.press("4")
    assert page.locator(".views button").count() == 3
    assert page.evaluate("explorer.state.view") == "spacetime"


def test_a_finding_on_a_link_opens_there(opened: Opened) -> None:
    """In this view, at its step, with the link and its messages shown; of an unknown link it opens as any other."""
    own = samples.on_topology("recursive_doubling", 8, "ring")
    found = Finding("messages meet", 0, 2, [0, 4], link="0 -> 1")
    page = opened(replace(own, findings=[found]))
    assert page.evaluate("[explorer.state.view, explorer.state.position]") == ["topology", 3]
    assert page.locator(".inspector h2").inner_text() == f"Link 0 {ARROW} 1"
    page.keyboard.press("1")
    page.keyboard.press("Home")
    page.locator(".findings button").click()
    assert page.evaluate("[explorer.state.view, explorer.state.position]") == ["topology", 3]
    page = opened(replace(own, findings=[replace(found, link="9 -> 9")]))
    assert page.evaluate("[explorer.state.view, explorer.state.position]") == ["spacetime", 3]


DRAWN = """(width) => {
  const scene = topologyPicture(explorer.columns[0].shown, width);
  const pen = new OffscreenCanvas(9, 9).getContext('2d');
  const texts = scene.shapes.filter((one) => one.kind === 'text').map(({ x, y, text, style }) => {
    pen.font = `${style.weight ?? 400} ${style.size ?? 12}px system-ui, sans-serif`;
    const w = pen.measureText(text).width;
    const high = 0.72 * (style.size ?? 12);
    return [x - w / 2, y - high, x + w / 2, y];
  });
  const nodes = scene.shapes.filter((one) => one.item?.kind === 'node').map((one) => one.kind === 'circle'
    ? [one.x - one.r, one.y - one.r, one.x + one.r, one.y + one.r] : [one.x, one.y, one.x + one.w, one.y + one.h]);
  const ways = scene.shapes.filter((one) => one.kind === 'arrow').map((one) => between(one.a, one.via, one.b, 0.5));
  return { texts, nodes, ways, shapes: scene.shapes.length, size: [scene.width, scene.height] };
}"""
"""The boxes of the texts and nodes of a picture, and the middles of its links."""

Box = list[float]


def overlapping(boxes: list[Box]) -> list[tuple[Box, Box]]:
    """Return the pairs of boxes that cover one another."""
    ordered = sorted(boxes)
    return [
        (one, other)
        for i, one in enumerate(ordered)
        for other in ordered[i + 1 :]
        if other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    ]


def outside(found: dict[str, Any]) -> list[Box]:
    """Return what is not within the picture."""
    wide, high = found["size"]
    boxes = [*found["texts"], *found["nodes"], *([x, y, x, y] for x, y in found["ways"])]
    return [one for one in boxes if one[0] < 0 or one[1] < 0 or one[2] > wide or one[3] > high]


@pytest.mark.parametrize(
    ("topology", "p"), [*product(TOPOLOGIES, (5, 32)), ("ring", 1), ("tree", 128), ("torus:k=2", 128)]
)
def test_texts_and_nodes_do_not_cover_one_another(opened: Opened, topology: str, p: int) -> None:
    """Nor leave the picture, whatever the width; and few shapes are drawn of many ranks."""
    document = samples.on_topology("recursive_doubling", p, topology)
    page = opened(document, "view=topology")
    page.evaluate("explorer.go(explorer.last >> 1)")
    for width in (380, 1200):
        found = page.evaluate(DRAWN, width)
        assert not overlapping(found["texts"]), width
        assert not overlapping(found["nodes"]), width
        assert not outside(found), width
        assert len(found["nodes"]) >= p and found["shapes"] < 3000
    assert len(written(document).encode()) < 200_000


def test_a_document_has_the_links_that_no_message_takes_too() -> None:
    """Those that messages take come first; of more ranks than fit the others are left out."""
    few, many = (
        topology("ring", [Run([Stage(steps=[Step([Message(0, 2), Message(3, 3)])])])], p) for p in (5, WHOLE + 1)
    )
    assert few.links[:2] == many.links == ["0 -> 1", "1 -> 2"]
    assert len(few.links) == 10
    assert [(one.src, one.dst, one.links) for one in few.routes] == [(0, 2, [0, 1])]


def test_a_grid_has_its_sides(tmp_path: Any) -> None:
    """As many as the ranks need; a topology in a file may have some, and one that has none is no grid."""
    assert [networks.find("torus:k=3").sides(p) for p in (1, 3, 4, 27, 28)] == [[3], [3], [3, 3], [3] * 3, [3] * 4]
    assert networks.find("fat_tree").sides(8) == []
    mine = tmp_path / "mesh.py"
    mine.write_text(
        "def route(src, dst, p):\n    step = 1 if src < dst else -1\n"
        "    return [(i, i + step) for i in range(src, dst, step)]\n\n\ndef sides(p):\n    return [p]\n"
    )
    assert topology(str(mine), [], 3).sides == [3]


def test_a_network_of_odd_names_is_drawn_all_the_same(opened: Opened) -> None:
    """Names without an arrow, nodes that no rank is linked to, and markup."""
    bad = "<img src=x onerror='window.bad = 1'> -> 0"
    network = Topology("odd", ["alone", "x -> y", bad], [], [2, 2])
    page = opened(Document("algorithm", "odd", 3, [Run([])], topology=network), "view=topology")
    assert page.locator(".picture svg").count() == 1
    assert page.locator("img").count() == 0 and page.evaluate("window.bad") is None
