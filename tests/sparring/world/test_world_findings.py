"""Planted bugs, each beside a correct twin: the bug has its named finding, the twin has none."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.errors import RankFailed, Refuted
from sparring.world import Kind

HERE = Path(__file__)


def vector(r, n=4):
    return np.arange(n) + 10.0 * r


def sends_in_a_cycle(comm):
    y = np.empty(4)
    comm.Send(vector(comm.rank), (comm.rank + 1) % comm.size)
    comm.Recv(y, (comm.rank - 1) % comm.size)
    return y[0]


def one_receives_first(comm):
    y = np.empty(4)
    if comm.rank == 0:
        comm.Recv(y, comm.size - 1)
    comm.Send(vector(comm.rank), (comm.rank + 1) % comm.size)
    if comm.rank:
        comm.Recv(y, comm.rank - 1)
    return y[0]


def synchronous_sends_in_a_cycle(comm):
    y = np.empty(4)
    comm.Ssend(vector(comm.rank), 1 - comm.rank)
    comm.Recv(y, 1 - comm.rank)


def waits_for_the_finished(comm):
    if comm.rank == 0:
        comm.Recv(np.empty(4), 1)


def waits_for_the_busy(comm):
    if comm.rank == 0:
        comm.Recv(np.empty(4), 1)
    else:
        comm.Send(vector(1), 0)


def send_buffer_reused(comm, early):
    from mpi4py import MPI

    x, y = vector(comm.rank), np.empty(4)
    requests = [comm.Isend(x, 1 - comm.rank), comm.Irecv(y, 1 - comm.rank)]
    if early:
        x += 1
    MPI.Request.Waitall(requests)
    x += 1


def send_buffer_reused_after_delivery(comm, early):
    """Rank 1 has the message already, but rank 0 has not yet learnt of it."""
    x = vector(comm.rank)
    if comm.rank == 1:
        comm.Recv(x, 0)
        comm.Send(x, 0)
    else:
        request = comm.Isend(x, 1)
        comm.Recv(np.empty(4), 1)
        if early:
            x[:] = 0
        request.Wait()


def receive_buffer_written(comm, early):
    y = np.empty(4)
    if comm.rank == 0:
        comm.Send(vector(0), 1)
    else:
        request = comm.Irecv(y, 0)
        if early:
            y[2] = 1
        request.Wait()


def forgets_to_wait(comm, forgets):
    if comm.rank == 0:
        comm.Send(vector(0), 1)
    else:
        request = comm.Irecv(np.empty(4), 0)
        if not forgets:
            request.Wait()


def sends_unheard(comm, unheard):
    if comm.rank == 0:
        comm.Isend(vector(0), 1, tag=7)
    elif not unheard:
        comm.Recv(np.empty(4), 0, tag=7)


def sends_unheard_twin(comm, unheard):
    if comm.rank == 0:
        comm.Isend(vector(0), 1, tag=7).Wait()
    else:
        comm.Recv(np.empty(4), 0, tag=7)


def hears_nothing(comm, wrong):
    if comm.rank == 0:
        request = comm.Irecv(np.empty(4), 1)
        if not wrong:
            request.Wait()
    elif not wrong:
        comm.Send(vector(1), 0)


def truncates(comm, wrong):
    if comm.rank == 0:
        comm.Send(vector(0), 1)
    else:
        comm.Recv(np.empty(3 if wrong else 5), 0)


def mixes_types(comm, wrong):
    if comm.rank == 0:
        comm.Send(vector(0), 1)
    else:
        comm.Recv(np.empty(4, np.int64 if wrong else np.float64), 0)


def mixes_tags(comm, wrong):
    if comm.rank == 0:
        comm.Send(vector(0), 1, tag=3)
    else:
        comm.Recv(np.empty(4), 0, tag=4 if wrong else 3)


def mixes_collectives(comm, wrong):
    y = np.empty(4)
    if comm.rank == 1 and wrong:
        comm.Barrier()
    else:
        comm.Allreduce(vector(comm.rank), y)


def mixes_roots(comm, wrong):
    comm.Bcast(vector(comm.rank), root=comm.rank if wrong else 0)


def mixes_lengths(comm, wrong):
    n = 4 + (comm.rank if wrong else 0)
    comm.Allreduce(vector(comm.rank, n), np.empty(n))


def mixes_blocks(comm, wrong):
    comm.Allgather(vector(comm.rank), np.empty((6 if wrong else 4) * comm.size))


def leaves_a_collective_out(comm, wrong):
    if not (comm.rank and wrong):
        comm.Barrier()


def raises(comm, wrong):
    y = np.empty(4)
    if comm.rank == 1 and wrong:
        raise ValueError("planted")
    comm.Allreduce(vector(comm.rank), y)


def exits(comm, wrong):
    if wrong:
        raise SystemExit(3)


def exits_at_once(comm, wrong):
    if wrong:
        os._exit(3)


def spawns(comm, wrong):
    if wrong:
        comm.Spawn("worker")


def translates_a_handle(comm, wrong):
    from mpi4py import MPI

    if wrong:
        MPI.Request.f2py(0)


def opens_a_window(comm, wrong):
    if wrong:
        from mpi4py.MPI import Win

        Win.Create(None)


def imports_util(comm, wrong):
    if wrong:
        from mpi4py.util import dtlib

        dtlib.from_numpy_dtype("f")


PLANTED = [
    (send_buffer_reused, Kind.TOUCHED, r"rank 0 changed the buffer of its Isend to rank 1 .* \(PLACE\)", "Isend("),
    (send_buffer_reused_after_delivery, Kind.TOUCHED, r"rank 0 changed .* Isend to rank 1 .*\(PLACE\)", "Isend("),
    (receive_buffer_written, Kind.TOUCHED, r"rank 1 wrote to the buffer of its Irecv .* \(PLACE\)", "Irecv("),
    (forgets_to_wait, Kind.INCOMPLETE, r"rank 1 never completed its Irecv from rank 0 \(PLACE\)", "Irecv("),
    (hears_nothing, Kind.UNMATCHED, r"rank 0's Irecv from rank 1 with any tag \(PLACE\) never got", "Irecv("),
    (truncates, Kind.TRUNCATED, r"rank 1 receives 4 float64 that rank 0 .* into 3 float64 \(PLACE\)", "Recv("),
    (mixes_types, Kind.DATATYPE, r"rank 1 receives 4 float64 that rank 0 .* as int64 \(PLACE\)", "Recv("),
    (mixes_tags, Kind.DEADLOCK, r"rank 0 waits in Send to rank 1 \(PLACE\) -> rank 1 waits in Recv", "Send("),
    (mixes_collectives, Kind.COLLECTIVE, r"rank 1 calls Barrier \(PLACE\) where rank 0 calls Allr", "Barrier"),
    (mixes_roots, Kind.COLLECTIVE, r"Bcast with root 1 \(PLACE\) where .* Bcast with root 0", "Bcast"),
    (mixes_lengths, Kind.COLLECTIVE, r"rank 1 has 5 float64 in Allreduce .*\(PLACE\) where .* 4", "Allreduce"),
    (mixes_blocks, Kind.COLLECTIVE, r"has 6 float64 in Allgather \(PLACE\) where .* 4 float64", "Allgather"),
    (leaves_a_collective_out, Kind.DEADLOCK, r"rank 0 waits in Barrier for rank 1 \(PLACE\) .*finished", "Barrier"),
    (raises, Kind.RAISED, r"rank 1 raised ValueError: planted \(PLACE\); rank 0 was left waiting", "raise Value"),
    (exits, Kind.RAISED, r"rank 0 raised SystemExit: 3 \(PLACE\)", "raise SystemExit"),
    (exits_at_once, Kind.RAISED, r"rank 0 raised SystemExit: 3 \(PLACE\)", "os._exit"),
    (spawns, Kind.UNSUPPORTED, r"PLACE: sparring's world does not know Comm.Spawn; .* --on mpi", "Spawn"),
    (translates_a_handle, Kind.UNSUPPORTED, r"PLACE: sparring's world does not know Request.f2py", "f2py"),
    (opens_a_window, Kind.UNSUPPORTED, r"PLACE: sparring's world does not know MPI.Win;", "import Win"),
    (imports_util, Kind.UNSUPPORTED, r"PLACE: sparring's world does not know mpi4py.util;", "import dtlib"),
]


@pytest.mark.parametrize(("target", "kind", "text", "line"), PLANTED, ids=[case[0].__name__ for case in PLANTED])
def test_a_planted_bug_has_its_finding_and_its_twin_has_none(target, kind, text, line):
    """The finding has its kind, one sentence, and the line at which the bug stands."""
    first = world.run(target, 2, [True, True]).findings[0]
    found = re.search(text.replace("PLACE", rf"{re.escape(HERE.name)}:(\d+)"), first.text)
    assert first.kind is kind and found, first
    assert line in HERE.read_text().splitlines()[int(found[1]) - 1]
    assert first.where == f"{HERE.name}:{found[1]}"
    assert world.run(target, 2, [False, False]).findings == ()


@pytest.mark.parametrize("p", [2, 3, 5])
def test_sends_in_a_cycle_deadlock_only_without_buffers(p):
    """The finding shows the whole cycle; with unbounded buffers there is none."""
    finding = only(world.run(sends_in_a_cycle, p))
    assert finding.kind is Kind.DEADLOCK
    steps = [f"rank {r} waits in Send to rank {(r + 1) % p} ({finding.where})" for r in range(p)]
    assert finding.text == " -> ".join([*steps, "rank 0"])
    clean = world.run(sends_in_a_cycle, p, buffers="unbounded").raise_if_found()
    assert clean.results == [10.0 * ((r - 1) % p) for r in range(p)]


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
def test_the_twin_of_the_cycle_never_deadlocks(buffers):
    """One rank that receives first breaks the cycle."""
    assert world.run(one_receives_first, 3, buffers=buffers).raise_if_found().results == [20.0, 0.0, 10.0]


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
def test_synchronous_sends_never_buffer(buffers):
    """Ssend waits for its receive whatever the buffers."""
    assert only(world.run(synchronous_sends_in_a_cycle, 2, buffers=buffers)).kind is Kind.DEADLOCK


def test_waiting_for_a_rank_that_has_finished():
    """Without a cycle, the chain ends at the rank that will never act."""
    finding = only(world.run(waits_for_the_finished, 2))
    assert finding.kind is Kind.DEADLOCK
    assert finding.text == f"rank 0 waits in Recv from rank 1 ({finding.where}) -> rank 1, which has finished"
    assert world.run(waits_for_the_busy, 2).findings == ()


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
def test_a_message_that_nobody_receives(buffers):
    """It is found whether or not its send could complete."""
    finding = only(world.run(sends_unheard, 2, [True, True], buffers=buffers))
    assert finding.kind is Kind.UNMATCHED
    assert finding.text == f"rank 0's Isend to rank 1 with tag 7 ({finding.where}) was never received"
    assert world.run(sends_unheard_twin, 2, [False, False], buffers=buffers).findings == ()


def test_every_rank_that_raises_is_reported_and_none_that_waits():
    """Two of three ranks raise: two findings, each with its own traceback; the third is no cause."""

    def two_raise(comm):
        if comm.rank:
            raise KeyError(comm.rank)
        comm.Barrier()

    found = world.run(two_raise, 3).findings
    assert [(f.kind, f.rank, f.call) for f in found] == [(Kind.RAISED, 1, "KeyError"), (Kind.RAISED, 2, "KeyError")]
    assert all(f.traceback.startswith("Traceback") and f"KeyError: {f.rank}" in f.traceback for f in found)
    assert "two_raise" in found[0].traceback and "scheduler.py" not in found[0].traceback


def test_an_exception_inside_a_call_names_the_users_line():
    """A wrong argument raises in the rank, as MPI does, at the line of the call."""

    def asks_too_far(comm):
        comm.Send(np.zeros(1), comm.size)

    finding = only(world.run(asks_too_far, 2), 2)
    assert "rank 0 raised MPIException: dest=2 is no rank of this communicator: 0..1 (test_world" in finding.text


def test_findings_raise_on_demand():
    """RankFailed with the rank's traceback if one raised, else Refuted with all texts."""
    with pytest.raises(RankFailed, match="planted") as failed:
        world.run(raises, 2, [True, True]).raise_if_found()
    assert failed.value.rank == 1
    with pytest.raises(Refuted, match="deadlock: rank 0 waits in Send"):
        world.run(sends_in_a_cycle, 2).raise_if_found()


def only(outcome, count=1):
    """The first finding, after a check of how many there are."""
    assert len(outcome.findings) == count, outcome.findings
    return outcome.findings[0]
