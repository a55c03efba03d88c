"""Trees as ForestColl writes them (liangyuRain/ForestColl, ``spanning_trees_to_xml`` and the README's example)."""

from __future__ import annotations

import re

import pytest

from sparring import InputError, check_schedule
from sparring.proofs.core.verdicts import Word
from sparring.proofs.schedules import forestcoll
from tests.proofs.schedules.programs import judge
from tests.proofs.schedules.strangers import BOX, forest, trees


def read(found, **how):
    """What there is to say of the trees."""
    return judge(forestcoll.read(forest(found, **how)))


@pytest.mark.parametrize(("p", "k", "count"), [(1, 1, 1), (2, 1, 1), (4, 1, 1), (5, 2, 3), (12, 3, 1)])
def test_trees_that_reach_all_are_an_allgather(p, k, count):
    """Of so many chunks a node; nodes are ordered by the numbers in their names."""
    one = read(trees(p, k), k=k, count=count)
    assert (one.collective, one.ranks, one.program.chunks) == ("allgather", p, p * k * count)
    assert (one.wrong, one.races, list(one.unmatched), one.depth) == ([], [], [], 1)
    if p > 1:
        sends = p * k * (p - 1)
        assert sum(len(c.sends) for c in one.graph.channels) == sends
        assert one.cost.total == p - 1
        assert one.cost.path_messages == min(p - 1, 2)


def planted(change):
    """What is said of the trees of four nodes, one of them changed."""
    found = trees(4)
    key = (BOX.format(1), 0)
    found[key] = change(found[key])
    return read(found)


def test_a_missing_send_leaves_a_place_empty():
    """And so does a tree that is not there."""
    one = planted(lambda sends: sends[:-1])
    assert [(w.rank, w.place, w.empty) for w in one.wrong] == [(3, 1, True)]
    assert one.races == []
    found = trees(4)
    del found[BOX.format(2), 0]
    assert {(w.rank, w.place) for w in read(found).wrong} == {(0, 2), (1, 2), (3, 2)}


def test_a_wrong_tree_carries_the_wrong_chunk():
    """A node that sends on what the tree has not brought it has nothing to send."""
    one = planted(lambda sends: [sends[0], (BOX.format(3), BOX.format(0)), (BOX.format(0), BOX.format(3))])
    assert not one.ends
    assert "which closes the circle" in one.stuck(None)
    one = planted(lambda sends: [(BOX.format(3), BOX.format(0)), *sends[1:]])
    assert one.ends and all(w.empty for w in one.wrong) and len(one.wrong) == 3


def test_a_node_that_a_tree_reaches_twice_has_a_race():
    """Two messages are put to one place, and nothing orders them."""
    one = planted(lambda sends: [*sends, (BOX.format(1), sends[-1][1])])
    assert one.wrong == []
    assert len(one.races) == 1


def test_a_root_needs_nothing_from_its_tree():
    """What is sent back to it, it does not wait for."""
    one = read({("0", 0): [("0", "1"), ("1", "0")], ("1", 0): [("1", "0")]})
    assert one.ends and one.wrong == []


def test_a_file_is_judged_by_its_first_element(tmp_path):
    """After a declaration and a comment, and a byte order mark; RCCL's reader is not asked."""
    file = tmp_path / "trees.xml"
    file.write_bytes(b'\xef\xbb\xbf<?xml version="1.0" ?>\n<!-- k = 1 -->\n' + forest(trees(4)))
    report = check_schedule(file, load=True)
    words = {r.property: r.verdict.word for r in report.results}
    assert report.verdict == "holds"
    assert words == {
        **dict.fromkeys(("implements", "races", "deadlock", "hygiene"), Word.PROVED_AT),
        **dict.fromkeys(("agreement", "contention", "loader"), Word.NOT_COVERED),
    }
    assert "loader: RCCL reads MSCCL's XML, and no trees of ForestColl" in report.not_covered
    assert (report.extra["collective"], report.extra["implements"], report.extra["loader"]) == ("allgather", True, [])


GOOD = forest(trees(3)).decode()
FAULTS = {
    "empty": ("", "line 1: no XML (no element found); right: an <Algo> of <tree>s of <send>s"),
    "dtd": ("<!DOCTYPE a>" + GOOD, "has a DTD or entities, which are not read; right: plain elements"),
    "no tree": ('<Algo nchunkspernode="1"/>', "line 1: no <tree>; right: an <Algo> of <tree>s of <send>s"),
    "nested": (GOOD.replace("<send", "<tree", 1), re.compile("line 3: <tree> in <tree>; right: an <Algo>")),
    "text": (GOOD.replace("<tree", "hello<tree", 1), "line 2: text 'hello'; right: elements alone"),
    "lacks": (GOOD.replace(' nchunks="1"', "", 1), "line 2: <tree> lacks nchunks"),
    "chunks": (GOOD.replace('nchunkspernode="1"', 'nchunkspernode="-1"'),
               "line 1: nchunkspernode='-1'; right: 1 to 65536"),
    "too many": (GOOD.replace('nchunkspernode="1"', 'nchunkspernode="65000"'),
                 "65000 chunks of each of 3 nodes; at most 65536 together are followed"),
    "too much": (GOOD.replace('nchunks="1"', 'nchunks="2"', 1),
                 "the trees of root (0, 'GPU', 0) carry more than nchunkspernode=1 chunks together"),
    "twice": (GOOD.replace("<tree root=\"(0, 'GPU', 1)", "<tree root=\"(0, 'GPU', 0)"),
              "line 6: a second tree 0 of root (0, 'GPU', 0); right: an index of its own for each"),
    "itself": (GOOD.replace("dst=\"(0, 'GPU', 1)", "dst=\"(0, 'GPU', 0)", 1),
               "line 3: (0, 'GPU', 0) sends to itself; right: two nodes"),
    "path": (GOOD.replace("path=\"(0, 'GPU', 0)", "path=\"(0, 'GPU', 2)", 1),
             re.compile(r"line 3: path=.*; right: from src=")),
    "name": (GOOD.replace("src=\"(0, 'GPU', 0)", 'src="' + "x" * 300, 1),
             re.compile("line 3: src='xxx.*; right: a name of")),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_sentence(fault):
    """What is wrong, where, and what would be right."""
    text, told = FAULTS[fault]
    with pytest.raises(InputError) as caught:
        judge(forestcoll.read(text.encode()))
    assert re.search(told, str(caught.value)) if isinstance(told, re.Pattern) else str(caught.value) == told
    assert "\n" not in str(caught.value)


def test_limits(monkeypatch):
    """Of trees, of sends and of nodes."""
    for name, told in (
        ("BLOCKS", "more than 2 trees"),
        ("STEPS", "more than 1 sends"),
        ("RANKS", "3 nodes; right: 1 to 2"),
    ):
        monkeypatch.setattr(forestcoll, name, 2)
        with pytest.raises(InputError, match=told):
            forestcoll.read(GOOD.encode())
        monkeypatch.undo()
