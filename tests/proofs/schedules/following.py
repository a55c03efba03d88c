"""An interpreter of execution plans, made apart from the judges: it does one thing after the other, by chance.

It reads the file as the other end of it is documented (microsoft/mscclpp, ``execution_kernel.hpp``).  What the
threads of a block do between two ``nop``s comes in any order, but for what one thread does.  What is written to
another rank arrives late, at the latest with a signal that is not relaxed; a port works when it likes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict

PACKETS = {"ppkt", "rppkt", "cpkt", "upkt", "repkt", "respkt", "recpkt", "recspkt"}


class Following:
    """One run; ``chance`` decides what comes next."""

    def __init__(self, data, chance):
        self.file, self.chance = json.loads(data), chance
        self.gpus = self.file["gpus"]
        self.p = len(self.gpus)
        self.memory = {}
        self.flags = set()
        self.signals = Counter()
        self.semaphores = Counter()
        self.arrived = Counter()
        self.late = [[] for _ in self.gpus]
        self.ports = defaultdict(list)
        self.results = {}
        self.blocks = [Block(self, r, b) for r, gpu in enumerate(self.gpus) for b in gpu["threadblocks"]]
        for r, gpu in enumerate(self.gpus):
            gathers = self.file["collective"] == "allgather"
            for c in range(gpu["input_chunks"]):
                at = c + r * gpu["input_chunks"] if gathers else c
                self.memory[self.cell(r, "i", c)] = Counter({(r, at): 1})

    def cell(self, r, kind, index):
        """Where it lies: in place, input and output are one."""
        if self.file["inplace"] and self.file["collective"] == "allreduce" and kind == "o":
            kind = "i"
        if self.file["inplace"] and self.file["collective"] == "allgather" and kind == "i":
            kind, index = "o", index + r * self.gpus[r]["input_chunks"]
        return r, kind, index

    def run(self):
        """Whether it ends."""
        while True:
            for r in range(self.p):
                own = [b for b in self.blocks if b.r == r]
                if r not in self.results and all(b.done for b in own):
                    n = self.gpus[r]["output_chunks"]
                    self.results[r] = [self.memory.get(self.cell(r, "o", c)) for c in range(n)]
            todo = [act for block in self.blocks for act in block.acts()]
            todo += [lambda q=queue: q.pop(0)() for queue in self.ports.values() if queue]
            todo += [lambda w=writes: w.pop(0)() for writes in self.late if writes]
            if not todo:
                return len(self.results) == self.p
            self.chance.choice(todo)()

    def right(self):
        """Whether each rank had its result when it ended."""
        if self.file["collective"] == "allgather":
            share = self.gpus[0]["input_chunks"]
            wanted = [Counter({(c // share, c): 1}) for c in range(share * self.p)]
        else:
            wanted = [Counter({(q, c): 1 for q in range(self.p)}) for c in range(self.gpus[0]["input_chunks"])]
        return all(result == wanted for result in self.results.values())


class Block:
    """A thread block: what its threads still have to do before they meet."""

    def __init__(self, run, r, block):
        self.run, self.r, self.block = run, r, block
        self.ops = list(block["ops"])
        self.pending = []  # thread (None: all), whether it can go, what it does
        self.meets = {}  # the nop or barrier that they come to next
        self.fill()

    @property
    def done(self):
        """Whether nothing is left."""
        return not self.ops and not self.pending and not self.meets

    def fill(self):
        """Take up what stands before the next meeting."""
        while self.ops and not self.meets:
            op = self.ops.pop(0)
            if op["name"] in ("nop", "barrier"):
                self.meets = op
            else:
                self.pending += list(self.parts(op))

    def acts(self):
        """What can be done now."""
        seen, found = set(), []
        for one in self.pending:
            thread, ready, act = one
            if (thread is None or thread not in seen) and ready():
                found.append(lambda one=one, act=act: (self.pending.remove(one), act()))
            seen.add(thread)
        if not self.pending and self.meets and (met := self.meeting()):
            found.append(met)
        return found

    def meeting(self):
        """What lets all threads go on; None at a barrier to which not enough blocks have come as often as this one."""
        op = self.meets
        if op["name"] == "nop":
            return self.onward
        key = self.r, op["barrier_id"]
        if "arrived" not in op:
            return lambda: (self.run.arrived.update([key]), setattr(self, "meets", {**op, "arrived": True}))
        turns = [o for o in self.block["ops"] if o["name"] == "barrier" and o["barrier_id"] == op["barrier_id"]]
        turn = len(turns) - sum(o in turns for o in self.ops)
        return self.onward if self.run.arrived[key] >= turn * op["num_threadblocks"] else None

    def onward(self):
        """All have met."""
        self.meets = {}
        self.fill()

    def wire(self, kind, index):
        """The other end of a channel, and which of the channels between the two it is."""
        own = [i for c in self.block["channels"] if c["channel_type"] == kind for i in c["channel_ids"]][index]
        peers = [q for c in self.run.gpus[self.r]["channels"] if c["channel_type"] == kind for q in c["connected_to"]]
        return peers[own], (kind, peers[:own].count(peers[own]))

    def where(self, op, part):
        """The cells of a part, which are of one rank, or of all behind a switch."""
        run, span = self.run, range(part["index"], part["index"] + part["size"])
        if "switch_channel_id" in part:
            return [[run.cell(q, "i", i) for i in span] for q in range(run.p)]
        if "type" in part:
            return [[run.cell(self.r, part["type"], i) for i in span]]
        refs = [i for ref in self.block["remote_buffer_refs"] if ref["access_channel_type"] == op["channel_type"]
                for i in ref["remote_buffer_ids"]]  # fmt: skip
        remote = run.gpus[self.r]["remote_buffers"][refs[part["buffer_id"]]]
        return [[run.cell(remote["rank"], remote["type"], i) for i in span]]

    def parts(self, op):
        """What an operation is made of."""
        name, run, port = op["name"], self.run, op.get("channel_type") == "port"
        for i, index in enumerate(op.get("semaphore_ids", [])):
            key = self.r, index
            if name == "sem_release":
                yield i, lambda: True, lambda key=key: run.semaphores.update([key])
            else:
                yield i, lambda key=key: run.semaphores[key] > 0, lambda key=key: run.semaphores.subtract([key])
        if "src_buff" in op:
            yield from self.chunks(op, port)
            return
        for i, index in enumerate(op.get("channel_ids", [])):
            q, tag = self.wire(op["channel_type"], index)
            queue, out, back = run.ports[self.r, q, tag], (self.r, q, tag), (q, self.r, tag)
            if name.endswith("wait"):
                yield i, lambda b=back: run.signals[b] > 0, lambda b=back: run.signals.subtract([b])
            elif name == "flush":
                yield i, lambda queue=queue: not queue, lambda: None
            elif port:
                yield i, lambda: True, lambda queue=queue, out=out: queue.append(lambda: self.tell(out, strict=True))
            else:
                yield i, lambda: True, lambda out=out: self.tell(out, strict=not name.startswith("rlx"))

    def tell(self, out, *, strict):
        """A signal."""
        while strict and self.run.late[self.r]:
            self.run.late[self.r].pop(0)()
        self.run.signals.update([out])

    def chunks(self, op, port):
        """The moves of chunks."""
        name, run = op["name"], self.run
        sources = [self.where(op, part) for part in op["src_buff"]]
        targets = [self.where(op, part) for part in op["dst_buff"]]
        if name in ("put", "get", "ppkt"):
            moves = [([s], [t]) for s, t in zip(sources, targets)]
        else:
            moves = [(sources, targets)]
        waits = {"upkt": slice(0, None), "repkt": slice(1, None), "respkt": slice(1, None)}.get(name, slice(0, 0))
        for i, (some, others) in enumerate(moves):
            flags = [cell for source in some[waits] for cells in source for cell in cells]

            def move(some=some, others=others):
                self.move(name, some, others, port)

            if port:
                q, tag = self.wire("port", op["channel_ids"][i])
                yield i, lambda: True, lambda move=move, q=q, tag=tag: run.ports[self.r, q, tag].append(move)
            else:
                yield None, lambda flags=flags: all(cell in run.flags for cell in flags), move

    def move(self, name, sources, targets, port):
        """Take the sums of what lies at the sources to all targets."""
        run = self.run
        while run.late[self.r] and any(cell[0] != self.r for s in sources for cells in s for cell in cells):
            run.late[self.r].pop(0)()
        values = []
        for ways in zip(*(cells for source in sources for cells in source)):
            held = [run.memory.get(cell) for cell in ways]
            values.append(None if None in held else sum(held, Counter()))
        for cell, value in ((c, v) for target in targets for cells in target for c, v in zip(cells, values)):
            packet = name in PACKETS and cell[1] == "s"
            if cell[0] == self.r or packet or port:
                run.memory[cell] = value
            else:
                run.late[self.r].append(lambda cell=cell, value=value: run.memory.__setitem__(cell, value))
            if packet:
                run.flags.add(cell)
