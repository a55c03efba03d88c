"""Sources of targets that take sparse vectors: a twin that goes right, and what is planted in it.

The twin is a ring allgather written in a style unlike sparring's own: indices before values, always
of 8 bytes, and sums in a dictionary.
"""

from __future__ import annotations

from tests.sparring.checks.defect import Defect, swapped

TWIN = """\
import numpy as np
import sparring
from mpi4py import MPI

called = 0
kept = {}

def packed(x):
    return np.concatenate([x.indices.astype(np.int64).view(np.uint8), x.values.view(np.uint8)])

def allreduce(comm, x):
    global called
    called += 1
    me, size = comm.rank, comm.size
    sizes = np.empty(size, np.int64)
    comm.Allgather(np.array([len(x)]), sizes)
    lists = [np.empty(k * (8 + x.dtype.itemsize), np.uint8) for k in sizes]
    lists[me][:] = packed(x)
    for hop in range(size - 1):
        there, here = lists[(me - hop) % size], lists[(me - hop - 1) % size]
        comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=here, source=(me - 1) % size)
    sums = {}
    for one, k in zip(lists, sizes):
        for i, v in zip(one[:8 * k].view(np.int64).tolist(), one[8 * k:].view(x.dtype)):
            sums[i] = sums[i] + v if i in sums else v
    support = sorted(sums)
    indices, values = np.array(support, x.indices.dtype), np.array([sums[i] for i in support], x.dtype)
    return sparring.Sparse(indices, values, x.n)
"""
ONE_GROUP = "    if comm.is_inter: raise ValueError('two groups of ranks')\n"
NEIGHBOURS = """\
    mine = x.n, x.dtype.char
    if size > 1 and comm.sendrecv(mine, (me + 1) % size, source=(me - 1) % size) != mine:
        raise ValueError("ranks have vectors of different lengths or dtypes")
    sizes = [len(x)] * size
    for hop in range(size - 1):
        sizes[(me - hop - 1) % size] = comm.sendrecv(sizes[(me - hop) % size], (me + 1) % size, source=(me - 1) % size)
"""
GATHERS = """\
    sizes = np.empty(size, np.int64)
    comm.Allgather(np.array([len(x)]), sizes)
"""
WARY = TWIN.replace(GATHERS, ONE_GROUP + NEIGHBOURS)
"""The twin without a collective call, which refuses vectors that do not fit together, and an inter-communicator."""
EXCHANGE = "comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=here, source=(me - 1) % size)"
ADDS = "sums[i] = sums[i] + v if i in sums else v"
RETURNS = "return sparring.Sparse(indices, values, x.n)"


def made(parts: str) -> str:
    """A vector that nobody looks at."""
    return f"return sparring.Sparse.made({parts}, x.n)"


def unlocked(part: str) -> str:
    return f"x.{part}.flags.writeable = True"


WRONG = {"result", "edge sizes", "dtypes"}
BUFFERED = """\
y = kept.setdefault((len(support), values.dtype.char), values)
    y.flags.writeable = True
    y[:] = values
    return sparring.Sparse.made(indices, y, x.n)"""
