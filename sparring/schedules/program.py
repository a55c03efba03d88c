"""A program in steps: the content of MSCCL's files and our JSON, on which all verdicts on data rest.

Every rank has thread blocks, which run side by side; a block runs its steps one after the other.  A block
sends to one rank and receives from one.  From the block of rank ``a`` that sends to ``b`` to the block of
``b`` that receives from ``a``, on the same channel, messages keep their order.

The meaning of the steps is that of MSCCL (microsoft/msccl-tools, ``msccl/language/ir.py``):

    s     send what is at src                 r     put what comes to dst
    rcs   the two at once: put, and send on   rrc   add what comes to what is at src, put that to dst
    rrs   the same, and send it in place of putting     rrcs  put it and send it
    cpy   put what is at src to dst           re    add what is at src to dst
    nop   nothing but waiting

A step that names another in ``after`` begins once that one has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from sparring.errors import InputError
from sparring.rules import typed

RANKS = 4096
BLOCKS = 4096  # of one rank
STEPS = 2**18  # of the whole program
CHUNKS = 2**16  # of one buffer
CELLS = 2**21  # that all steps touch together

Buffer = Literal["i", "o", "s"]
Op = Literal["s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"]
Natural = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Few = Annotated[int, Meta(ge=0, le=CHUNKS)]
Peer = Annotated[int, Meta(ge=-1, lt=RANKS)]
Index = Annotated[int, Meta(ge=0, lt=CHUNKS)]
Place = tuple[Buffer, Index]
"""A buffer, input, output or scratch, and the chunk in it."""


class Uses(NamedTuple):
    """The buffers and messages that a step of one kind uses."""

    sends: bool = False
    receives: bool = False
    reads: str = ""
    """Which of its places it reads: ``src``, ``dst``, both or none."""
    writes: bool = False
    adds: bool = False


USES: dict[str, Uses] = {
    "s": Uses(sends=True, reads="src"),
    "r": Uses(receives=True, writes=True),
    "rcs": Uses(sends=True, receives=True, writes=True),
    "rrs": Uses(sends=True, receives=True, reads="src", adds=True),
    "rrc": Uses(receives=True, reads="src", writes=True, adds=True),
    "rrcs": Uses(sends=True, receives=True, reads="src", writes=True, adds=True),
    "cpy": Uses(reads="src", writes=True),
    "re": Uses(reads="src dst", writes=True, adds=True),
    "nop": Uses(),
}


class Step(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A step; ``src`` and ``dst`` are set only where its kind uses them."""

    op: Op
    src: Place | None = None
    dst: Place | None = None
    count: Few = 1
    """The number of chunks, from src and dst on."""
    after: tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]] | None = None
    """The block, by its id, and the step of it that must have ended."""
    awaited: bool = False
    """True if another block's step waits for this one, as the file says; runtimes trust it."""


