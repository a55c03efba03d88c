"""Every run ends, whatever the target does, its record is right; how much buffering it needs, at the least."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring import world
from sparring.world import Kind, run, smallest_depth
from sparring.world.core.constants import ANY_SOURCE


def deadlocks(comm):
    comm.Recv(np.empty(1), 1 - comm.rank)


def finally_calls(comm):
    try:
        deadlocks(comm)
    finally:
        comm.Barrier()


def catches_all_for_ever(comm):
    while True:
        try:  # noqa: SIM105 - as bare as users write it
            deadlocks(comm)
        except:  # noqa: E722 - what the world must survive
            pass


@pytest.mark.timeout(60)
@pytest.mark.parametrize("target", [deadlocks, finally_calls, catches_all_for_ever])
def test_a_deadlock_ends_whatever_the_target_does(target):
    """One finding; exceptions that are caught and calls in ``finally`` neither hang nor hide it."""
    assert [f.kind for f in world.run(target, 2).findings] == [Kind.DEADLOCK]


def test_finally_runs_when_a_run_ends():
    """Ranks are ended, not forgotten: their clean-up is executed."""
    ended = []

    def cleans_up(comm):
        try:
            comm.Recv(np.empty(1), 1 - comm.rank)
        finally:
            ended.append(comm.rank)

    world.run(cleans_up, 2)
    assert ended == [0, 1]


def spins(comm):
    request = comm.Irecv(np.empty(1), 1 - comm.rank)
    while not request.Test():
        pass


def spins_until_it_comes(comm):
    if comm.rank == 0:
        comm.Barrier()
        comm.Send(np.ones(1), 1)
        return 0
    x, tries = np.zeros(1), 0
    request = comm.Irecv(x, 0)
    comm.Barrier()
    while not request.Test():
        tries += 1
    return x[0]


@pytest.mark.timeout(60)
def test_testing_in_vain_is_a_livelock():
    """Polling for what never comes ends as a finding; polling for what comes succeeds."""
    finding = world.run(spins, 2).findings[0]
    assert finding.kind is Kind.LIVELOCK and finding.call == "Test"
    assert "tests in vain in Test (test_world_ends.py:" in finding.text
    assert world.run(spins_until_it_comes, 2).raise_if_found().results == [0, 1.0]


def sends_for_ever(comm):
    while True:
        comm.Isend(np.zeros(1), 1 - comm.rank)


@pytest.mark.timeout(60)
def test_the_budget_ends_a_runaway():
    """The call that goes over it is named; a run that needs just the budget passes."""
    finding = world.run(sends_for_ever, 2, buffers="unbounded", budget=500).findings[0]
    assert finding.kind is Kind.BUDGET
    assert "makes MPI call number 501 of this run, Isend (test_world_ends.py:" in finding.text

    def three_barriers(comm):
        for _ in range(3):
            comm.Barrier()

    assert world.run(three_barriers, 2, budget=6).findings == ()
    assert world.run(three_barriers, 2, budget=5).findings[0].kind is Kind.BUDGET


def ring(comm):
    x, y = np.full(2, comm.rank, np.float32), np.empty(2, np.float32)
    comm.Sendrecv(x, (comm.rank + 1) % comm.size, 4, y, (comm.rank - 1) % comm.size, 4)
    comm.Allreduce(x, y)
    return y.tolist()


def test_messages_and_collectives_are_logged():
    """In order of posting, with sizes, types and places; payloads only on demand."""
    plain, recorded = world.run(ring, 3), world.run(ring, 3, record=True)
    assert plain.results == recorded.results
    for r, sent in enumerate(recorded.messages):
        assert (sent.sequence, sent.src, sent.dst, sent.tag, sent.context) == (r, r, (r + 1) % 3, 4, 0)
        assert (sent.nbytes, sent.count, sent.dtype) == (8, 2, np.float32)
        assert sent.where.startswith("test_world_ends.py:")
        assert sent.payload is not None and sent.payload.tolist() == [r, r]
    assert [sent.payload for sent in plain.messages] == [None] * 3
    assert sorted((c.rank, c.name, c.nbytes) for c in plain.collectives) == [(r, "Allreduce", 8) for r in range(3)]


def takes_from_anyone(comm):
    x, got = np.full(1, float(comm.rank)), []
    if comm.rank:
        comm.Send(x, 0)
    else:
        for _ in range(comm.size - 1):
            comm.Recv(x)
            got.append(x[0])
    return got


def test_seeds_decide_what_mpi_leaves_open():
    """Several orders occur, each seed gives its own again, and round-robin always the same."""
    orders = [tuple(world.run(takes_from_anyone, 4, scheduler="seeded", seed=s).results[0]) for s in range(12)]
    again = [tuple(world.run(takes_from_anyone, 4, scheduler="seeded", seed=s).results[0]) for s in range(12)]
    assert orders == again and len(set(orders)) > 1
    assert len({tuple(world.run(takes_from_anyone, 4, seed=s).results[0]) for s in range(3)}) == 1


def test_what_arrives_is_not_seen_before_the_wait():
    """Even when the message is there already: until then the buffer holds NaN."""

    def peeks(comm):
        from mpi4py import MPI

        x, y, seen = np.ones(1), np.zeros(1), np.zeros(1)
        if comm.rank == 0:
            MPI.Request.Waitall([comm.Isend(x, 1, tag) for tag in (0, 1)])
        else:
            request = comm.Irecv(y, 0, 0)
            comm.Recv(x, 0, 1)
            seen = y.copy()
            request.Wait()
        return bool(np.isnan(seen[0])), y[0]

    for buffers in ("synchronous", "unbounded"):
        assert world.run(peeks, 2, buffers=buffers).raise_if_found().results[1] == (True, 1.0)


def test_a_user_receive_from_anyone_does_not_meet_messages_on_a_duplicate():
    """Each communicator is a context of its own, as MPI demands."""

    def library_and_user(comm):
        mine, theirs = np.empty(1), np.empty(1)
        outstanding = comm.Irecv(mine)
        private = comm.Dup()
        private.Sendrecv(np.array([5.0]), 1 - comm.rank, 0, theirs, 1 - comm.rank, 0)
        comm.Send(np.array([6.0]), 1 - comm.rank)
        outstanding.Wait()
        private.Free()
        return mine[0], theirs[0]

    for buffers in ("synchronous", "unbounded"):
        assert world.run(library_and_user, 2, buffers=buffers).raise_if_found().results == [(6.0, 5.0)] * 2


def ahead(comm: Any, sends: list[int]) -> None:
    """Rank ``r`` sends ``sends[r]`` messages to the other of two ranks before it receives anything."""
    other = 1 - comm.rank
    for _ in range(sends[comm.rank]):
        comm.Send(np.zeros(1), other)
    for _ in range(sends[other]):
        comm.Recv(np.zeros(1), other)


def never(comm: Any) -> None:
    """Each of two ranks waits for the other."""
    comm.Recv(np.zeros(1), 1 - comm.rank)


@pytest.mark.parametrize(("sends", "depth"), [([0, 0], 0), ([0, 7], 0), ([1, 1], 1), ([3, 2], 2), ([5, 9], 5)])
def test_the_smallest_depth_is_the_smallest(sends: list[int], depth: int) -> None:
    """The rank with fewer messages ahead needs them buffered; one less is a deadlock, and any more is none."""
    assert smallest_depth(ahead, 2, [sends] * 2) == depth
    for tried in range(10):
        kinds = [finding.kind for finding in run(ahead, 2, [sends] * 2, buffers=tried).findings]
        assert kinds == ([Kind.DEADLOCK] if tried < depth else [])


def test_what_no_buffer_saves() -> None:
    """Two ranks that wait for each other's message hang however much MPI buffers."""
    assert smallest_depth(never, 2) is None


def first_heard(comm: Any) -> Any:
    """Rank 0 tells from whom it hears first."""
    if comm.rank:
        return comm.Send(np.full(1, float(comm.rank)), 0)
    heard = [np.zeros(1) for _ in range(comm.size - 1)]
    for y in heard:
        comm.Recv(y, ANY_SOURCE)
    return [int(y[0]) for y in heard]


def patient(comm: Any) -> int:
    """Rank 0 tells how often it has asked in vain for the message of rank 1."""
    if comm.rank:
        comm.Send(np.zeros(1), 0)
        return 0
    asked = 0
    while not comm.Iprobe(1):
        asked += 1
    comm.Recv(np.zeros(1), 1)
    return asked


def test_the_adversary_gives_what_is_least_expected() -> None:
    """Messages come in the reverse of the ranks' order, and a test returns nothing although there is a message."""
    usual, adverse = (run(first_heard, 4, scheduler=name).results[0] for name in ("round-robin", "adversarial"))
    assert (usual, adverse) == ([1, 2, 3], [3, 2, 1])
    usual, adverse = (run(patient, 2, scheduler=name).results[0] for name in ("round-robin", "adversarial"))
    assert usual == 0 < adverse