ENDED = {"agreement", "input untouched", "reproducibility", "deadlock"}
DEFECTS = {
    "drops an entry where supports overlap": swapped(
        ADDS, "sums.update({i: v}) if i not in sums else sums.pop(i)", WRONG,
    ),
    "loses explicit zeros": swapped(
        "sorted(sums)", "sorted(i for i in sums if sums[i] != 0)", {"result", "edge sizes"}, {"dtypes"},
    ),
    "adds a zero where nothing is": swapped(
        "support = ", "sums.setdefault(0, 0) if x.n else None\n    support = ", WRONG,
    ),
    "keeps the last of equal indices": swapped(ADDS, "sums[i] = v", WRONG),
    "returns unsorted indices": swapped(RETURNS, made("indices[::-1].copy(), values[::-1].copy()"), WRONG),
    "returns equal indices": swapped(RETURNS, made("np.repeat(indices, 2), np.repeat(values, 2)"), WRONG),
    "returns a dense vector": swapped(RETURNS, f"{RETURNS}.dense()", WRONG),
    "returns another length": swapped(RETURNS, RETURNS.replace("x.n", "x.n + 1"), WRONG),
    "returns other indices' dtype": swapped(
        RETURNS, RETURNS.replace("indices", "indices.astype(np.int64)"), {"dtypes"}, {"edge sizes"},
    ),
    "adds in another order on one rank": swapped(
        "in zip(lists, sizes)", "in list(zip(lists, sizes))[:: -1 if me == 1 else 1]", {"agreement"},
    ),
    "another order in the next call": swapped(
        "in zip(lists, sizes)", "in list(zip(lists, sizes))[:: 1 if called % 2 else -1]", {"reproducibility"},
    ),
    "changes its input": swapped(RETURNS, f"{unlocked('values')}; x.values[:1] = 11; {RETURNS}", {"input untouched"}),
    "reorders its input": swapped(
        RETURNS, f"{unlocked('indices')}; x.indices[:] = x.indices[::-1].copy(); {RETURNS}", {"input untouched"},
    ),
    "writes to its read-only input": swapped("    support", "    x.values[:] = 0\n    support", WRONG),
    "sends that need buffers": swapped(
        EXCHANGE, "comm.Send(there, (me + 1) % size); comm.Recv(here, (me - 1) % size)", {"deadlock"},
    ),
    "sends every list twice": swapped(EXCHANGE, f"{EXCHANGE}; {EXCHANGE}", {"steps", "volume"}),
    "sends one list in two halves": swapped(
        EXCHANGE,
        "for half in (slice(0, 8), slice(8, None)):\n            "
        + EXCHANGE.replace("there,", "there[half],").replace("=here", "=here[half]"),
        {"steps", "volume"},
    ),
    "too long a message": swapped("comm.Sendrecv(there", "comm.Sendrecv(np.append(there, there[:1])", {"hygiene"}),
    "empty supports are an error": swapped(
        "    sums = {}", "    x.indices[0]\n    sums = {}", {"edge sizes"}, {*WRONG, *ENDED},
    ),
    "one rank's list is lost": swapped("zip(lists, sizes)", "zip(lists[:-1] or lists, sizes)", WRONG),
    "one list is added twice": swapped("zip(lists, sizes)", "zip([*lists, lists[0]], [*sizes, sizes[0]])", WRONG),
    "mean instead of sum": swapped(
        "([sums[i] for i in support], x.dtype)", "([sums[i] / size for i in support]).astype(x.dtype)", WRONG,
    ),
    "loses negative values": swapped("sorted(sums)", "sorted(i for i in sums if sums[i] >= 0)", WRONG),
    "sums that cancel leave their support": swapped(
        "sorted(sums)", "sorted(i for i in sums if sums[i] or sum(i in one[:8 * k].view(np.int64) "
        "for one, k in zip(lists, sizes)) < 2)", {"result"}, WRONG,
    ),
    "values through float32": swapped(
        "np.array([sums[i]", "np.array([np.float32(sums[i])", {"result"}, {"dtypes", "edge sizes"},
    ),
    "last index of a list is lost": swapped("sorted(sums)", "sorted(sums)[:-1]", WRONG),
    "wraps indices at n - 1": swapped(ADDS, f"i %= max(1, x.n - 1); {ADDS}", WRONG),
    "request never completed": swapped(
        "    sums = {}", "    size > 1 and comm.Irecv(lists[me][:0].copy(), (me + 1) % size, 99)\n    sums = {}",
        {"hygiene"},
    ),
    "wrong neighbour": swapped("dest=(me + 1)", "dest=(me + 2)", {"deadlock"}, {"hygiene", *ENDED}),
    "wrong on 13 ranks": swapped(
        ADDS, f"{ADDS} + x.dtype.type(size == 13)", {"many ranks"},
    ),
    "NaN lost": swapped(RETURNS, f"values[values != values] = 0; {RETURNS}", {"special values"}),
    "indices in 16 bits": swapped(
        ".view(np.int64).tolist()", ".view(np.int64).astype(np.int16).tolist()", {"long vectors"},
    ),
    "the world": swapped("me, size =", "comm = MPI.COMM_WORLD; me, size =", {"communicators"}),
    "the world, on real ranks": swapped(
        "me, size =", "comm = MPI.COMM_WORLD; me, size =", {"deadlock"}, {*WRONG, *ENDED},
        options={"sparse": True, "on": "mpi", "ranks": "1-3"},
    ),
    "returns its buffer": swapped(RETURNS, BUFFERED, {"own memory"}),
    "tails lost": swapped(RETURNS, f"values[1000:] = 0; {RETURNS}", {"long vectors"}),
    "integers through float64": swapped("np.array([sums[i]", "np.array([float(sums[i])", {"special values"}),
    "infinities lost": swapped(RETURNS, f"values[np.isinf(values)] = 0; {RETURNS}", {"special values"}),
    "the last result for the same support": swapped(
        RETURNS, f"values = kept.setdefault((size, x.n, x.dtype.char, *support), values); {RETURNS}",
        {"repeated calls"}, {"communicators"},
    ),
    "wrong where one rank alone has no entries": swapped(
        RETURNS, f"values[:] *= (sizes == 0).sum() != 1 or size < 2; {RETURNS}", {"result"}, {"edge sizes", "dtypes"},
    ),
    "float32 is wrong where ranks outnumber entries": swapped(
        RETURNS, f"values += x.n < size and x.dtype == np.float32; {RETURNS}", {"edge sizes"}, {"dtypes"},
    ),
    "int32 indices are wrong in long vectors": swapped(
        RETURNS, f"values += x.n > 1000 and x.indices.dtype == np.int32; {RETURNS}", {"long vectors"},
    ),
    "takes an inter-communicator": Defect(
        {ONE_GROUP: ""}, {"bad input"}, twin=WARY, options={"sparse": True, "bad_input": True},
    ),
    "at most 65,535 entries of a rank": swapped(
        "zip(one[:8 * k]", "zip(one[:8 * min(k, 65_535)]", {"long vectors"},
    ),
}  # fmt: skip
"""By name, the wrong targets."""
APART = """\
import numpy as np
import sparring

def allreduce(comm, x):
    sizes = np.empty(comm.size, np.int64)
    comm.Allgather(np.array([len(x)]), sizes)
    indices, values = np.empty(sizes.sum(), x.indices.dtype), np.empty(sizes.sum(), x.dtype)
    comm.Allgatherv(x.indices, (indices, sizes))
    comm.Allgatherv(x.values, (values, sizes))
    return sparring.Sparse.of(indices, values, x.n)
"""
"""Goes right without a message: the library gathers indices and values."""
AS_FLOATS = TWIN.replace("x.indices.astype(np.int64)", "x.indices.astype(np.float64)").replace(
    "one[:8 * k].view(np.int64).tolist()", "one[:8 * k].view(np.float64).astype(int).tolist()"
)
"""Goes right: a ring whose messages no reader knows, though zeros look the same in them."""
