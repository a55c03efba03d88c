"""Heat spreads on a plate that is cut among the ranks: every step needs the neighbours' edges, the halo.

mpiexec -n 4 python halo_exchange.py

A grid of ranks, persistent requests, and a vector type for columns, which lie apart in memory.
"""

import json

import numpy as np
from mpi4py import MPI

SIDE, STEPS = 12, 10


def main(comm):
    """The sum of the temperatures of every rank's part after each step, and their maximum over all."""
    dims = MPI.Compute_dims(comm.size, [0, 0])
    grid = comm.Create_cart(dims, periods=[False, True])
    rows, columns = (SIDE // dims[0], SIDE // dims[1])
    plate = np.zeros((rows + 2, columns + 2))
    plate[1:-1, 1:-1] = start(grid, rows, columns)
    column = MPI.DOUBLE.Create_vector(rows, 1, columns + 2).Commit()
    requests = halo(grid, plate, column, rows, columns)
    sums = []
    for _ in range(STEPS):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = around / 4
        sums.append(float(plate[1:-1, 1:-1].sum()))
    hottest = comm.allreduce(float(plate[1:-1, 1:-1].max()), MPI.MAX)
    for request in requests:
        request.Free()
    column.Free()
    grid.Free()
    return [*sums, hottest]


def start(grid, rows, columns):
    """The temperatures at the beginning: a hot spot, wherever it lies."""
    i, j = grid.Get_coords(grid.rank)
    x, y = np.mgrid[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
    return np.where((x - 4) ** 2 + (y - 5) ** 2 < 8, 64.0, 0.0)


def halo(grid, plate, column, rows, columns):
    """Requests that send the four edges and receive the four neighbours'."""
    flat, width = plate.ravel(), columns + 2
    up, down = grid.Shift(0, 1)
    left, right = grid.Shift(1, 1)
    row = {1: flat[width + 1 :], rows: flat[rows * width + 1 :], 0: flat[1:], rows + 1: flat[(rows + 1) * width + 1 :]}
    return [
        grid.Send_init([row[1], columns, MPI.DOUBLE], up, 0),
        grid.Send_init([row[rows], columns, MPI.DOUBLE], down, 1),
        grid.Recv_init([row[rows + 1], columns, MPI.DOUBLE], down, 0),
        grid.Recv_init([row[0], columns, MPI.DOUBLE], up, 1),
        grid.Send_init([flat[width + 1 :], 1, column], left, 2),
        grid.Send_init([flat[width + columns :], 1, column], right, 3),
        grid.Recv_init([flat[width + columns + 1 :], 1, column], right, 2),
        grid.Recv_init([flat[width:], 1, column], left, 3),
    ]


if __name__ == "__main__":
    result = MPI.COMM_WORLD.gather(main(MPI.COMM_WORLD))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(result))