class Block(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A thread block; ``send`` and ``recv`` are ranks, -1 for none."""

    id: Annotated[int, Meta(ge=0, lt=BLOCKS)]
    steps: tuple[Step, ...]
    send: Peer = -1
    recv: Peer = -1
    channel: Annotated[int, Meta(ge=-1, lt=BLOCKS)] = 0
    """-1 for none, of a block that sends to nobody and receives from nobody."""


class Rank(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A rank: the numbers of chunks in its buffers, and its blocks."""

    input: Few
    output: Few
    scratch: Few
    blocks: Annotated[tuple[Block, ...], Meta(max_length=BLOCKS)]
    copies: Annotated[tuple[tuple[Index, Index], ...], Meta(max_length=CHUNKS)] = ()
    """Chunks of the input that are put into the output before the first step, each with its place there."""


class Program(
    Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="format", tag="sparring-schedule-1"
):
    """A schedule: what it declares to do, and each rank's steps."""

    name: Annotated[str, Meta(max_length=1000)]
    collective: Annotated[str, Meta(max_length=100)]
    inplace: bool
    chunks: Annotated[int, Meta(ge=1, le=CHUNKS)]
    """The number of chunks of the vector; of an allgather or alltoall, of all ranks' parts together."""
    ranks: Annotated[tuple[Rank, ...], Meta(min_length=1, max_length=RANKS)]
    protocol: Annotated[str, Meta(max_length=100)] = "Simple"
    outofplace: bool | None = None
    channels: Natural | None = None
    """How many channels a runtime sets up, 0, 1, ...; None where the file does not say."""
    least: Natural | None = None
    """The fewest and the most bytes for which a runtime should use it; 0 for no upper limit."""
    most: Natural | None = None


T = TypeVar("T")


def decoded(data: bytes, kind: type[T], right: str) -> T:
    """Return a JSON file's content as a value of that kind.

    Raise InputError, which says what is wrong, where, and what would be right.
    """
    try:
        return typed(data, kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InputError(f"{str(error) or 'too deep'}; right: {right}") from None


def read(data: bytes) -> Program:
    """Read the program in a JSON file of ours; raise InputError, which says what is wrong, and where."""
    right = 'an object with "format": "sparring-schedule-1", or MSCCL\'s with "msccl_type": "algorithm"'
    return check_program(decoded(data, Program, right))


def check_program(program: Program) -> Program:
    """Return the program if its parts fit together; else raise InputError, which says which do not.

    ``memory.Places`` checks how buffers overlap, and what is outside of them.
    """
    total = sum(len(block.steps) for rank in program.ranks for block in rank.blocks)
    if total > STEPS:
        raise InputError(f"{total} steps; at most {STEPS} are read")
    if (blocks := sum(len(rank.blocks) for rank in program.ranks)) > STEPS:
        raise InputError(f"{blocks} blocks; at most {STEPS} are read")
    touched = sum(step.count for rank in program.ranks for block in rank.blocks for step in block.steps)
    touched += sum(len(rank.copies) for rank in program.ranks)
    if touched > CELLS:
        raise InputError(f"its steps and copies move {touched} chunks together; at most {CELLS} are followed")
    for r, rank in enumerate(program.ranks):
        lengths = {block.id: len(block.steps) for block in rank.blocks}
        if len(lengths) < len(rank.blocks):
            twice = next(b.id for i, b in enumerate(rank.blocks) if b.id in [c.id for c in rank.blocks[:i]])
            raise InputError(f"rank {r} has two blocks {twice}; each block needs an id of its own")
        for block in rank.blocks:
            if fault := next(faults(block, r, len(program.ranks), lengths), ""):
                raise InputError(f"rank {r} block {block.id} {fault}")
    return program


def faults(block: Block, r: int, p: int, lengths: dict[int, int]) -> Iterator[str]:
    """Yield what is wrong in a block of rank ``r``; ``lengths``: the number of steps of each of the rank's blocks."""
    for what, peer in (("sends to", block.send), ("receives from", block.recv)):
        if peer == r or peer >= p:
            yield f"{what} rank {peer}; right: another of the ranks 0 to {p - 1}, or -1 for none"
    if block.channel < 0 and max(block.send, block.recv) >= 0:
        yield f"is on channel {block.channel}; right: 0 or more, or -1 where it neither sends nor receives"
    for s, step in enumerate(block.steps):
        if fault := next(misused(step, block), ""):
            yield f"step {s} ({step.op}) {fault}"
        if step.after == (block.id, s):
            yield f"step {s} ({step.op}) waits for itself"
        if step.after and not 0 <= step.after[1] < lengths.get(step.after[0], 0):
            yield f"step {s} ({step.op}) waits for step {step.after[1]} of block {step.after[0]}, which there is not"


def misused(step: Step, block: Block) -> Iterator[str]:
    """Yield what is wrong in a step."""
    uses = USES[step.op]
    if uses.sends and block.send < 0:
        yield "sends, but the block sends to nobody (send = -1)"
    if uses.receives and block.recv < 0:
        yield "receives, but the block receives from nobody (recv = -1)"
    for what, place, used in (("src", step.src, "src" in uses.reads), ("dst", step.dst, uses.writes)):
        if (place is None) is used:
            yield f"has {'no' if used else 'a'} {what}, which it {'needs' if used else 'does not use'}"
