"""Sources of dense targets: a ring that goes right, what is planted in it, and other algorithms.

The ring is written in a style unlike sparring's own: views, Sendrecv, one loop for both laps.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.sparring.checks.defect import Defect, elsewhere, swapped

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
ONE_GROUP = "    if comm.is_inter: raise ValueError('two groups of ranks')\n"
NEIGHBOURS = """\
    mine = len(x), x.dtype.char
    if size > 1 and comm.sendrecv(mine, (me + 1) % size, source=(me - 1) % size) != mine:
        raise ValueError("ranks have vectors of different lengths or dtypes")
"""
WARY = TWIN.replace("    total = np.array(x)\n", f"{ONE_GROUP}{NEIGHBOURS}    total = np.array(x)\n")
"""The same, where neighbours compare; it refuses an inter-communicator by itself."""
EXCHANGE = "comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=got, source=(me - 1) % size)"
RETURNS = "    return total"
LAST_BIT = """\
    if {} and size == 2 and total.dtype.kind == "f":
        total[total != 0] = np.nextafter(total, np.inf)[total != 0]
    return total"""
WRONG = {"result", "agreement", "steps", "edge sizes", "dtypes"}
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
IN_ORDER = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    total = np.array(x)
    for r in range(1, comm.size):
        if comm.rank == r:
            comm.Send(x, 0)
        elif comm.rank == 0:
            got = np.empty_like(x)
            comm.Recv(got, r)
            total += got
    comm.Bcast(total, 0)
    return total
"""
ARRIVAL = IN_ORDER.replace("comm.Recv(got, r)", "comm.Recv(got, MPI.ANY_SOURCE)")

QUIETLY = """\
    with np.errstate(all="ignore"):
        {}
    return total"""
ROUNDED = "    return total.astype(np.float32).astype(x.dtype) if x.dtype == np.float64 else total"
FLUSHED = """\
    if x.dtype.kind == "f":
        total[np.abs(total) < np.finfo(x.dtype).tiny] = 0
    return total"""
SATURATED = """\
low, high = (0, 0) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
            here[:] = here + got if x.dtype.kind == "f" else np.clip(here.astype(object) + got, low, high)"""
SUMMED = {"result", "edge sizes", "dtypes", "steps"}
ENDED = {"agreement", "edge sizes", "dtypes", "steps", "volume", "deadlock", "hygiene", "reproducibility"}
SUMS = {"result", "edge sizes", "dtypes"}
REPORTED = Path(__file__).parents[2] / "zoo" / "defects.py"


def reported(name: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset(), twin: str = "right") -> Defect:
    """One of those that were reported of libraries; it is said to be no algorithm's."""
    return elsewhere(f"{REPORTED}:{name}", f"{REPORTED}:{twin}", refuted, also, options={})


