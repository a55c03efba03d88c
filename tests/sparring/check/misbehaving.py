"""Targets that go wrong, and their twin that does not.  The rank that does it is the last one, or rank 1."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np


def total(comm: Any, x: Any, *, factor: int = 1) -> Any:
    """Goes right."""
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y * np.array(factor, y.dtype)


def raises(comm: Any, x: Any) -> Any:
    if comm.rank == comm.size - 1:
        raise ValueError("planted")
    return total(comm, x)


def hangs(comm: Any, x: Any) -> Any:
    if comm.rank == 0:
        comm.Recv(x, source=1, tag=99)
    return x


def ignores_signals(comm: Any, x: Any) -> Any:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return hangs(comm, x)


def spins(comm: Any, x: Any) -> Any:
    while comm.rank == 0:
        pass
    return x


def exits(comm: Any, x: Any) -> Any:
    if comm.rank == 1:
        os._exit(3)
    return total(comm, x)


def aborts(comm: Any, x: Any) -> Any:
    if comm.rank == 1:
        comm.Abort(5)
    return total(comm, x)


def prints(comm: Any, x: Any) -> Any:
    print("{" * 3)
    os.write(1, b"\x00\xff noise")
    return x


def returns_list(comm: Any, x: Any) -> Any:
    return x.tolist()


def returns_objects(comm: Any, x: Any) -> Any:
    return x.astype(object)


def pids(comm: Any, x: Any) -> Any:
    return np.array([os.getpid()])


def sleeps(comm: Any, x: Any) -> Any:
    time.sleep(60)
    return x
