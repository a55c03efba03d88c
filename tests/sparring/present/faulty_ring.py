"""The ring by hand, with one fault of one rank in one step."""

from __future__ import annotations

from typing import Any

import numpy as np


def ring(comm: Any, x: Any, fault: str, t: int, r: int) -> Any:
    """Rank ``r`` commits ``fault`` in step ``t``; all ranks leave out empty messages where it is a "lazy" one."""
    p, me, n, y = comm.Get_size(), comm.Get_rank(), x.size, x.copy()
    for step in range(2 * (p - 1)):
        out, here = block(me - step, n, p), block(me - 1 - step, n, p)
        mine = (step, me) == (t, r)
        chunk = block(me - step + 1, n, p) if mine and "chunk" in fault else out
        to = (me - 1) % p if mine and fault == "peer" else (me + 1) % p
        requests = []
        if not (mine and fault == "missing") and not ("lazy" in fault and out.stop == out.start):
            requests.append(comm.Isend(y[chunk].copy(), to))
        if mine and fault in {"extra", "self"}:
            requests.append(comm.Isend(y[chunk].copy(), (me + 2) % p if fault == "extra" else me))
        inbox = np.zeros(n + 1)
        if not ("lazy" in fault and here.stop == here.start):
            comm.Recv(inbox, (me - 1) % p)
        for request in requests:
            request.Wait()
        received = inbox[: here.stop - here.start]
        y[here] = y[here] + received if step < p - 1 else received
    return y


def library(comm: Any, x: Any, *_: Any) -> Any:
    """The same sum by a collective call."""
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


def block(c: int, n: int, p: int) -> slice:
    return slice(c % p * n // p, (c % p + 1) * n // p)
