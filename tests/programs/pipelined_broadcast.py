"""A long vector goes from rank 0 down a chain, in segments: while one is passed on, the next arrives.

mpiexec -n 4 python pipelined_broadcast.py

A rank learns from a probe how long a segment is; an empty one says that there are no more.
"""

import json

import numpy as np
from mpi4py import MPI

LENGTH, SEGMENT, TAG = 1000, 96, 7


def main(comm):
    """How many segments passed, and the sum and the last entry of what arrived, on every rank."""
    before = comm.rank - 1 if comm.rank else MPI.PROC_NULL
    after = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    segments = list(cut(np.arange(LENGTH, dtype="i") ** 2 % 1009)) if comm.rank == 0 else None
    return passed(comm, before, after, segments)


def cut(whole):
    """Its segments, and an empty one."""
    for at in range(0, len(whole), SEGMENT):
        yield whole[at : at + SEGMENT]
    yield whole[:0]


def passed(comm, before, after, segments):
    """Receive, or take, one segment after the other, and pass each on while the next comes."""
    kept, request = [], MPI.REQUEST_NULL
    while not kept or len(kept[-1]):
        segment = received(comm, before) if segments is None else segments[len(kept)]
        request.Wait()
        request = comm.Isend([segment, MPI.INT], after, TAG)
        kept.append(segment)
    request.Wait()
    whole = np.concatenate(kept)
    return [len(kept) - 1, int(whole.sum()), int(whole[-1])]


def received(comm, before):
    """The next segment, whatever its length."""
    status = MPI.Status()
    comm.Probe(before, TAG, status)
    segment = np.empty(status.Get_count(MPI.INT), "i")
    comm.Recv(segment, before, TAG)
    return segment


if __name__ == "__main__":
    result = MPI.COMM_WORLD.gather(main(MPI.COMM_WORLD))
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(result))
