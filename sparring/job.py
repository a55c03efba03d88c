"""Whether a launcher of MPI started this process; found out without importing MPI."""

from __future__ import annotations

import os

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
