"""Checks the transport from inside, as one MPI program: exits with 0 if all is well.

    mpiexec -n 3 python transport_program.py CHECK [FAULT]

``FAULT`` plants one of ``FAULTS`` first.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from typing import Any

import numpy as np

from sparring.impl import ring
from sparring.impl.core import arguments, transport


def total(comm: Any, n: int) -> None:
    """One allreduce, compared."""
    x = np.arange(n, dtype=np.int64) + 1000 * comm.rank
    p = comm.size
    assert np.array_equal(ring.allreduce(comm, x), p * np.arange(n) + 1000 * (p * (p - 1) // 2))


def wildcard(comm: Any, MPI: Any) -> None:
    """A user's receive from anyone stays his own, whatever we send meanwhile."""
    inbox = np.full(50, -1, dtype=np.int64)
    request = comm.Irecv(inbox, MPI.ANY_SOURCE, MPI.ANY_TAG)
    for n in (0, 1, 2, 7, 50):
        total(comm, n)
        assert not request.Test()
    comm.Barrier()
    comm.Send(np.full(50, comm.rank, dtype=np.int64), (comm.rank + 1) % comm.size, tag=9)
    request.Wait()
    assert (inbox == (comm.rank - 1) % comm.size).all()


def back_to_back(comm: Any, MPI: Any) -> None:
    """Calls follow each other without anything between them, so that one rank may be a call ahead."""
    for i in range(200):
        total(comm, i % 17)


def overlapping(comm: Any, MPI: Any) -> None:
    """Two communicators of the same ranks, in opposite order, are used by two threads at once."""
    others = [comm.Dup(), comm.Split(key=-comm.rank)]
    failures: list[str] = []

    def calls(mine: Any) -> None:
        try:
            for i in range(60):
                total(mine, 5 + i % 5)
        except BaseException:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=calls, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def freed(comm: Any, MPI: Any) -> None:
    """A communicator takes its duplicate with it; its own duplicates get new ones."""
    user = comm.Dup()
    total(user, 5)
    mine = transport.private(user)
    assert mine is transport.private(user)
    twin = user.Dup()
    total(twin, 5)
    assert MPI.Comm.Compare(mine, transport.private(twin)) == MPI.CONGRUENT
    user.Free()
    assert mine == MPI.COMM_NULL
    total(twin, 5)
    twin.Free()
    for _ in range(2100):  # more than MPI libraries have communicators
        user = comm.Dup()
        total(user, 3)
        user.Free()


def no_duplicate() -> None:
    arguments.private = lambda comm: comm


def no_delete() -> None:
    def keyval(kind: Any) -> int:
        return transport.KEYS.setdefault(kind, kind.Create_keyval())

    transport.keyval = keyval


CHECKS = {f.__name__: f for f in (wildcard, back_to_back, overlapping, freed)}
FAULTS = {f.__name__: f for f in (no_duplicate, no_delete)}


def main() -> None:
    """The checks named on the command line; a failing rank takes the others down."""
    from mpi4py import MPI

    for fault in sys.argv[2:]:
        FAULTS[fault]()
    try:
        CHECKS[sys.argv[1]](MPI.COMM_WORLD, MPI)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(3)


if __name__ == "__main__":
    main()
