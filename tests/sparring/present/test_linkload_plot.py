"""The picture of link load: its numbers are those of the routes, counted anew, and it is the same every time."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import sparring
from sparring.present import linkload
from sparring.proofs.contention import networks
from sparring.spec.core.schedule import step_sends
from tests.sparring.calling import called, refused


def found(name="recursive_doubling", topology="ring", ranks=8):
    return linkload.loads(sparring.page(name), networks.find(topology), ranks)


@pytest.mark.parametrize(("name", "topology", "ranks"), [
    ("recursive_doubling", "ring", 8), ("recursive_doubling", "torus", 7), ("recursive_multiplying", "fat_tree", 9),
    ("ring", "tree", 5),
])  # fmt: skip
def test_the_numbers_are_those_of_the_routes(name, topology, ranks):
    page, there = sparring.page(name), networks.find(topology)
    drawn = found(name, topology, ranks)

    for t, row in enumerate(drawn.table):
        ways = {(s, d): there.route(s, d, ranks) for s, d, _ in step_sends(page, t, ranks)}
        crossed = Counter(link for way in ways.values() for link in way)
        told = {networks.edge(link): many for link, many in crossed.items()}
        assert {link: many for link, many in zip(drawn.links, row.tolist()) if many} == told
        loads = {(one.src, one.dst): one.load for one in drawn.messages if one.t == t}
        assert loads == {pair: max(crossed[link] for link in way) for pair, way in ways.items()}
    assert drawn.most == drawn.table.max()


def test_of_many_links_the_fullest_are_shown():
    drawn = found("recursive_doubling", "tree", 32)

    assert (len(drawn.links), drawn.used) == (linkload.LINKS, 124)
    assert "switch 4.0->switch 5.0" in drawn.links
    assert drawn.table.max() == drawn.most == 16
    assert linkload.count_links(drawn) == (
        "124 links carry messages, at most 16 of one step; shown are the 64 that carry the most"
    )


def test_a_number_for_each_cell_and_an_arrow_for_each_message():
    drawn = found()
    space, heat = linkload.figure(drawn).axes

    assert len([patch for patch in space.get_children() if type(patch).__name__ == "FancyArrowPatch"]) == 24
    texts = [text.get_text() for text in heat.texts]
    numbers = [int(text) for text in texts if text.isdigit()]
    assert sorted(numbers) == sorted(drawn.table[drawn.table > 0].tolist())
    assert [text for text in texts if not text.isdigit()] == ["most: 1", "most: 2", "most: 4"]
    assert [label.get_text() for label in heat.get_xticklabels()] == list(drawn.links)
    legend = space.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["1", "2", "4"]


def test_what_goes_round_the_edge_is_drawn_in_two_pieces():
    one = linkload.Message(0, 7, 0, 1)

    (start, leaves), (enters, end) = linkload.way(one, 8)

    assert (start[0], leaves[0], enters[0], end[0]) == (7, pytest.approx(7.6), pytest.approx(-0.4), 0)
    assert leaves[1] == enters[1]
    assert len(linkload.way(linkload.Message(0, 0, 4, 1), 8)) == 1


def test_in_grey_it_only_darkens():
    """The lightness of a colour, and the width of a line, tell loads apart."""
    weights = np.array([0.299, 0.587, 0.114])
    light = [float(weights @ np.array(linkload.colour(load, 16)[:3])) for load in (1, 2, 4, 8, 16)]

    assert all(above - below > 0.05 for above, below in pairwise(light))
    assert light[0] < 0.75
    wide = [linkload.width(load, found()) for load in (1, 2, 4)]
    assert wide == sorted(set(wide))


def test_as_it_is_typed(tmp_path):
    file = tmp_path / "load.png"

    code, text, _ = called("show", "recursive_doubling", "--ranks", 4, "--topology", "ring", "--plot", file)

    assert code == 0
    assert f"written: {file}" in text.replace("\n", "")
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["ring", "--ranks", 33, "--topology", "ring"], "no legible picture of messages between 33 ranks; right: 2 to"),
        (["ring", "--ranks", 1, "--topology", "ring"], "between 1 ranks; right: 2 to 32"),
        (["ring", "--ranks", 32, "--topology", "ring"], "no legible picture of 1984 messages between 32 ranks"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, args, told):
    assert told in refused("show", *args, "--plot", tmp_path / "it.png")
    assert not list(tmp_path.iterdir())
