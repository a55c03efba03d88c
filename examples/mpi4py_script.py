"""A script that runs at its top level under mpiexec, and what it takes to have it judged: a loop over folders.

sparring check -- mpiexec -n {p} python examples/mpi4py_script.py {batch}            many examples a launch
sparring check -- mpiexec -n {p} python examples/mpi4py_script.py {input} {output}   one
"""

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
from mpi4py import MPI


def folders(*words: str) -> Iterator[tuple[Path, Path]]:
    """INPUT and OUTPUT; of a BATCH those of its examples 0, 1, 2, ..., as long as there are any."""
    if len(words) == 2:
        yield Path(words[0]), Path(words[1])
        return
    for i in count():
        example = Path(words[0], str(i))
        if not example.is_dir():
            return
        yield example / "input", example / "output"


comm = MPI.COMM_WORLD
for given, written in folders(*sys.argv[1:]):
    x = np.load(given / f"rank{comm.rank}.npz")["x"]

    y = np.empty_like(x)
    comm.Iallreduce(x, y).Wait()

    np.savez(written / f"rank{comm.rank}.npz", x=y)
