"""Sources of stateful targets that select at every hop of a ring: a twin that goes right, and what is planted in it.

The twin is written in a style unlike sparring's own: pairs of an index and a value, one ``Sendrecv``
a hop, a sort for the selection, and blocks that are views of the sum.
"""

from __future__ import annotations

from tests.sparring.checks.defect import Defect

TWIN = """\
import numpy as np
import sparring

def allreduce(comm, x, k=100):
    return Allreduce(comm, len(x), k)(x)

class Allreduce:
    def __init__(self, comm, n, k=100):
        self.comm, self.n, self.k, self.residual = comm, n, min(k, n), None

    def quota(self, c):
        return self.k * (c + 1) // self.comm.size - self.k * c // self.comm.size

    def take(self, block, c):
        nan = block != block
        order = np.lexsort((np.arange(len(block)), -np.where(nan, 0, np.abs(block)), ~nan))
        at = np.sort(order[: self.quota(c)])
        entries = np.empty(len(at), [("index", np.int64), ("value", block.dtype)])
        entries["index"], entries["value"] = at, block[at]
        block[at] = 0
        return entries

    def room(self, block, c):
        return np.empty(min(len(block), self.quota(c)), [("index", np.int64), ("value", block.dtype)])

    def hop(self, there, here):
        comm, me, size = self.comm, self.comm.rank, self.comm.size
        comm.Sendrecv(there.view(np.uint8), (me + 1) % size, recvbuf=here.view(np.uint8), source=(me - 1) % size)

    def __call__(self, x):
        me, size = self.comm.rank, self.comm.size
        if self.residual is None:
            self.residual = np.zeros_like(x)
        work = x + self.residual
        starts = [self.n * c // size for c in range(size)]
        blocks = np.split(work, starts[1:])
        for lap in range(size - 1):
            out, into = (me - lap) % size, (me - lap - 1) % size
            here = self.room(blocks[into], into)
            self.hop(self.take(blocks[out], out), here)
            blocks[into][here["index"]] += here["value"]
        own = (me + 1) % size
        lists = [self.room(block, c) for c, block in enumerate(blocks)]
        lists[own] = self.take(blocks[own], own)
        for lap in range(size - 1):
            self.hop(lists[(own - lap) % size], lists[(own - lap - 1) % size])
        self.residual = work
        indices = np.concatenate([one["index"] + start for one, start in zip(lists, starts)])
        return sparring.Sparse(indices, np.concatenate([one["value"] for one in lists]), self.n)
"""
ADD = "work = x + self.residual"
KEEP = "self.residual = work"
RETURN = 'return sparring.Sparse(indices, np.concatenate([one["value"] for one in lists]), self.n)'
MADE = 'y = sparring.Sparse(indices, np.concatenate([one["value"] for one in lists]), self.n)\n        '
SEND = "comm.Sendrecv(there.view(np.uint8), (me + 1) % size, recvbuf=here.view(np.uint8), source=(me - 1) % size)"
NEIGHBOUR = """everybody = np.empty((size, self.n), x.dtype)
        self.comm.Allgather(work, everybody)
        self.residual = everybody[me - 1]"""
