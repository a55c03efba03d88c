"""The job that a launcher of MPI started this process in, without importing MPI: who we are, and how it ends."""

from __future__ import annotations

import fcntl
import os
import sys
import termios
import time
import traceback
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from sparring.errors import InputError, SparringError

if TYPE_CHECKING:
    from mpi4py import MPI

Prepared = TypeVar("Prepared")

PATIENCE = 1.0
"""The most seconds that a rank which ends the job waits for the launcher to read what the rank wrote."""
NAP = 2e-4

VARIABLES = {  # what launchers tell: MPICH and Intel MPI, Open MPI, PMIx
    "PMI_RANK": "PMI_SIZE",
    "OMPI_COMM_WORLD_RANK": "OMPI_COMM_WORLD_SIZE",
    "PMIX_RANK": "PMIX_SIZE",
}


def launched() -> tuple[int, int] | None:
    """Return this process's rank and the number of ranks; None where no launcher started the process."""
    for rank, size in VARIABLES.items():
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def together(
    comm: MPI.Intracomm, prepare: Callable[[], Prepared], digest: Callable[[Prepared], str], unlike: str
) -> Prepared:
    """Return on every rank what ``prepare`` returns there, if it raises on no rank and ``digest`` is the same on all.

    Otherwise no rank goes on: rank 0 raises the first error, or an InputError that says ``unlike``; the others end
    silently with exit code 2.
    """
    prepared, error = None, None
    with ending_all(comm):
        try:
            prepared = prepare()
        except SparringError as wrong:
            error = wrong
    told = comm.allgather((str(error) if error else "", digest(prepared) if prepared else ""))
    odd = [r for r, one in enumerate(told) if one[0]] or [r for r, one in enumerate(told) if one != told[0]]
    if prepared and not odd:
        return prepared
    if comm.Get_rank():
        sys.exit(2)
    raise error or InputError(f"rank {odd[0]}: {told[odd[0]][0] or unlike}")


@contextmanager
def ending_all(comm: MPI.Comm) -> Iterator[None]:
    """End the whole job, with the rank's traceback, where a rank raises in this block."""
    try:
        yield
    except BaseException:
        os.write(2, traceback.format_exc().encode())
        abort(comm)
        raise


def abort(world: MPI.Comm, terminal: int = 2) -> None:
    """End the whole job, once the launcher has read what this rank wrote to ``terminal``; it may drop unread text."""
    deadline = time.monotonic() + PATIENCE
    while unread(terminal) and time.monotonic() < deadline:
        time.sleep(NAP)
    world.Abort(1)


def unread(terminal: int) -> int:
    """Return the number of bytes in the pipe ``terminal`` that its other end has not read; 0 if it is no pipe."""
    count = array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(terminal, termios.FIONREAD, count)
    return count[0]