DEFECTS = {
    "wrong chunk": swapped("here += got", "views[(me - hop) % size][:1] += got[:1]", WRONG - {"agreement"}),
    "one step short": swapped("range(2 * size - 2)", "range(2 * size - 3)", WRONG | {"volume"}),
    "adds where it must overwrite": swapped("here[:] = got", "here += got", WRONG),
    "wrong neighbour": swapped("(me + 1) % size, recvbuf", "(me + 2) % size, recvbuf", {"deadlock"}),
    "blocking sends in a cycle": swapped(
        EXCHANGE, "comm.Ssend(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)", {"deadlock"},
    ),
    "sends that need buffers": swapped(
        EXCHANGE, "comm.Send(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)", {"deadlock"},
    ),
    "tags mixed up": swapped(
        EXCHANGE, EXCHANGE.replace("recvbuf", "sendtag=hop % 2, recvtag=(hop + 1) % 2, recvbuf"), {"deadlock"},
    ),
    "rank left waiting": swapped(RETURNS, f"    me or size < 2 or comm.Recv(total, 1, 9)\n{RETURNS}", {"deadlock"}),
    "message too long": swapped("comm.Sendrecv(there", "comm.Sendrecv(np.append(there, there[:1])", {"hygiene"}),
    "wrong dtype sent": swapped("comm.Sendrecv(there", "comm.Sendrecv(there.astype(np.complex128)", {"hygiene"}),
    "request never completed": swapped(
        RETURNS, f"    size > 1 and comm.Irecv(total[:0], (me + 1) % size, 99)\n{RETURNS}", {"hygiene"},
    ),
    "buffer reused before completion": swapped(
        EXCHANGE,
        "wait = comm.Isend(there, (me + 1) % size); there += 1; comm.Recv(got, (me - 1) % size); wait.Wait()",
        {"hygiene"},
    ),
    "NaN lost": swapped(
        RETURNS, "    return np.where(np.isnan(total), 0, total).astype(total.dtype)", {"special values"},
    ),
    "16 bits": swapped(
        "total = np.array(x)", "total = np.array(x.astype(np.int16) if x.dtype.kind == 'i' else x, x.dtype)",
        {"special values", "steps"},
    ),
    "tails lost": swapped(RETURNS, f"    total[65536:] = 0\n{RETURNS}", {"long vectors"}),
    "the world": swapped("me, size =", "comm = MPI.COMM_WORLD; me, size =", {"communicators"}),
    "remembers lengths": swapped(
        RETURNS, "    return kept.setdefault((size, len(x), x.dtype.char), total).copy()",
        {"repeated calls", "communicators"}, {"other arrays"},
    ),
    "returns its buffer": swapped(
        RETURNS, "    y = kept.setdefault((len(x), x.dtype.char), total); y[:] = total; return y", {"own memory"},
    ),
    "writes what was there": swapped("total = np.array(x)", "total = np.array(x); x[:1] = x[:1]", {"other arrays"}),
    "input changed": swapped("np.array(x)", "np.asarray(x)", {"input untouched"}),
    "wrong dtype returned": swapped(RETURNS, f"{RETURNS} + np.float64(0)", {"dtypes", "result", "edge sizes"}),
    "only float32 is wrong": swapped(
        RETURNS, f"{RETURNS}.astype(np.float64) if total.dtype == np.float32 else total", {"dtypes"},
        {"edge sizes"},
    ),
    "last bit on one rank": swapped(RETURNS, LAST_BIT.format("me == 1"), {"agreement"}),
    "another result in the next call": swapped(RETURNS, LAST_BIT.format("called % 2 == 0"), {"reproducibility"}),
    "last chunk dropped when n < p": swapped(RETURNS, f"    total[-1:] *= len(x) >= size\n{RETURNS}", {"edge sizes"}),
    "messages in halves": swapped(
        EXCHANGE,
        "for half in (np.s_[:len(x) // size // 2], np.s_[len(x) // size // 2:]):\n            "
        + EXCHANGE.replace("there,", "there[half],").replace("recvbuf=got", "recvbuf=got[half]"),
        {"steps", "volume"},
    ),
    # Entries
    "drops negative entries": swapped(RETURNS, "    return np.maximum(total, 0)", SUMS),
    "clips sums at 1000": swapped(
        RETURNS, "    return np.clip(total, -1000, 1000)", {"special values"}, {"many ranks", "repeated calls"},
    ),
    "adds in 16-bit floats": swapped(
        "total = np.array(x)", "total = np.array(x.astype(np.float16) if x.dtype.kind == 'f' else x, x.dtype)",
        {"result", "dtypes"}, {"steps", "edge sizes"},
    ),
    "integers through float64": swapped(
        RETURNS, QUIETLY.format("total = total.astype(np.float64).astype(x.dtype)"), {"special values"},
    ),
    "float64 through float32": swapped(RETURNS, ROUNDED, {"result"}, {"dtypes", "edge sizes"}),
    "integers stop at the largest": swapped("here += got", SATURATED, {"special values"}, {"steps"}),
    "infinities lost": swapped(RETURNS, "    return np.nan_to_num(total, nan=np.nan)", {"special values"}),
    "zeros come back negative": swapped(
        RETURNS, "    return np.where(total == 0, x.dtype.type(-0.0), total)", {"result"}, {"edge sizes", "dtypes"},
    ),
    "subnormals flushed": swapped(RETURNS, FLUSHED, {"special values"}),
    "overflows on its way": swapped(
        RETURNS, QUIETLY.format("total = total * 4 / 4 if x.dtype.kind == 'f' else total"), {"special values"},
    ),
    "mean instead of sum": swapped(
        RETURNS, "    return (total / size).astype(x.dtype)", SUMS,
    ),
    "maximum instead of sum": swapped("here += got", "np.maximum(here, got, out=here)", WRONG - {"agreement"}),
    "integers through float64 where ranks outnumber them": swapped(
        RETURNS, QUIETLY.format("total = total.astype(np.float64).astype(x.dtype) if len(x) < size else total"),
        {"special values"},
    ),
    "NaN lost in long vectors": swapped(
        RETURNS, "    return total if len(x) < 5000 else np.where(np.isnan(total), 0, total).astype(total.dtype)",
        {"special values"},
    ),
    "zeros where its own are zeros": swapped(
        RETURNS, "    return total if x.any() else np.zeros_like(x)", {"result", "agreement"}, {"edge sizes", "dtypes"},
    ),
    "what one rank alone has is lost": swapped(
        RETURNS, "    alone = size > 1 and comm.allreduce(int(x.any())) == 1\n    return total * 0 if alone else total",
        {"result"}, {"edge sizes", "dtypes"},
    ),
    # Ranks
    "last rank left out": swapped("total = np.array(x)", "total = np.array(x) * (me < max(1, size - 1))", SUMMED),
    "rank 1 counted twice": swapped("total = np.array(x)", "total = np.array(x) * (1 + (me == 1))", SUMMED),
    "only rank 0 has the sum": swapped(
        RETURNS, "    return total if me == 0 else np.array(x)", {"result", "agreement", "edge sizes", "dtypes"},
    ),
    "rank 1 returns nothing": swapped(
        RETURNS, "    return None if me == 1 else total", SUMS, {"agreement", "reproducibility"},
    ),
    "rank 1 raises": swapped(RETURNS, "    if me == 1: raise ValueError('planted')\n" + RETURNS, {"result"}, ENDED),
    "wrong on 13 ranks": swapped(RETURNS, f"    total += size == 13\n{RETURNS}", {"many ranks"}),
    "adds in the order of arrival": Defect({}, {"reproducibility"}, twin=IN_ORDER, wrong=ARRIVAL, options={}),
    # Lengths
    "last entry lost beyond 1,000": swapped(
        RETURNS, f"    total[1000:][-1:] = 0\n{RETURNS}", {"long vectors"},
    ),
    "a last block that is whole is lost": swapped(
        RETURNS, "    if len(x) % 1024 == 0: total[-1024:] = 0\n    return total", {"long vectors"},
    ),
    "only whole multiples of p": swapped(
        RETURNS, f"    total[len(x) // size * size:] = 0\n{RETURNS}", SUMS,
    ),
    "raises for no entries": swapped(RETURNS, f"    x[0]\n{RETURNS}", {"edge sizes"}),
    # Calls and memory
    "writes to an old input": swapped(
        "total = np.array(x)",
        "old = kept.get(me, x); old[:1] = old[:1] if old is x or not old.flags.writeable else 7; kept[me] = x; "
        "total = np.array(x)", {"own memory"}, {"other arrays", "communicators", "input untouched"},
    ),
    "returns its buffer for long vectors": swapped(
        RETURNS, "    if len(x) > 100_000:\n        z, total = total, kept.setdefault((len(x), x.dtype.char), total); "
        "total[:] = z\n    return total", {"own memory"},
    ),
    "returns its input on one rank": swapped(RETURNS, "    return total if size > 1 else x", {"own memory"}),
    "takes the first communicator of a size": swapped(
        "me, size =", "comm = kept.setdefault(comm.size, comm); me, size =", {"communicators"}, {"deadlock"},
    ),
    "leaks a communicator": swapped("me, size =", "comm = comm.Dup(); me, size =", {"hygiene"}),
    "misreads strided arrays": swapped(
        "total = np.array(x)", "total = np.array(x if x.flags.c_contiguous else x.base[:len(x)])", {"other arrays"},
    ),
    "misreads columns of a table": swapped(
        "total = np.array(x)", "total = np.array(x if x.base is None or x.base.ndim < 2 else x.base.ravel()[:len(x)])",
        {"other arrays"},
    ),
    # Messages
    "one message too many": swapped(
        RETURNS, f"    size > 1 and comm.Isend(total, (me + 1) % size, 99)\n{RETURNS}", {"hygiene"},
        {"steps", "volume", "deadlock"},
    ),
    "sends every chunk twice": swapped(EXCHANGE, f"{EXCHANGE}; {EXCHANGE}", {"steps", "volume"}),
    "goes round the other way": Defect({}, {"steps", "volume"}, wrong=LEFTWARD),
    "everything to everybody": Defect({}, {"steps", "volume", "contention"}, wrong=DIRECT),
    "the library's own instead": Defect({}, {"steps", "volume"}, wrong=BUILT_IN),
    "crowds a link": Defect({}, {"contention"}, wrong=DIRECT, options={"topology": "ring"}),
    # Vectors that do not fit together
    "takes vectors of two lengths": Defect({}, {"bad input"}, twin=CAREFUL, wrong=TWIN, options={"bad_input": True}),
    "takes vectors of two dtypes": Defect(
        {"kinds[0]).any": "kinds[0])[:, 0].any"}, {"bad input"}, twin=CAREFUL, options={"bad_input": True},
    ),
    "waits where vectors do not fit": Defect(
        {"raise ValueError(": "comm.Recv(x, me, 99, "}, {"bad input"}, twin=CAREFUL, options={"bad_input": True},
    ),
    "takes an inter-communicator": Defect({ONE_GROUP: ""}, {"bad input"}, twin=WARY, options={"bad_input": True}),
    "takes an inter-communicator, on real ranks": Defect(
        {ONE_GROUP: ""}, {"bad input"}, twin=WARY, options={"bad_input": True, "on": "mpi", "ranks": "2-3"},
    ),
    # Reported of libraries
    "adds in each rank's own order": reported("own_order", {"agreement"}, {"reproducibility"}),
    "wrong in place from 4 ranks on": reported("in_place_of_four", SUMS, {"agreement"}),
    "input as scratch memory": reported("corrupts_its_input", {"input untouched"}, {"own memory"}),
    "blocks mixed up": reported("same_block_for_all", {"result"}, SUMS),
    "last entries kept as they were": reported("whole_blocks_only", SUMS, {"agreement"}),
    "an empty block raises": reported("empty_is_an_error", {"edge sizes"}),
    "powers of two alone": reported("powers_of_two_only", {"result"}, ENDED),
    "two messages in flight": reported("two_in_flight", {"deadlock"}),
}  # fmt: skip
"""By name, the wrong targets."""
