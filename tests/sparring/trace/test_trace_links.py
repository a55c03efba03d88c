from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from sparring import page
from sparring.trace.events import Event, Trace
from sparring.trace.links import contended

RING = page("ring")


def sent(p, *pairs):
    """A trace of messages between these pairs."""
    events = [
        Event(src, i, "send", "Send", dst, 0, 0, None, 1, "int64", 8, "0" * 16, "mine.py:1")
        for i, (src, dst) in enumerate(pairs)
    ]
    return Trace(p, events)


def claiming(**contention):
    """The ring, claiming this."""
    module = ModuleType("mine")
    vars(module)["contention"] = contention
    return replace(RING, name="mine", module=module)


@pytest.mark.parametrize("p", range(1, 9))
def test_the_ring_keeps_its_claim(p):
    """Messages to the next rank meet nowhere, however often they are sent."""
    assert contended(RING, sent(p, *[(r, (r + 1) % p) for r in range(p) if p > 1] * 2)) is None


def test_a_detour_on_the_ring():
    """A message over two links meets the one of the rank between."""
    pairs = [(0, 1), (1, 2), (0, 2)]
    assert str(contended(RING, sent(5, *pairs))) == (
        "on the ring, the clockwise link at link=0 carries messages from rank 0 to 1 and from rank 0 to 2; "
        "page ring claims one pair for each link"
    )


def test_the_way_back_is_another_link():
    """Each direction is a link of its own; two messages down the ring meet as two up the ring do."""
    assert contended(claiming(ring="exclusive"), sent(5, (0, 1), (1, 0), (2, 1))) is None
    found = contended(claiming(ring="exclusive"), sent(5, (2, 1), (2, 0)))
    assert "counter-clockwise link at link=2 carries messages from rank 2 to 0 and from rank 2 to 1" in str(found)


def test_a_tree():
    """Two messages that leave one subtree share its link up, two that enter it the link down."""
    tree = claiming(tree="exclusive")
    assert contended(tree, sent(4, (0, 1), (1, 2), (2, 3), (3, 0))) is None
    found = contended(tree, sent(4, (0, 2), (1, 3)))
    assert str(found).startswith(
        "on the tree, the link up at a=0, b=2 carries messages from rank 0 to 2 and from rank 1"
    )


def test_nothing_claimed():
    """Where a page claims nothing, or lock step alone, nothing is judged."""
    for page_ in (claiming(), claiming(ring="lock step")):
        assert contended(page_, sent(5, (0, 1), (0, 2))) is None


def test_a_topology_without_formulas_is_judged_by_its_routes():
    """On the torus, rank 0's message to 2 passes over the link from 1 to 2."""
    assert contended(claiming(torus="exclusive"), sent(4, (0, 1), (1, 2), (2, 3), (3, 0))) is None
    found = contended(claiming(torus="exclusive"), sent(4, (0, 2), (1, 2)))

    assert "on the torus, the link 1->2 carries messages from rank 0 to 2 and from rank 1 to 2" in str(found)
