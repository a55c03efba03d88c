"""The job that a launcher of MPI started this process in, without importing MPI: who we are, and how it ends."""

from __future__ import annotations

import fcntl
import os
import termios
import time
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI

PATIENCE = 1.0
"""Seconds that a rank which ends the job waits for the launcher to read what it said."""
NAP = 2e-4

VARIABLES = {  # what launchers tell: MPICH and Intel MPI, Open MPI, PMIx
    "PMI_RANK": "PMI_SIZE",
    "OMPI_COMM_WORLD_RANK": "OMPI_COMM_WORLD_SIZE",
    "PMIX_RANK": "PMIX_SIZE",
}


def launched() -> tuple[int, int] | None:
    """This process's rank and the number of ranks; None where no launcher started it."""
    for rank, size in VARIABLES.items():
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def abort(world: MPI.Comm, terminal: int = 2) -> None:
    """End the whole job, once the launcher has read what this rank wrote to ``terminal``: it may drop the rest."""
    deadline = time.monotonic() + PATIENCE
    while unread(terminal) and time.monotonic() < deadline:
        time.sleep(NAP)
    world.Abort(1)


def unread(terminal: int) -> int:
    """Bytes in the pipe ``terminal`` that its other end has not read; 0 if it is none."""
    count = array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(terminal, termios.FIONREAD, count)
    return count[0]
