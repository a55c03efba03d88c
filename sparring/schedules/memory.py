"""Numbers the cells of all buffers, each of which holds a chunk, and finds buffers that share memory.

In place, the output of an allreduce or alltoall is the input; the input of an allgather is a part of the output, and
the output of a reduce-scatter a part of the input.  Generators disagree on how they count in such a part: from its own
beginning, or from that of the whole.  The number of chunks that the file gives the part decides: a part no longer than
a rank's share counts from its own beginning.  This rule is our own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from sparring.errors import InputError
from sparring.schedules.program import USES, Place, Program, Rank, Step

NAMES = {"i": "input", "o": "output", "s": "scratch"}
KNOWN = {"allreduce": "allreduce", "allgather": "allgather", "reducescatter": "reduce_scatter", "alltoall": "alltoall"}
MOST = 2**21  # cells of all ranks together


def collective(program: Program) -> str | None:
    """Return the collective that the program declares, by our name; None where we do not know it."""
    return KNOWN.get(program.collective.replace("_", "").replace("-", "").lower())


class Memory(NamedTuple):
    """One rank's buffers: where each begins among all cells, and how long it is."""

    begin: dict[str, int]
    size: dict[str, int]


class Places:
    """The cells of all ranks' buffers, numbered from 0."""

    def __init__(self, program: Program) -> None:
        self.program, self.kind, p = program, collective(program), len(program.ranks)
        if self.kind not in (None, "allreduce") and program.chunks % p:
            raise InputError(f"{program.chunks} chunks for {p} ranks; an {self.kind} needs a multiple of the ranks")
        self.share = program.chunks // p
        self.memories: list[Memory] = []
        self.cells = 0
        for r, rank in enumerate(program.ranks):
            memory = self.memory(r, rank)
            self.memories.append(memory)
            self.cells = max(memory.begin[b] + memory.size[b] for b in memory.begin)
            if self.cells > MOST:
                raise InputError(f"the buffers of all ranks have more than {MOST} chunks; at most so many are followed")
        self.copies = [pair for r, rank in enumerate(program.ranks) for pair in self.copied(r, rank)]
        """The cells from which, and into which, chunks are copied before the first step."""

    def memory(self, r: int, rank: Rank) -> Memory:
        """Return the buffers of rank ``r``, placed after those of the ranks before it.

        The collective says how long a vector is, whatever the file says: behind its end is somebody else's memory.
        """
        n, kind = self.program.chunks, self.kind
        said = {"i": rank.input, "o": rank.output, "s": rank.scratch}
        size = {**said, "i": self.needed("i"), "o": self.needed("o")} if kind else dict(said)
        if not self.program.inplace:
            begin = {"i": self.cells, "o": self.cells + size["i"], "s": self.cells + size["i"] + size["o"]}
            return Memory(begin, size)
        whole, part = ("o", "i") if kind == "allgather" else ("i", "o")
        inside = kind in ("allgather", "reduce_scatter") and said[part] <= self.share < n
        size[whole] = max(size[whole], size[part])
        size[part] = said[part] if inside else size[whole]
        begin = {whole: self.cells, part: self.cells + inside * r * self.share, "s": self.cells + size[whole]}
        return Memory(begin, size)

    def needed(self, buffer: str) -> int:
        """Return how many chunks the collective itself needs in the input or the output."""
        small = (self.kind, buffer) in (("allgather", "i"), ("reduce_scatter", "o"))
        return self.share if small else self.program.chunks

    def cell(self, r: int, buffer: str, index: int) -> int:
        """Return the number of one chunk's cell."""
        return self.memories[r].begin[buffer] + index

    def range(self, r: int, place: Place, count: int) -> range:
        """Return the cells of the chunks at a place; raise InputError where they leave its buffer."""
        buffer, index = place
        memory = self.memories[r]
        if index + count > memory.size[buffer]:
            raise InputError(
                f"{buffer}[{index}] to {buffer}[{index + count - 1}], but its {NAMES[buffer]} has "
                f"{memory.size[buffer]} chunks" + (f" ({self.kind} of {self.program.chunks})" if self.kind else "")
            )
        begin = memory.begin[buffer] + index
        return range(begin, begin + count)

    def copied(self, r: int, rank: Rank) -> Iterator[tuple[int, int]]:
        """Yield the cells of the copies of rank ``r``.

        Raises InputError where a copy leaves its buffers, or where the result would depend on the order of copies.
        """
        try:
            pairs = [(self.range(r, ("i", i), 1).start, self.range(r, ("o", o), 1).start) for i, o in rank.copies]
        except InputError as error:
            raise InputError(f"a copy of rank {r} uses {error}") from None
        taken = {src for src, dst in pairs if src != dst}
        written: set[int] = set()
        for (i, o), (src, dst) in zip(rank.copies, pairs):
            if dst in written or (src != dst and dst in taken):
                raise InputError(
                    f"rank {r} copies i[{i}] to o[{o}], which another copy reads or writes, and nothing says which "
                    "comes first; right: copies that may come in any order"
                )
            written.add(dst)
            yield src, dst

    def owner(self, cell: int) -> int:
        """Return the rank that a cell belongs to."""
        return bisect_right(self.memories, cell, key=lambda memory: min(memory.begin.values())) - 1

    def named(self, r: int, cell: int) -> str:
        """Return a cell as text: a place in the first buffer of the rank that holds it."""
        memory = self.memories[r]
        return next(f"{b}[{cell - at}]" for b, at in memory.begin.items() if at <= cell < at + memory.size[b])


class Touched(NamedTuple):
    """The cells of one step: what it reads as src, what it writes, and whether it reads that too before it writes."""

    src: range
    dst: range
    both: bool

    @property
    def read(self) -> Iterator[range]:
        """The cells that it reads."""
        yield self.src
        if self.both:
            yield self.dst

    @property
    def written(self) -> tuple[range, ...]:
        """The cells that it writes."""
        return (self.dst,)


NONE = range(0)


def touched(places: Places) -> Iterator[Touched]:
    """Yield the cells of every step, rank by rank and block by block.

    Raise InputError where a step leaves its buffers.
    """
    for r, rank in enumerate(places.program.ranks):
        for block in rank.blocks:
            for s, step in enumerate(block.steps):
                try:
                    yield of(places, r, step)
                except InputError as error:
                    raise InputError(f"rank {r} block {block.id} step {s} ({step.op}) uses {error}") from None


def of(places: Places, r: int, step: Step) -> Touched:
    """Return the cells of a step of rank ``r``."""
    src = places.range(r, step.src, step.count) if step.src else NONE
    dst = places.range(r, step.dst, step.count) if step.dst else NONE
    return Touched(src, dst, "dst" in USES[step.op].reads)
