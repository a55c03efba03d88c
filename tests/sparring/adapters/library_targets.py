"""The library's own allreduces, and what goes wrong around them."""

from __future__ import annotations

import numpy as np


def blocking(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


def nonblocking(comm, x):
    y = np.empty_like(x)
    comm.Iallreduce(x, y).Wait()
    return y


def never_waits(comm, x):
    y = np.empty_like(x)
    comm.Iallreduce(x, y)
    return y


def touches(comm, x):
    """Writes over its input while the request is out."""
    y = np.empty_like(x)
    request = comm.Iallreduce(x, y)
    x[:] = 0
    request.Wait()
    return y


def rounds_on_rank_1(comm, x):
    """Where the bits of a rank's own vector come last, ranks differ."""
    y = nonblocking(comm, x)
    if comm.Get_rank() == 1 and x.dtype.kind == "f" and x.size:
        y[0] = np.nextafter(y[0], np.inf)
    return y
