"""A ring in another hand than ours, what can go wrong with it, and the traces of runs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sparring import world
from sparring.impl import ring
from sparring.trace.events import Trace, from_outcome


def traced(target: Any, xs: Any, **how: Any) -> Trace:
    """The trace of a run in the world, whatever its result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # overflow is meant
        return from_outcome(world.run(target, len(xs), xs, record=True, buffers="unbounded", **how), len(xs))


def anonymous(trace: Trace) -> Trace:
    """The same trace without payloads, as it is in a file, and as real ranks record it."""
    return Trace(trace.ranks, [event._replace(payload=None) for event in trace.events])


def ours(comm: Any, x: Any) -> Any:
    """Our ring."""
    return ring.allreduce(comm, x)


def foreign(comm: Any, x: Any, fault: str = "") -> Any:
    """One loop over both laps, on a communicator of its own, each step under its own tag."""
    private = comm.Dup()
    size, me = comm.Get_size(), comm.Get_rank()
    work = x + 0.0 if fault == "early zeros" else x.copy()
    parts = [work[k * x.size // size : (k + 1) * x.size // size] for k in range(size)]
    inbox = np.empty(x.size // size + 1, x.dtype)
    hops = [(me - k, me - k - 1) for k in range(size - 1)] + [(me - k + 1, me - k) for k in range(size - 1)]
    if fault == "wrong order":
        hops[-2:] = hops[:-3:-1]
    if fault == "missing":
        hops.pop()
    for k, (out, into) in enumerate(hops):
        give, take = parts[(out + (fault == "wrong chunk" and k == 1)) % size], parts[into % size]
        got = inbox[: take.size]
        turn = -1 if fault == "wrong peer" and k == 1 else 1
        if fault == "wrong length" and k == 1:
            give = give[:-1]
        if fault == "as bytes":
            give = give.view(np.uint8)
            got = got.view(np.uint8)
        send = private.Isend(give, (me + turn) % size, k) if give.size or fault != "without empty" else None
        if take.size or fault != "without empty":
            private.Recv(got, (me - turn) % size, k)
        if send:
            send.Wait()
        if k < size - 1:
            take += inbox[: take.size]
        else:
            take[:] = inbox[: take.size]
    if fault == "extra":
        private.Sendrecv(parts[0], (me + 1) % size, 99, parts[1].copy(), (me - 1) % size, 99)
    private.Free()
    return work + 0.0


def library(comm: Any, x: Any) -> Any:
    """MPI's own."""
    twin = comm.Dup()
    y = np.empty_like(x)
    twin.Allreduce(x, y)
    twin.Free()
    return y
