"""A recorded run is judged as the page that it follows, whatever it was recorded from."""

from __future__ import annotations

from itertools import count

import pytest

from sparring import page
from sparring.errors import InputError
from sparring.proofs.contention import networks, overlaps
from sparring.proofs.contention.overlaps import SENDS
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.trace import recorded
from sparring.trace.events import Event, Trace


def event(rank, seq, call, peer):
    """A message of a rank, as the recorder notes it."""
    op = "send" if call.lower().endswith("send") else "receive"
    return Event(rank, seq, op, call, peer, 0, 1, None, 1, "int64", 8, "", "mine.py:1")


def trace(p, *calls):
    """A trace of (rank, call, peer), numbered rank by rank."""
    seq = [count() for _ in range(p)]
    return Trace(p, [event(rank, next(seq[rank]), call, peer) for rank, call, peer in calls])


def followed(name, p, both=("Irecv", "Isend")):
    """What a recorder notes where ranks follow the page: a rank that only sends, or only receives, blocks."""
    calls = []
    for step in Traffic.of(page(name), p).steps:
        to, of = dict(step.tolist()), {dst: src for src, dst in step.tolist()}
        for r in range(p):
            if r in to and r in of:
                calls += [(r, both[0], of[r]), (r, both[1], to[r])]
            elif r in to:
                calls.append((r, "Send", to[r]))
            elif r in of:
                calls.append((r, "Recv", of[r]))
    return trace(p, *calls)


def totals(traffic):
    """How many messages can meet on the crossbar, by kind of sends."""
    return [overlaps.total(Routed(traffic, networks.find("crossbar")), sends) for sends in SENDS]


@pytest.mark.parametrize("both", [("Irecv", "Isend"), ("Irecv", "Send"), ("Irecv", "Issend")])
@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 6, 7, 8, 12])
@pytest.mark.parametrize("name", ["ring", "recursive_doubling"])
def test_a_run_that_follows_its_page(name, p, both):
    """The same verdict; the messages are of the same steps where no rank of a fold has nothing to do in one."""
    found, wanted = recorded.traffic(followed(name, p, both)), Traffic.of(page(name), p)

    if name == "ring" or p & (p - 1) == 0:
        assert [sorted(step.tolist()) for step in found.steps] == [sorted(step.tolist()) for step in wanted.steps]
    assert totals(found) == totals(wanted)


BAD = {
    "rank 0, Isend at mine.py:1: a second send, and a trace does not tell whether the first is over": [
        (0, "Isend", 1), (0, "Isend", 1), (1, "Recv", 0), (1, "Recv", 0),
    ],
    "rank 1, Recv at mine.py:1: from any source, so that timing decides which message comes": [
        (0, "Send", 1), (1, "Recv", -1),
    ],
    "rank 0, Psend at mine.py:1: a trace does not tell when this call is over": [(0, "Psend", 1)],
    "rank 0 sends 1 messages to rank 1, which receives 0 from it: "
    "a trace of the simulated world has no receives, one that is recorded has": [(0, "Send", 1)],
    "rank 0 waits for ever if sends are synchronous: no steps to judge": [
        (0, "Send", 1), (0, "Recv", 1), (1, "Send", 0), (1, "Recv", 0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("told", BAD)
def test_what_cannot_be_judged(told):
    """One sentence says why."""
    with pytest.raises(InputError) as error:
        recorded.traffic(trace(2, *BAD[told]))
    assert str(error.value) == told


def test_the_order_of_a_rank_s_calls_counts():
    """A receive that is over before the next send is posted keeps two messages apart that one exchange would not."""
    relay = [(0, "Send", 2), (2, "Recv", 0), (2, "Send", 1), (1, "Recv", 2), (1, "Send", 2), (2, "Recv", 1)]
    ahead = [(0, "Send", 2), (1, "Send", 2), (2, "Recv", 0), (2, "Recv", 1)]

    assert totals(recorded.traffic(trace(3, *relay))) == [0, 0]
    assert totals(recorded.traffic(trace(3, *ahead))) == [1, 0]
    late = [(3, "Send", 2), (2, "Recv", 3), (2, "Send", 0), (0, "Irecv", 2), (0, "Isend", 1), (1, "Recv", 0)]
    assert [step.tolist() for step in recorded.traffic(trace(4, *late)).steps] == [[[3, 2]], [[0, 1], [2, 0]]]