SHARED = {
    "class Allreduce:": "class Allreduce:\n    residual = None\n",
    "self.k, self.residual = comm, n, min(k, n), None": "self.k = comm, n, min(k, n)",
    "if self.residual is None:": "if self.residual is None or self.residual.shape != x.shape:",
    "self.residual = np.zeros_like(x)": "type(self).residual = np.zeros_like(x)",
    KEEP: "type(self).residual = work",
}
FORMS = {"edge sizes", "dtypes"}
LEFT = {*FORMS, "selection", "steps"}
DEFECTS = {
    "forgets its residual": Defect({ADD: "work = x.copy()"}, {"result", "conservation"}, LEFT),
    "adds its residual twice": Defect(
        {ADD: "work = x + self.residual + self.residual"}, {"result", "conservation"}, LEFT,
    ),
    "adds its residual in every other call": Defect(
        {ADD: "self.odd = not getattr(self, 'odd', True)\n        work = x + (self.residual if self.odd else 0)"},
        {"result", "conservation"}, LEFT,
    ),
    "keeps its state across instances": Defect(SHARED, {"result", "conservation", "reproducibility"}, LEFT),
    "breaks ties the other way round": Defect(
        {"np.lexsort((np.arange(len(block))": "np.lexsort((-np.arange(len(block))"},
        {"result", "selection", "steps"}, FORMS,
    ),
    "takes NaN last": Defect({", ~nan))": ", nan))"}, {"result", "selection"}, {*FORMS, "steps"}),
    "selects by value, not magnitude": Defect({"np.abs(block)": "block"}, {"result", "selection", "steps"}, FORMS),
    "leaves zeros out of its result": Defect(
        {RETURN: MADE + "return sparring.Sparse(indices[y.values != 0], y.values[y.values != 0], self.n)"},
        {"result", "selection"}, FORMS,
    ),
    "rounds its quotas up": Defect(
        {"return self.k * (c + 1) // self.comm.size - self.k * c // self.comm.size":
         "return -(-self.k // self.comm.size)"},
        {"result", "selection", "steps", "volume"}, FORMS,
    ),
    "has one entry too many": Defect({"min(k, n)": "min(k + 1, n)"}, {"result", "selection", "steps", "volume"}, FORMS),
    "refuses more than there are": Defect({"min(k, n)": "k if k <= n else 1 // 0"}, {"result"}, FORMS),
    "refuses to keep nothing": Defect({"min(k, n)": "min(k, n) if k else 1 // 0"}, {"result"}, FORMS),
    "keeps what it sends": Defect({"block[at] = 0": "pass"}, {"result", "conservation"}, LEFT),
    "loses what the owner of a block leaves out": Defect(
        {"lists[own] = self.take(blocks[own], own)": "lists[own] = self.take(blocks[own], own); blocks[own][:] = 0"},
        {"result", "conservation"}, LEFT,
    ),
    "gives its residual to another rank": Defect({KEEP: NEIGHBOUR}, {"result"}, LEFT),
    "works in its input": Defect(
        {ADD: "x += self.residual; work = x", KEEP: "self.residual = work.copy()"}, {"input untouched"}, set(),
    ),
    "keeps its input instead of a copy": Defect(
        {ADD: "work = x if self.residual is None else x + self.residual", "self.residual = np.zeros_like(x)": "pass"},
        {"result", "input untouched"}, {*LEFT, "conservation", "reproducibility"},
    ),
    "keeps a residual of another dtype": Defect(
        {KEEP: "self.residual = work.astype(np.float64)"}, {"result"}, {*LEFT, "volume"},
    ),
    "returns a dense vector": Defect({RETURN: MADE + "return y.dense()"}, {"result"}, FORMS),
    "returns unsorted indices": Defect(
        {RETURN: MADE + "return sparring.Sparse.made(y.indices[::-1].copy(), y.values[::-1].copy(), self.n)"},
        {"result"}, FORMS,
    ),
    "returns another last bit on one rank": Defect(
        {RETURN: MADE + "v = y.values\n        return y if me == 0 or v.dtype.kind != 'f' else "
         "sparring.Sparse(indices, np.nextafter(v, v.dtype.type(9)), self.n)"},
        {"result", "agreement"}, FORMS,
    ),
    "sends that need buffers": Defect(
        {SEND: "comm.Send(there.view(np.uint8), (me + 1) % size); comm.Recv(here.view(np.uint8), (me - 1) % size)"},
        {"deadlock"}, set(),
    ),
    "sends every list twice": Defect({SEND: f"{SEND}; {SEND}"}, {"steps", "volume"}, set()),
    "leaves a message behind": Defect(
        {KEEP: KEEP + "\n        size > 1 and self.comm.Isend(work, own, 9)"},
        {"hygiene", "steps", "volume"}, {"deadlock"},
    ),
    "subtracts its residual": Defect({ADD: "work = x - self.residual"}, {"result", "conservation"}, LEFT),
    "halves its residual": Defect(
        {KEEP: "self.residual = (work / 2).astype(x.dtype)"}, {"result", "conservation"}, LEFT,
    ),
    "clips its residual at 3": Defect({KEEP: "self.residual = np.clip(work, -3, 3)"}, {"result", "conservation"}, LEFT),
    "loses what a hop leaves out": Defect({"block[at] = 0": "block[:] = 0"}, {"result", "conservation"}, LEFT),
    "overwrites where it must add": Defect(
        {'[here["index"]] += here["value"]': '[here["index"]] = here["value"]'}, {"result", "conservation"}, LEFT,
    ),
    "selects the smallest": Defect(
        {"-np.where(nan, 0, np.abs(block))": "np.where(nan, 0, np.abs(block))"},
        {"result", "selection", "steps"}, FORMS,
    ),
    "forgets its residual in the fourth call": Defect(
        {ADD: "self.turn = getattr(self, 'turn', -1) + 1\n        work = x + (self.residual if self.turn % 3 else 0)"},
        {"conservation"},
        options={"contract": "error-feedback", "draw": {"k": "1-6", "calls": "4-6"}},
    ),
    "returns its buffer": Defect(
        {RETURN: MADE + "self.kept = getattr(self, 'kept', y.values)\n        self.kept.flags.writeable = True\n"
         "        self.kept[:] = y.values\n        return sparring.Sparse.made(indices, self.kept, self.n)"},
        {"own memory"},
    ),
    "the world": Defect(
        {"import sparring": "import sparring\nfrom mpi4py import MPI", "= comm, n, min": "= MPI.COMM_WORLD, n, min"},
        {"communicators"}, {"many ranks"},
    ),
    "forgets its residual on more than 8 ranks": Defect({ADD: f"{ADD} * (size < 9)"}, {"many ranks"}),
    "request never completed": Defect(
        {KEEP: KEEP + "\n        size > 1 and self.comm.Irecv(work[:0].copy(), own, 99)"}, {"hygiene"}, {"deadlock"},
    ),
}  # fmt: skip
"""By name, the wrong targets."""
