"""Run by mpiexec: programs of a folder one after the other, each on a communicator of its own; which ranks raised."""

import json
import runpy
import sys
from pathlib import Path

from mpi4py import MPI


def attempt(path, comm):
    """The name of what the program raises on this rank, or nothing."""
    try:
        runpy.run_path(str(path))["main"](comm)
    except Exception as error:
        return type(error).__name__
    return ""


if __name__ == "__main__":
    raised = {}
    for program in sorted(Path(sys.argv[1]).glob("*.py")):
        said = attempt(program, MPI.COMM_WORLD.Dup())
        raised[program.name] = MPI.COMM_WORLD.gather(said)
    if MPI.COMM_WORLD.rank == 0:
        Path(sys.argv[2]).write_text(json.dumps(raised))
