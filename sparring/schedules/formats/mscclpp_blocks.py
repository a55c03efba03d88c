"""Thread blocks of an execution plan of MSCCL++, step by step, as nodes.

The threads of a block run freely between two ``nop``s, which wait for all of them, so only steps with a ``nop`` (or a
barrier) in between are ordered.  Thread ``i`` does the ``i``-th of an operation's signals, waits and puts to ports; the
steps of one thread keep their order.  A port does puts and signals of a channel one after the other, on its own time; a
later signal of that channel, or a flush, says that they are done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sparring.errors import InputError
from sparring.schedules.formats.mscclpp_operands import Cells, Cut, Names, at
from sparring.schedules.formats.mscclpp_operations import KINDS, ORDERING, Kind, Op, Threadblock, letters
from sparring.schedules.formats.mscclpp_semaphores import End, Shared
from sparring.schedules.plans import IDLE, Deed

PASSES = 2
"""The number of passes that pipelines are assumed to make."""


class Walk:
    """A walk through the operations of one block."""

    def __init__(self, shared: Shared, r: int, block: Threadblock) -> None:
        self.shared, self.weave, self.r, self.block = shared, shared.weave, r, block
        self.names = Names(shared, r, block)
        self.sync: int | None = None
        self.open: list[int] = []
        self.threads: dict[int, int] = {}
        self.rounds: Counter[int] = Counter()
        self.name = ""

    def go(self) -> None:
        """Walk through all operations; raise InputError, which says which one is wrong, and how."""
        for s, op in enumerate(self.block.ops):
            inner = [(f"{s}.{i}", one, t) for t in range(PASSES) for i, one in enumerate(op.ops)]
            for label, one, t in inner if op.name == "pipeline" else [(str(s), op, -1)]:
                again = f" in pass {t}" if t >= 0 else ""
                self.name = f"rank {self.r} block {self.block.id} step {label}{again} ({one.name[:20]})"
                try:
                    self.step(one, self.cut(op, one, t))
                except InputError as error:
                    raise InputError(f"{self.name} {error}") from None
        self.shared.last[self.r] += self.open or [b for b in (self.sync,) if b is not None]

    def cut(self, op: Op, one: Op, t: int) -> Cut:
        """Return the part of its operands that an operation works on: the slice, and where in it and how much."""
        share = (one.tbg_info.tb_id, one.tbg_info.tbg_size) if one.tbg_info else (0, 1)
        if share[0] >= share[1]:
            raise InputError(f"is for thread block {share[0]} of {share[1]}; right: 0 to {share[1] - 1}")
        if t < 0:
            return Cut(*share, 0, 2**62)
        if op.iter_context is None:
            raise InputError("stands in a pipeline that lacks iter_context")
        if one.name == "pipeline" or one.name.endswith("pkt"):
            raise InputError("stands in a pipeline; right: neither packets nor another pipeline there")
        unit = op.iter_context.num_chunks * self.shared.slices // PASSES
        return Cut(*share, t * unit, unit)

    def step(self, op: Op, cut: Cut) -> None:
        """Do one operation."""
        if op.name in KINDS:
            self.chunks(op, KINDS[op.name], cut)
        elif op.name == "nop":
            self.close()
        elif op.name == "barrier":
            self.barrier(op)
        elif op.name in ("sem_acquire", "sem_release"):
            self.semaphore(op)
        elif op.name == "flush":
            for i, index in enumerate(op.channel_ids):
                end = self.names.end("port", index)
                self.node(thread=i, after=self.shared.tails.get((self.r, end)))
        elif op.name in ORDERING and op.name != "pipeline":
            for i, index in enumerate(op.channel_ids):
                self.signal(op, i, self.names.end(op.channel_type, index))
        else:
            known = ", ".join([*KINDS, *ORDERING])
            raise InputError(f"is an operation that is not known; known: {known}")

    def node(self, deed: Deed = IDLE, *, thread: int | None = None, after: int | None = None) -> int:
        """Add a node of the block, of one thread or of all, and return its number."""
        last = self.threads.get(thread, self.sync) if thread is not None else self.sync
        line = (self.r, self.block.id, len(self.open))
        made = self.weave.add(self.r, self.name, line, [b for b in (last, after) if b is not None], deed)
        self.open.append(made)
        if thread is not None:
            self.threads[thread] = made
        return made

    def close(self) -> int:
        """Return a node that waits for all threads."""
        before = self.open or [b for b in (self.sync,) if b is not None]
        self.sync = self.weave.add(self.r, self.name, (self.r, self.block.id, 0), before)
        self.open, self.threads = [], {}
        return self.sync

    def signal(self, op: Op, i: int, end: End) -> None:
        """Add a signal, or the wait for one."""
        if op.name.endswith("wait"):
            node, found = self.node(thread=i), self.weave.signals.of(end.peer, self.r, end.tag).receives
            self.weave.owned(("wait", self.r, end), self.block.id, "it")
        else:
            node = self.ported(IDLE, i, end) if end.kind == "port" else self.node(thread=i)
            found = self.weave.signals.of(self.r, end.peer, end.tag).sends
            self.weave.owned(("signal", self.r, end), self.block.id, "it")
        found.append(node)
        if op.name.startswith("rlx"):
            self.weave.relaxed.add(node)

    def ported(self, deed: Deed, i: int, end: End) -> int:
        """Add what a port does on a channel, after all that it was told before; return the node."""
        self.weave.owned(("signal", self.r, end), self.block.id, "it")
        key = self.r, end
        before = [b for b in (self.threads.get(i, self.sync), self.shared.tails.get(key)) if b is not None]
        self.shared.tails[key] = made = self.weave.add(self.r, self.name, key, before, deed)
        return made

    def barrier(self, op: Op) -> None:
        """Add a barrier: all blocks arrive before any leaves."""
        key = self.r, op.barrier_id, self.rounds[op.barrier_id]
        self.rounds[op.barrier_id] += 1
        arrive = self.close()
        self.shared.arrived.setdefault(key, []).append((arrive, self.close(), op.num_threadblocks))

    def semaphore(self, op: Op) -> None:
        """Acquire a semaphore, or release it."""
        known = self.shared.acquired if op.name == "sem_acquire" else self.shared.released
        for i, number in enumerate(op.semaphore_ids):
            at(self.names.gpu.semaphores, number, "semaphore")
            self.weave.owned((op.name, self.r, number), self.block.id, "it")
            known.setdefault((self.r, number), []).append(self.node(thread=i))

    def chunks(self, op: Op, kind: Kind, cut: Cut) -> None:
        """Add an operation on chunks."""
        port = op.channel_type == "port"
        if kind.port == ("never" if port else "only"):
            raise InputError(f"has channel_type {op.channel_type}; right: {'no port' if port else 'port'}")
        of, to = letters(kind.sources, len(op.src_buff)), letters(kind.targets, len(op.dst_buff))
        if of is None or to is None or (kind.paired and len(of) != len(to)):
            wanted = f"{kind.sources} to {kind.targets}" + ", in pairs" * kind.paired
            raise InputError(f"has {len(op.src_buff)} sources and {len(op.dst_buff)} targets; right: {wanted}")
        if port and op.name == "ppkt":
            of = of.replace("l", "x")  # a port takes packets as they lie there
        sources = [self.names.cells(op, part, letter, cut) for part, letter in zip(op.src_buff, of)]
        targets = [self.names.cells(op, part, letter, cut) for part, letter in zip(op.dst_buff, to)]
        if not kind.paired and not port:
            turn = "p" in of  # packets are added up before what the rank has itself
            self.deed(op, sources[turn:] + sources[:turn], targets, -1)
            return
        for i, target in enumerate(targets):
            self.deed(op, [sources[i]] if kind.paired else sources, [target], i if port else -1)

    def deed(self, op: Op, sources: list[Cells], targets: list[Cells], i: int) -> None:
        """Add a node that writes the sum of the sources to all targets; ``i``: the thread that tells a port, or -1."""
        parts = [tuple(one for cells in side for one in cells.ranges) for side in (sources, targets)]
        lengths = sorted({len(one) for side in parts for one in side})
        if len(lengths) > 1:
            raise InputError(f"has parts of {' and '.join(map(str, lengths))} chunks or slices; right: equal ones")
        if not lengths[0]:
            return
        deed, reads = Deed(*parts), [cells for cells in sources if cells.letter == "p"]
        if i < 0:
            made = self.node(deed)
            self.wait(made, reads)
        else:
            made = self.handed(op, deed, targets[0], reads, i)
        for cells in targets:
            if cells.letter in "pq":
                for cell in cells.ranges[0]:
                    self.shared.writes(cell, made, (self.r, self.block.id))
            if cells.letter in "rq":
                self.weave.moved(made, self.r, cells.rank)
        for cells in sources:
            if cells.letter == "r":
                self.weave.moved(made, cells.rank, self.r)

    def handed(self, op: Op, deed: Deed, target: Cells, reads: Sequence[Cells], i: int) -> int:
        """Add a node of a port, and return it.

        The block itself reads the packets, all threads meet, and one tells the port.
        """
        end = self.names.end("port", at(op.channel_ids, i, "channel"))
        if target.rank != end.peer:
            raise InputError(f"puts to rank {target.rank} over a channel to rank {end.peer}; right: to that rank")
        if reads:
            self.wait(self.node(Deed(deed.sources)), reads)
            self.close()
        made = self.ported(deed, i, end)
        if op.name in ("pws", "pwsf"):
            self.weave.signals.of(self.r, end.peer, end.tag).sends.append(self.ported(IDLE, i, end))
        if op.name == "pwsf":
            self.node(thread=i, after=self.shared.tails[self.r, end])
        return made

    def wait(self, node: int, reads: Sequence[Cells]) -> None:
        """Record that the node reads packets."""
        self.shared.awaited += [(node, cell) for cells in reads for cell in cells.ranges[0]]
