"""Messages in steps: what happened before what, whatever a file claims."""

from __future__ import annotations

import numpy as np

from sparring import world
from sparring.present.explorer.layout import Turn, of_trace, of_world, steps
from sparring.trace.events import Event, Trace


def test_a_ring_is_in_lock_step():
    """Each rank sends one message a step."""

    def ring(comm):
        for _ in range(4):
            comm.Sendrecv(np.zeros(1), (comm.rank + 1) % 3, recvbuf=np.zeros(1), source=(comm.rank - 1) % 3)

    sent = world.run(ring, 3).messages
    found = of_world(sent, 3)
    assert sorted(found) == [t for t in range(4) for _ in range(3)]
    assert all({m.src for m, at in zip(sent, found) if at == t} == {0, 1, 2} for t in range(4))


def test_what_one_rank_receives_stands_in_order():
    """A message that is passed on comes later than the one before it."""

    def gathered(comm):
        if comm.rank:
            comm.Send(np.zeros(1), 0)
        for _ in range(comm.size - 1 if comm.rank == 0 else 0):
            comm.Recv(np.zeros(1))

    sent = world.run(gathered, 4).messages
    assert sorted(of_world(sent, 4)) == [0, 1, 2]


def test_receives_of_what_nobody_sends_end():
    """Two ranks that receive first, and one message that the other never got: no run, and no endless loop."""
    assert steps([(0, 1), (1, 0)], [[Turn(1, False), Turn(0, True)], [Turn(0, False), Turn(1, True)]]) == [0, 0]


def test_a_blocking_receive_in_a_trace_orders():
    """Rank 1 passes on what it has received; of an Irecv nobody knows when it ended."""

    def event(rank, seq, op, call, peer):
        return Event(rank, seq, op, call, peer, 0, 0, None, 1, "uint8", 1, "", "mine.py:1")

    def trace(call):
        return Trace(
            3, [event(0, 0, "send", "Send", 1), event(1, 0, "receive", call, 0), event(1, 1, "send", "Send", 2)]
        )

    assert of_trace(trace("Recv")) == [0, 1]
    assert of_trace(trace("Irecv")) == [0, 0]
