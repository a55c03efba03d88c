"""One rank that measures for a driver: ``python -m sparring.calibration.rank '{"seconds": ..., ...}'``.

Started by a launcher as any MPI program is.  Not in a group of ours: there a rank that waits gives
way, so that many may share a core, and a message takes many times as long.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from sparring.calibration.measuring import measure
from sparring.job import ending_all


class Task(msgspec.Struct, frozen=True):
    """A measurement to make, and the file to which rank 0 writes the Times."""

    algorithms: list[str]
    seconds: float
    file: str


def main(task: Task) -> None:
    """Measure, and write the Times on rank 0; if one rank raises, all end."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    with ending_all(comm):
        times = measure(comm, task.algorithms, task.seconds)
        if comm.Get_rank() == 0:
            Path(task.file).write_bytes(msgspec.json.encode(times))


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Task))
