"""A master hands out tasks to whoever is free: areas under pieces of a curve.

mpiexec -n 4 python master_worker.py

Rank 0 takes results from any source, and answers with the next piece or the word to stop.
"""

import enum
import json

import numpy as np
from mpi4py import MPI

PIECES = 24


class Tag(enum.IntEnum):
    """What a message is."""

    READY, TASK, DONE, STOP = range(4)


def main(comm):
    """Pi, on rank 0; None elsewhere.  One rank does all alone."""
    if comm.size == 1:
        return round(sum(area(i) for i in range(PIECES)), 9)
    return master(comm) if comm.rank == 0 else worker(comm)


def master(comm):
    """Give out the pieces, and add up what comes back, in the order of the pieces."""
    areas, waiting, busy, status = {}, list(range(PIECES)), comm.size - 1, MPI.Status()
    while busy:
        answer = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == Tag.DONE:
            areas.update(answer)
        if waiting:
            comm.send(waiting.pop(0), dest=status.Get_source(), tag=Tag.TASK)
        else:
            comm.send(None, dest=status.Get_source(), tag=Tag.STOP)
            busy -= 1
    return round(sum(areas[i] for i in range(PIECES)), 9)


def worker(comm):
    """Ask, work, answer, until told to stop."""
    status = MPI.Status()
    comm.send(None, dest=0, tag=Tag.READY)
    while True:
        piece = comm.recv(source=0, status=status)
        if status.Get_tag() == Tag.STOP:
            return
        comm.send({piece: area(piece)}, dest=0, tag=Tag.DONE)


def area(piece):
    """That of one piece below ``4 / (1 + x * x)``, between 0 and 1."""
    x = (piece + (np.arange(1000) + 0.5) / 1000) / PIECES
    return float(np.mean(4 / (1 + x * x)) / PIECES)


if __name__ == "__main__":
    result = MPI.COMM_WORLD.gather(main(MPI.COMM_WORLD))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(result))
