"""MSCCL's JSON of synthesised algorithms (microsoft/msccl-tools, ``msccl/serialization.py``), as a program.

Such a file has steps that all ranks take together.  In a step, chunks are sent by their address, as they were before
the step.  The file does not say what becomes of a chunk that arrives where one is already: it replaces that one if it
contains all of it, and is added otherwise, which is right exactly if the two have nothing in common.  The sets of
chunks that ranks hold before and after must be those of the collective that the file names.  Its topology and rounds
are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from sparring.errors import InputError
from sparring.schedules.collectives import starts, wants
from sparring.schedules.from_page import blocked
from sparring.schedules.memory import Places
from sparring.schedules.program import CHUNKS, RANKS, STEPS, Program, Rank, check_program, decoded
from sparring.schedules.rank_schedule import Move

Number = Annotated[int, Meta(ge=0, lt=RANKS)]
Address = Annotated[int, Meta(ge=0, lt=CHUNKS)]
FOLLOWED = ("allreduce", "allgather", "reduce_scatter")
HELD = 2**21  # contributions of all ranks together


class Chunk(Struct, frozen=True):
    """A contribution: the ranks that have it first, and those that must in the end.

    Several of one address are added.
    """

    pre: tuple[Number, ...]
    post: tuple[Number, ...]
    addr: Address


class Collective(Struct, frozen=True):
    """The collective that the file declares."""

    name: str
    nodes: Annotated[int, Meta(ge=1, lt=RANKS)]
    chunks: Annotated[tuple[Chunk, ...], Meta(min_length=1, max_length=HELD)]
    runtime_name: str | None = None


class Sends(Struct, frozen=True):
    """A step: what is sent, from where and to whom."""

    sends: tuple[tuple[Address, Number, Number], ...]


class Algorithm(Struct, frozen=True, tag_field="msccl_type", tag="algorithm"):
    """The whole file."""

    name: Annotated[str, Meta(max_length=1000)]
    collective: Collective
    steps: tuple[Sends, ...]


def read(data: bytes) -> Program:
    """Read the program in a file; raise InputError, which says what is wrong, and where."""
    whole = decoded(data, Algorithm, 'an object with "msccl_type": "algorithm"')
    p, count = whole.collective.nodes, sum(len(step.sends) for step in whole.steps)
    if 2 * count > STEPS:
        raise InputError(f"{count} sends; at most {STEPS // 2} are read")
    chunks = 1 + max(chunk.addr for chunk in whole.collective.chunks)
    name = (whole.collective.runtime_name or whole.collective.name.split("(")[0]).lower()
    agreed(Program(whole.name, name, True, chunks, (Rank(chunks, chunks, 0, ()),) * p), whole.collective)
    found: list[list[Move]] = [[] for _ in range(p)]
    for r, move in moves(whole, p, chunks):
        found[r].append(move)
    ranks = tuple(Rank(chunks, chunks, 0, blocked(own, "o", fused=False)) for own in found)
    return check_program(Program(whole.name, name, True, chunks, ranks))


def agreed(program: Program, collective: Collective) -> None:
    """Raise InputError unless what ranks have before and after is what the collective's name says."""
    places = Places(program)
    if places.kind not in FOLLOWED:
        raise InputError(f"collective {program.collective[:40]!r}; right: {', '.join(FOLLOWED)}")
    before = {(r, chunk) for r, _, _, chunk in starts(places)}
    after = {(r, chunk) for r, _, _, chunk, _ in wants(places)}
    said = {(r, chunk.addr) for chunk in collective.chunks for r in chunk.pre}
    due = {(r, chunk.addr) for chunk in collective.chunks for r in chunk.post}
    for what, ours, theirs in (("pre", before, said), ("post", after, due)):
        if ours != theirs:
            r, chunk = min(ours ^ theirs)
            how = "lacks" if (r, chunk) in ours else "has"
            raise InputError(f"{what} {how} address {chunk} on rank {r}, not so an {places.kind} of {program.chunks}")


def moves(whole: Algorithm, p: int, chunks: int) -> Iterator[tuple[int, Move]]:
    """Yield what each rank does, in order: in each step it sends, then receives."""
    held: list[dict[int, int]] = [{} for _ in range(p)]  # by address, the ranks whose contribution is there, as bits
    for chunk in whole.collective.chunks:
        for r in chunk.pre:
            if r >= p:
                raise InputError(f"pre of address {chunk.addr} names rank {r}; right: 0 to {p - 1}")
            held[r][chunk.addr] = 1 << r
    for t, step in enumerate(whole.steps):
        brought = []
        for addr, src, dst in step.sends:
            if src == dst or max(src, dst) >= p or addr >= chunks:
                raise InputError(f"step {t} sends address {addr} from rank {src} to {dst}; right: two of {p} ranks")
            brought.append(held[src].get(addr, 0))
            yield src, Move(dst, True, False, addr, 1)
        for (addr, src, dst), came in zip(step.sends, brought):
            there = held[dst].get(addr, 0)
            held[dst][addr] = came | there
            yield dst, Move(src, False, bool(there & ~came), addr, 1)
