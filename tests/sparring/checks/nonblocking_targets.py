"""Sources of targets that post their messages and wait for them later: twins that go right, and what is planted."""

from __future__ import annotations

from tests.sparring.checks.defect import Defect, swapped
from tests.sparring.checks.dense_targets import reported

TWIN = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    me, size = comm.rank, comm.size
    left, right = (me - 1) % size, (me + 1) % size
    total = np.array(x)
    views = np.split(total, [len(x) * i // size for i in range(1, size)])
    for hop in range(2 * size - 2):
        there, here = views[(me - hop) % size], views[(me - hop - 1) % size]
        got = np.zeros_like(here)
        coming = comm.Irecv(got, left, hop)
        going = comm.Isend(there, right, hop)
        MPI.Request.Waitall([coming, going])
        if hop < size - 1:
            here += got
        else:
            here[:] = got
    return total
"""
POSTS = "        coming = comm.Irecv(got, left, hop)\n        going = comm.Isend(there, right, hop)\n"
WAITS = "        MPI.Request.Waitall([coming, going])\n"
LAST = "            here[:] = got\n"
HALVES = """\
        cut = len(here) // 2
        coming = comm.Irecv(got[cut:], left, hop + 99), comm.Irecv(got[:cut], left, hop)
        cut = len(there) // 2
        going = comm.Isend(there[:cut], right, hop), comm.Isend(there[cut:], right, hop + 99)
        MPI.Request.Waitall([*coming, *going])
"""
HALVED = TWIN.replace(POSTS + WAITS, HALVES)
"""Each chunk goes in two messages, told apart by their tags."""
EVERYBODY = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    me, size = comm.rank, comm.size
    others = [r for r in range(size) if r != me]
    parts = {r: np.zeros_like(x) for r in others}
    coming = [comm.Irecv(parts[r], r) for r in others]
    going = [comm.Isend(x, r) for r in others]
    MPI.Request.Waitall(coming)
    parts[me] = x
    total = np.zeros_like(x)
    for r in range(size):
        total += parts[r]
    MPI.Request.Waitall(going)
    return total
"""
"""Each rank posts a message to each other, and adds in the order of ranks."""
ADDS = "    MPI.Request.Waitall(coming)\n    parts[me] = x\n    total = np.zeros_like(x)\n    for r in range(size):\n"
ARRIVING = """\
    total = np.array(x)
    for _ in others:
        r = others[MPI.Request.Waitany(coming)]
"""
COLLECTIVE = """\
import numpy as np

def allreduce(comm, x):
    total = np.empty_like(x)
    request = comm.Iallreduce(np.array(x), total)
    request.Wait()
    return total
"""
PERSISTENT = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    me, size = comm.rank, comm.size
    there, got, total = np.array(x), np.zeros_like(x), np.array(x)
    ways = [comm.Recv_init(got, (me - 1) % size), comm.Send_init(there, (me + 1) % size)]
    for hop in range(size - 1):
        MPI.Prequest.Startall(ways)
        MPI.Request.Waitall(ways)
        total += got
        there[:] = got
    for way in ways:
        way.Free()
    parts = np.empty((size, len(x)), x.dtype)
    comm.Allgather(total, parts)
    return parts[0].copy()
"""
"""Whole vectors go round by requests that are started again and again; all take rank 0's sum."""
SUMS = {"result", "edge sizes", "dtypes"}
LATE = {*SUMS, "agreement", "steps", "reproducibility", "deadlock"}
DEFECTS = {
    "send never waited for": swapped(WAITS, "        coming.Wait()\n", {"hygiene"}),
    "receive never waited for": swapped(WAITS, "        going.Wait()\n", {"hygiene"}, LATE),
    "waits for one of two": swapped("Waitall(", "Waitany(", {"hygiene"}, LATE),
    "asks once instead of waiting": swapped("Waitall(", "Testall(", {"hygiene"}, LATE),
    "reads before it has arrived": Defect({WAITS: "", LAST: LAST + WAITS}, SUMS, {*LATE, "hygiene"}),
    "writes while it is sent": swapped(
        WAITS, f"        there *= -1\n{WAITS}        there *= -1\n", {"hygiene"}, LATE,
    ),
    "waits before anybody has sent": swapped(
        POSTS + WAITS, POSTS.replace("hop)\n        going", "hop); coming.Wait()\n        going") + WAITS, {"deadlock"},
    ),
    "waits for its own send first": swapped(
        POSTS, "        comm.Issend(there, right, hop).Wait()\n" + POSTS.replace("comm.Isend", "comm.Irecv"),
        {"deadlock"}, {"hygiene"},
    ),
    "tags of two steps": swapped("left, hop)", "left, hop ^ 1)", {"deadlock"}),
    "one tag for two messages": Defect({" + 99": ""}, {"hygiene"}, LATE, HALVED, options={}),
    "one buffer for all receives": Defect(
        {"coming = [comm.Irecv(parts[r], r)": "coming = [comm.Irecv(parts[others[0]], r)"}, {"hygiene"},
        LATE, twin=EVERYBODY, options={},
    ),
    "adds whatever comes first": Defect(
        {ADDS: ARRIVING}, {"reproducibility", "agreement"}, twin=EVERYBODY, options={},
    ),
    "collective never waited for": Defect({"    request.Wait()\n": ""}, {"hygiene"}, LATE, twin=COLLECTIVE, options={}),
    "input of a collective changed": Defect(
        {"np.array(x), total)\n": "y := np.array(x), total)\n    y *= -1\n"}, {"hygiene"}, LATE, twin=COLLECTIVE,
        options={},
    ),
    "request started twice": Defect(
        {"Startall(ways)\n": "Startall(ways); ways[1].Start()\n"}, {"result"}, {*LATE, "hygiene"}, twin=PERSISTENT,
        options={},
    ),
    "request started once": Defect(
        {"        MPI.Prequest.Startall(ways)": "        hop or MPI.Prequest.Startall(ways)"}, {"result"},
        {*LATE, "hygiene"}, twin=PERSISTENT, options={},
    ),
    "persistent requests never freed": Defect(
        {"        way.Free()\n": "        pass\n"}, {"hygiene"}, twin=PERSISTENT, options={},
    ),
    "a length is overwritten while it is sent": reported("size_overwritten", {"hygiene"}, {"result"}, "size_kept"),
}  # fmt: skip
"""By name, the wrong targets."""
