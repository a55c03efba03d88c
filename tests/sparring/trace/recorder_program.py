"""Checks the recorder from inside, as one MPI program: exits with 0 if all is well.

mpiexec -n 4 python recorder_program.py FOLDER
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.impl import ring
from sparring.trace.events import digest
from sparring.trace.files import write_rank
from sparring.trace.recorder import recording


def vector(r: int, n: int) -> Any:
    """Rank ``r``'s input, the same in every program."""
    return np.random.default_rng([r, n]).standard_normal(n)


def noted(log: Any, *fields: str, op: str = "send") -> list[Any]:
    """These fields of the events of one kind."""
    return [tuple(getattr(event, field) for field in fields) for event in log.events if event.op == op]


def ring_traces(world: Any, folder: str) -> None:
    """At p = 1..4 the result has the same bits with and without; every rank writes what it did."""
    for p in range(1, 5):
        comm = world.Split(0 if world.rank < p else 1, world.rank)
        if world.rank < p:
            for n in (0, 1, p, 2 * p + 1, 50_000):
                alone(comm, n, Path(folder) / f"{p}-{n}")
        comm.Free()


def alone(comm: Any, n: int, folder: Path) -> None:
    """One allreduce of our ring, unrecorded and recorded; its duplicate was cached before."""
    x = vector(comm.rank, n)
    y = ring.allreduce(comm, x)
    with recording(comm) as (own, log):
        z = ring.allreduce(own, x)
    assert y.tobytes() == z.tobytes() and x.tobytes() == vector(comm.rank, n).tobytes()
    folder.mkdir(exist_ok=True)
    write_rank(comm.rank, comm.size, log.events, folder)


def communicators(world: Any, folder: str) -> None:
    """Every communicator made from a recording one records; ranks are those of the first, contexts count up."""
    from mpi4py import MPI

    right, left, x = (world.rank + 1) % 4, (world.rank - 1) % 4, np.arange(3.0)
    with recording(world) as (comm, log):
        dup, (idup, request) = comm.Dup(), comm.Idup()
        request.Wait()
        backwards = comm.Split(0, -comm.rank)
        group = comm.Get_group().Incl([3, 2, 1, 0])
        made = comm.Create_group(group), comm.Create(group)
        cart = comm.Create_cart([4], periods=[True]).Sub([True])
        assert comm.Split(MPI.UNDEFINED) == MPI.COMM_NULL
        for one in (comm, dup, idup, cart):
            one.Sendrecv(x, right, recvbuf=x.copy(), source=left)
        for one in (backwards, *made, dup.Clone().Split(0, -comm.rank)):
            one.Sendrecv(x, 3 - right, recvbuf=x.copy(), source=3 - left)
    assert noted(log, "rank", "peer") == [(world.rank, right)] * 8
    assert noted(log, "peer", op="receive") == [(left,)] * 8
    contexts = [context for (context,) in noted(log, "context")]
    assert contexts[0] == 0 and len(set(contexts)) == 8, contexts


def calls(world: Any, folder: str) -> None:
    """Every way to send and receive is noted, with the payload as it was when it was posted."""
    from mpi4py import MPI

    right, left = (world.rank + 1) % 4, (world.rank - 1) % 4
    x = np.arange(4.0) + world.rank
    with recording(world, keep=True) as (comm, log):
        got = np.empty(4)
        inbox = comm.Irecv(got, left, 5)
        for send in (comm.Isend, comm.Issend):
            send([x, 2, MPI.DOUBLE], right, 5).Wait()
            inbox.Wait()
            inbox = comm.Irecv(got, MPI.ANY_SOURCE, MPI.ANY_TAG)
        comm.Send(x, right)
        inbox.Wait()
        comm.Sendrecv(bytearray(b"ab"), right, recvbuf=bytearray(2), source=left)
        own = x.copy()
        comm.Sendrecv_replace(own, right, source=left)
        assert own[0] == left
        assert comm.sendrecv(x, right, source=left)[0] == left
        comm.isend({"a": 1}, right)
        assert comm.recv(source=left) == {"a": 1}
        comm.Send(x, MPI.PROC_NULL)
        comm.Recv(x, MPI.PROC_NULL)
    assert noted(log, "call", "tag", "count", "dtype") == [
        ("Isend", 5, 2, "float64"),
        ("Issend", 5, 2, "float64"),
        ("Send", 0, 4, "float64"),
        ("Sendrecv", 0, 2, "uint8"),
        ("Sendrecv_replace", 0, 4, "float64"),
        ("sendrecv", 0, 4, "float64"),
        ("isend", 0, 1, "object"),
    ]
    assert noted(log, "digest")[0] == (digest(x[:2].tobytes()),)
    assert noted(log, "digest")[4:6] == [(digest(x.tobytes()),)] * 2
    assert np.asarray(log.events[1].payload).tolist() == x[:2].tolist()
    assert noted(log, "call", "peer", "tag", op="receive")[:2] == [("Irecv", left, 5), ("Irecv", -1, -1)]
    assert [event.seq for event in log.events] == list(range(len(log.events)))
    assert {event.where.partition(":")[0] for event in log.events} == {"recorder_program.py"}


def collectives(world: Any, folder: str) -> None:
    """Collectives are noted with what this rank contributes, and do what they do."""
    from mpi4py import MPI

    x, y = np.ones(3), np.empty(3)
    with recording(world) as (comm, log):
        comm.Allreduce(x, y)
        assert (y == 4).all()
        comm.Allreduce(MPI.IN_PLACE, x)
        comm.Iallreduce(y, x).Wait()
        assert comm.allreduce(1) == 4
        comm.Reduce([x, MPI.DOUBLE], y)
        comm.Barrier()
    events = [("Allreduce", 24), ("Allreduce", 24), ("Iallreduce", 24), ("allreduce", 0), ("Reduce", 24)]
    assert noted(log, "call", "nbytes", op="collective") == [*events, ("Barrier", 0)]


def refusals(world: Any, folder: str) -> None:
    """What no log can follow is refused by name and line; MPI's own complaints are its own."""
    from mpi4py import MPI

    x = np.ones(4)
    vector = MPI.DOUBLE.Create_vector(2, 1, 2).Commit()
    with recording(world) as (comm, log):
        raises(InputError, "Send_init (recorder_program.py:", comm.Send_init, x, 0)
        raises(InputError, "Isend of a derived datatype (recorder_program.py:", comm.Isend, [x, 1, vector], 0)
        raises(TypeError, "dest", comm.Send, x)
        raises(MPI.Exception, "", comm.Send, x, 99)
    assert log.events == []


def raises(kind: Any, words: str, call: Any, *args: Any) -> None:
    """``call`` raises this."""
    with pytest.raises(kind) as caught:
        call(*args)
    assert words in str(caught.value)


def again_and_again(world: Any, folder: str) -> None:
    """More communicators than an MPI library has, two a recording: each gives back what it took."""
    x, pair = np.ones(2), world.Split(world.rank // 2, world.rank)
    for _ in range(1200 if world.rank < 2 else 0):
        with recording(pair) as (comm, log):
            ring.allreduce(comm, x)
        assert len(noted(log, "peer")) == 2
    pair.Free()


CHECKS = (ring_traces, communicators, calls, collectives, refusals, again_and_again)


def main() -> None:
    """One check after the other; a failing rank takes the others down."""
    from mpi4py import MPI

    try:
        for check in CHECKS:
            check(MPI.COMM_WORLD, sys.argv[1])
            MPI.COMM_WORLD.Barrier()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(3)


if __name__ == "__main__":
    main()
