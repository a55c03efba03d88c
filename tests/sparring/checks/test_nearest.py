"""The page that a target's messages are those of, or come nearest to, and what either costs."""

from __future__ import annotations

import pytest

from sparring.checks.checking import check
from sparring.checks.judges.nearest import Likeness
from sparring.spec.core import pages
from tests.sparring.checks.dense_targets import BUILT_IN, EXCHANGE, RETURNS, TWIN

STAR = """\
import numpy as np

def allreduce(comm, x):
    y = np.array(x)
    if comm.rank:
        comm.Send(x, 0)
        comm.Recv(y, 0)
    else:
        got = np.empty_like(x)
        for r in range(1, comm.size):
            comm.Recv(got, r)
            y += got
        for r in range(1, comm.size):
            comm.Send(y, r)
    return y
"""
MORE = EXCHANGE.replace("there", "total[:1]").replace("recvbuf=got", "recvbuf=np.empty_like(total[:1])")
SOURCES = {
    "allreduce": BUILT_IN,
    "star": STAR,
    "ring": TWIN,
    "late": TWIN.replace(RETURNS, f"    size > 1 and {MORE}\n{RETURNS}"),
    "fails": "def allreduce(comm, x):\n    raise ValueError('planted')\n",
}


@pytest.fixture
def told(target):
    """What the report says of the nearest page, and of what was not covered."""

    def run(name, **asked):
        where = name if ":" in name else target(SOURCES[name])
        report = check(where, **{"ranks": range(1, 6), "max_examples": 5, **asked})
        return report.extra["check"].get("nearest"), report.not_covered

    return run


def test_the_page_whose_messages_they_are(told):
    """With its cost as counted, beside the formula."""
    near, _ = told("ring")

    assert (near["names"], near["same"], near["distance"], near["ranks"], near["size"]) == (["ring"], True, 0, 5, 13)
    assert near["sent"] == near["planned"] == {"messages": 8, "words": 21}
    assert near["text"] == (
        "ring, message by message (p=5 n=13); a rank sends up to 8 messages and 21 words, "
        "in ring 8 = 2*(p - 1) and 21 = 2*n - floor(2*n/p)"
    )


def test_one_message_too_many_is_near_but_not_the_same(told):
    """Five messages of 45 are not the ring's."""
    near, _ = told("late")

    assert (near["names"], near["same"], near["distance"]) == (["ring"], False, round(5 / 45, 3))
    assert near["text"].startswith("ring, at a distance of 0.11 from 0 to 1 (p=5 n=13); a rank sends up to 9 messages")


def test_where_several_pages_send_the_same_all_are_named(told):
    """On two ranks whole vectors go to and fro in both."""
    near, _ = told("sparring.impl.recursive_doubling:allreduce", ranks=[2])

    assert near["same"]
    assert "recursive_doubling" in near["names"]
    assert "ring" not in near["names"]


@pytest.mark.parametrize("name", ["ring_sparse", "ring_allgather"])
def test_sparse_vectors(told, name):
    """Messages that are no lists of words are counted, and no words are told of them."""
    near, _ = told(f"sparring.impl.{name}:allreduce", sparse=True)

    assert (near["names"], near["same"]) == ([name], True)
    assert (near["sent"]["words"] is None) == (name == "ring_sparse")
    assert ("by number of messages" in near["text"]) == (name == "ring_sparse")
    assert near["sent"] == near["planned"]


def test_a_star_is_no_page(told):
    """What it costs is told all the same."""
    near, _ = told("star")

    assert near["sent"] == {"messages": 4, "words": 52}
    assert not near["same"]
    assert 0.4 < near["distance"] < 0.5


@pytest.mark.parametrize(
    ("name", "asked", "why"),
    [
        ("allreduce", {}, "nearest page: rank 0 sends nothing; it calls Allreduce"),
        ("fails", {}, "nearest page: no run at p=5 came to its end"),
        ("ring", {"ranks": [1]}, "nearest page: one rank sends nothing"),
    ],
)
def test_where_no_page_is_named_the_reason_is(told, name, asked, why):
    """Among what was not covered."""
    near, gaps = told(name, **asked)

    assert near is None
    assert why in gaps


def test_nobody_looks_for_it_where_a_page_or_a_property_was_named(told):
    """Neither told nor missing."""
    for asked in ({"page": "ring"}, {"only": ["result"]}):
        near, gaps = told("ring", **asked)
        assert near is None
        assert not [gap for gap in gaps if gap.startswith("nearest")]


def test_the_distance_is_between_multisets():
    """Two of the three different messages are in one only; those without bytes do not count."""
    ring = pages.find("ring")

    assert Likeness(ring, False, [(0, 1, 8), (0, 1, 8)], [(0, 1, 8), (1, 0, 8), (0, 1, 0)]).distance == 1 - 1 / 3
    assert Likeness(ring, False, [(0, 1, 0)], []).distance == 1
