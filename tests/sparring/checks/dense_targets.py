"""Sources of dense targets: a ring that goes right, what is planted in it, and other algorithms.

The ring is written in a style unlike sparring's own: views, Sendrecv, one loop for both laps.
"""

from __future__ import annotations

TWIN = """\
import numpy as np
from mpi4py import MPI

called = 0
kept = {}

def allreduce(comm, x):
    global called
    called += 1
    me, size = comm.rank, comm.size
    total = np.array(x)
    views = np.split(total, [len(x) * i // size for i in range(1, size)])
    for hop in range(2 * size - 2):
        there, here = views[(me - hop) % size], views[(me - hop - 1) % size]
        got = np.zeros_like(here)
        comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=got, source=(me - 1) % size)
        if hop < size - 1:
            here += got
        else:
            here[:] = got
    return total
"""
SAME = """\
    kinds = np.empty((size, 2), np.int64)
    comm.Allgather(np.array([len(x), ord(x.dtype.char)], np.int64), kinds)
    if (kinds != kinds[0]).any():
        raise ValueError("ranks have vectors of different lengths or dtypes")
"""
CAREFUL = TWIN.replace("    total = np.array(x)\n", SAME + "    total = np.array(x)\n")
"""The twin that refuses vectors which do not fit together."""
EXCHANGE = "comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=got, source=(me - 1) % size)"
RETURNS = "    return total"
LAST_BIT = """\
    if {} and size == 2 and total.dtype.kind == "f":
        total[total != 0] = np.nextafter(total, np.inf)[total != 0]
    return total"""
WRONG = {"result", "agreement", "steps", "edge sizes", "dtypes"}
DEFECTS = {
    "wrong chunk": ("here += got", "views[(me - hop) % size][:1] += got[:1]", WRONG - {"agreement"}),
    "one step short": ("range(2 * size - 2)", "range(2 * size - 3)", WRONG | {"volume"}),
    "adds where it must overwrite": ("here[:] = got", "here += got", WRONG),
    "wrong neighbour": ("(me + 1) % size, recvbuf", "(me + 2) % size, recvbuf", {"deadlock"}),
    "blocking sends in a cycle": (
        EXCHANGE, "comm.Ssend(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)", {"deadlock"},
    ),
    "sends that need buffers": (
        EXCHANGE, "comm.Send(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)", {"deadlock"},
    ),
    "tags mixed up": (
        EXCHANGE, EXCHANGE.replace("recvbuf", "sendtag=hop % 2, recvtag=(hop + 1) % 2, recvbuf"), {"deadlock"},
    ),
    "rank left waiting": (RETURNS, f"    me or size < 2 or comm.Recv(total, 1, 9)\n{RETURNS}", {"deadlock"}),
    "message too long": ("comm.Sendrecv(there", "comm.Sendrecv(np.append(there, there[:1])", {"hygiene"}),
    "wrong dtype sent": ("comm.Sendrecv(there", "comm.Sendrecv(there.astype(np.complex128)", {"hygiene"}),
    "request never completed": (
        RETURNS, f"    size > 1 and comm.Irecv(total[:0], (me + 1) % size, 99)\n{RETURNS}", {"hygiene"},
    ),
    "buffer reused before completion": (
        EXCHANGE,
        "wait = comm.Isend(there, (me + 1) % size); there += 1; comm.Recv(got, (me - 1) % size); wait.Wait()",
        {"hygiene"},
    ),
    "NaN lost": (RETURNS, "    return np.where(np.isnan(total), 0, total).astype(total.dtype)", {"special values"}),
    "16 bits": (
        "total = np.array(x)", "total = np.array(x.astype(np.int16) if x.dtype.kind == 'i' else x, x.dtype)",
        {"special values", "steps"},
    ),
    "tails lost": (RETURNS, f"    total[65536:] = 0\n{RETURNS}", {"long vectors"}),
    "the world": ("me, size =", "comm = MPI.COMM_WORLD; me, size =", {"communicators"}),
    "remembers lengths": (
        RETURNS, "    return kept.setdefault((size, len(x), x.dtype.char), total).copy()",
        {"repeated calls", "communicators"},
    ),
    "returns its buffer": (
        RETURNS, "    y = kept.setdefault((len(x), x.dtype.char), total); y[:] = total; return y", {"own memory"},
    ),
    "writes what was there": ("total = np.array(x)", "total = np.array(x); x[:1] = x[:1]", {"other arrays"}),
    "input changed": ("np.array(x)", "np.asarray(x)", {"input untouched"}),
    "wrong dtype returned": (RETURNS, f"{RETURNS} + np.float64(0)", {"dtypes", "result", "edge sizes"}),
    "only float32 is wrong": (
        RETURNS, f"{RETURNS}.astype(np.float64) if total.dtype == np.float32 else total", {"dtypes"},
    ),
    "last bit on one rank": (RETURNS, LAST_BIT.format("me == 1"), {"agreement"}),
    "another result in the next call": (RETURNS, LAST_BIT.format("called % 2 == 0"), {"reproducibility"}),
    "last chunk dropped when n < p": (RETURNS, f"    total[-1:] *= len(x) >= size\n{RETURNS}", {"edge sizes"}),
    "messages in halves": (
        EXCHANGE,
        "for half in (np.s_[:len(x) // size // 2], np.s_[len(x) // size // 2:]):\n            "
        + EXCHANGE.replace("there,", "there[half],").replace("recvbuf=got", "recvbuf=got[half]"),
        {"steps", "volume"},
    ),
}  # fmt: skip
"""What stands where, what is planted in its place, and the properties that this falsifies."""

LEFTWARD = TWIN.replace("(me - hop) % size], views[(me - hop - 1)", "(me + hop) % size], views[(me + hop + 1)").replace(
    EXCHANGE, "comm.Sendrecv(there, dest=(me - 1) % size, recvbuf=got, source=(me + 1) % size)"
)
DIRECT = """\
import numpy as np

def allreduce(comm, x):
    me, size = comm.rank, comm.size
    parts = {me: np.array(x)}
    for far in range(1, size):
        parts[(me - far) % size] = got = np.zeros_like(x)
        comm.Sendrecv(x, dest=(me + far) % size, recvbuf=got, source=(me - far) % size)
    total = parts[0]
    for r in range(1, size):
        total = total + parts[r]
    return total
"""
BUILT_IN = """\
import numpy as np

def allreduce(comm, x):
    total = np.empty_like(x)
    comm.Allreduce(x, total)
    return total
"""
ARRIVAL = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    total = np.array(x)
    for r in range(1, comm.size):
        if comm.rank == r:
            comm.Send(x, 0)
        elif comm.rank == 0:
            got = np.empty_like(x)
            comm.Recv(got, MPI.ANY_SOURCE)
            total += got
    comm.Bcast(total, 0)
    return total
"""
