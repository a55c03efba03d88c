"""Links that lose packets: which of what comes is there, who gets it, and what an owner makes of it."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from sparring.errors import InputError
from sparring.spec.core.links import (
    Packet,
    checked,
    collect,
    hand,
    newest,
    over,
    over_senders,
    packets,
    received,
    weighed,
)
from sparring.spec.core.vectors import Vector

NOTHING = Packet(0, "")


@pytest.mark.parametrize(
    ("came", "found"),
    [([], 0), ([2], 2), ([1, 3], 3), ([3, 1], 3), ([1], 1)],
)
def test_the_newest_is_there(came, found):
    assert received([Packet(one, "some") for one in came], NOTHING).version == found


def test_of_equal_versions_the_last_is_there():
    assert received([Packet(1, "first"), Packet(1, "last")], NOTHING).entries == "last"


def test_packets_cut_a_chunk():
    assert packets(slice(3, 8), 2) == [slice(3, 5), slice(5, 7), slice(7, 8)]
    assert packets(slice(3, 3), 2) == []


def lossy(step, src, dst, i, sent):
    """From rank 0 nothing comes."""
    return [] if src == 0 else [sent]


def test_who_gets_what():
    """In the first step own copies come where they need no link; in the second an owner has its own anyway."""
    xs = [Vector([1, 2]), Vector([3, 4])]
    for own, there in ((True, [5, 0]), (False, [0, 0])):
        carried = collect(xs[0], lossy, 1, 5, own=own).carry([collect(x, lossy, 1, 5, own=own) for x in xs])
        first = carried.results[0]
        assert [[*one] for one in first.version] == [[there[0]], [5]]
        assert [[*one] for one in first.entries] == [[1 if own else 0], [3]]
        assert [*carried.results[1].version[0]] == [0]
        assert [len(wire) for wire in carried.trace] == [2]
    handed = hand(xs[0][:1], lossy, 1, 5).carry([hand(x[:1], lossy, 1, 5) for x in xs]).results
    assert [[*one.entries] for one in handed] == [[1, 3], [0, 3]]
    assert [one.packets for one in handed] == [[[5], [5]], [[0], [5]]]


def test_sums_over_senders_are_in_their_order():
    found = over_senders(lambda v, own: v if own else 10 * v, [Vector([1, 2]), Vector([3, 4])], [True, False])
    assert [*found] == [31, 42]


def test_weights():
    assert weighed(Fraction(7), 300) == 10 and weighed(0, 300) == 0 and weighed(Fraction(7), 0) == 7
    assert over(6, 3) == 2 and over(0, 0) == 0
    checked(SimpleNamespace(aggregator="zero", lost=1000))
    with pytest.raises(InputError, match="lost = 1000 with aggregator ht"):
        checked(SimpleNamespace(aggregator="ht", lost=1000))


def test_versions_are_those_of_this_call_or_what_they_were():
    assert newest(0, [[2, 0], [1]], 2) == [[2, 0], [0]]
    assert newest([[1, 1], [1]], [[2, 0], [1]], 2) == [[2, 1], [1]]
