"""Numbers are sorted on a hypercube: in every dimension the halves trade what belongs to the other.

mpiexec -n 4 python hypercube.py

Hyperquicksort: the ranks of a subcube agree on a pivot, exchange along one dimension, split in two, and go on.
The number of ranks must be a power of two.
"""

import json

import numpy as np
from mpi4py import MPI

EACH = 20


def main(comm):
    """This rank's sorted part, of which no entry is larger than the next rank's smallest."""
    if comm.size & (comm.size - 1):
        raise ValueError(f"{comm.size} ranks make no hypercube")
    mine = np.sort(np.random.default_rng(comm.rank).integers(0, 1000, EACH))
    cube = comm.Dup()
    while cube.size > 1:
        mine = traded(cube, mine)
        part = cube.Split(color=2 * cube.rank // cube.size, key=cube.rank)
        cube.Free()
        cube = part
    cube.Free()
    total = comm.reduce(len(mine), op=MPI.SUM, root=0)
    if comm.rank == 0 and total != EACH * comm.size:
        comm.Abort(1)
    return mine.tolist()


def traded(cube, mine):
    """The lower half of the ranks ends up with what is at most the pivot, the upper half with the rest."""
    half = cube.size // 2
    lower = cube.rank < half
    pivot = cube.bcast(int(np.median(mine)) if len(mine) else 0, root=0)
    cut = int(np.searchsorted(mine, pivot, side="right"))
    keep, give = (mine[:cut], mine[cut:]) if lower else (mine[cut:], mine[:cut])
    partner = cube.rank + half if lower else cube.rank - half
    length = np.array(len(give))
    cube.Sendrecv_replace(length, partner, 1, partner, 1)
    got = np.empty(int(length), mine.dtype)
    cube.Sendrecv(np.ascontiguousarray(give), partner, 2, got, partner, 2)
    return np.sort(np.concatenate([keep, got]))


if __name__ == "__main__":
    result = MPI.COMM_WORLD.gather(main(MPI.COMM_WORLD))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(result))
