"""Targets that go wrong, and their twin that does not.  The rank that does it is the last one, or rank 1."""

from __future__ import annotations

import ctypes
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


def pids(comm: Any, x: Any) -> Any:
    return np.array([os.getpid()])


def sleeps(comm: Any, x: Any) -> Any:
    time.sleep(60)
    return x


def wrong(comm: Any, x: Any) -> Any:
    y = total(comm, x)
    y[-1:] += comm.rank == 1
    return y


def all_raise(comm: Any, x: Any) -> Any:
    raise ValueError("planted")


def last_raises(comm: Any, x: Any) -> Any:
    """After all have done their part."""
    y = total(comm, x)
    return raises(comm, x) if comm.rank == comm.size - 1 else y


def holds_the_interpreter(comm: Any, x: Any) -> Any:
    libc = ctypes.PyDLL(None)
    if comm.rank == 0:
        libc.pause()
    return x


def leaves_message(comm: Any, x: Any) -> Any:
    """Every rank sends one message too many to the next."""
    request = comm.Isend(np.full_like(x, 99), (comm.rank + 1) % comm.size)
    y = total(comm, x)
    request.Free()
    return y


def leaves_receive(comm: Any, x: Any) -> Any:
    comm.Irecv(np.empty_like(x), (comm.rank - 1) % comm.size)
    return total(comm, x)


def leaves_in_private(comm: Any, x: Any) -> Any:
    leaves_message(comm.Dup(), x)
    return total(comm, x)


def from_left(comm: Any, x: Any) -> Any:
    """Goes right: the left neighbour's vector."""
    y = np.empty_like(x)
    comm.Sendrecv(x, (comm.rank + 1) % comm.size, recvbuf=y, source=(comm.rank - 1) % comm.size)
    return y


def from_left_in_private(comm: Any, x: Any) -> Any:
    """Goes right: on a communicator of its own, which it frees."""
    own = comm.Dup()
    y = from_left(own, x)
    own.Free()
    return y


def returns(comm: Any, x: Any, *, what: str) -> Any:
    """On rank 1 anything but the sum."""
    y = total(comm, x)
    odd = {"None": None, "list": y.tolist(), "objects": y.astype(object), "shape": y.reshape(-1, 1), "scalar": y.sum()}
    return {**odd, "dtype": y.astype(np.int8), "0-d": np.array(y.sum())}[what] if comm.rank == 1 else y
