"""A ring allreduce, as somebody may have written it."""

import numpy as np


def allreduce(comm, x):
    me, p = comm.rank, comm.size
    y = x.copy()
    ends = np.arange(p + 1) * x.size // p
    part = [slice(*ends[c : c + 2]) for c in range(p)]
    for lap in range(2):
        for t in range(p - 1):
            there, here = (me + lap - t) % p, (me + lap - t - 1) % p
            got = np.empty_like(y[part[here]])
            comm.Sendrecv(y[part[there]], (me + 1) % p, recvbuf=got, source=(me - 1) % p)
            y[part[here]] = got if lap or t == p - 2 else y[part[here]] + got
    return y
