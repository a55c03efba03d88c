"""Small programs whose results MPI's choices decide: receives from any source, Waitany, Test."""

import numpy as np
from mpi4py import MPI


def execute(comm, x, plan):
    """What this rank's calls of ``plan`` tell; each is ``(call, distance of the other rank or None, tag or None)``."""
    told, open_, buffers = [], [], []
    for i, (call, distance, label) in enumerate(plan[comm.rank]):
        peer = MPI.ANY_SOURCE if distance is None else (comm.rank + distance) % comm.size
        tag = MPI.ANY_TAG if label is None else label
        request = None
        match call:
            case "Send" | "Ssend" | "Isend":
                request = getattr(comm, call)(np.full(1, 10.0 * comm.rank + i), peer, tag)
            case "Recv" | "Irecv":
                buffers.append(np.full(1, -1.0))
                request = getattr(comm, call)(buffers[-1], peer, tag)
            case "Waitany":
                told.append(MPI.Request.Waitany(open_))
            case "Test":
                told.append(bool(open_) and open_[0].Test())
        if request:
            open_.append(request)
    MPI.Request.Waitall(open_)
    return np.array([*told, *(y[0] for y in buffers)], float)
