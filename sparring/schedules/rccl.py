"""Finds what keeps RCCL from loading a program that may be right: RCCL's limits, and the demands of its reader.

They are from ROCm/rccl, ``src/include/msccl/msccl_struct.h`` and ``src/misc/msccl/msccl_parser.cc``.  Newer releases
allow more thread blocks than the 64 here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from sparring.schedules.memory import Places
from sparring.schedules.program import Block, Program, Rank

STEPS, COUNT, BLOCKS, PEERS = 64, 72, 64, 32
COLLECTIVES = (
    "reduce", "broadcast", "allreduce", "reducescatter", "allgather", "send", "recv", "gather", "scatter",
    "alltoall", "alltoallv",
)  # fmt: skip


def refusals(program: Program) -> Iterator[str]:
    """Yield the reasons why RCCL would refuse the file, or hang on it."""
    for name, value in (("outofplace", program.outofplace), ("minBytes", program.least), ("maxBytes", program.most)):
        if value is None:
            yield f"the attribute {name} is missing"
    if program.collective not in COLLECTIVES:
        yield f"coll={program.collective!r}; RCCL knows {', '.join(COLLECTIVES)}"
    if program.protocol not in ("Simple", "LL", "LL128"):
        yield f"proto={program.protocol!r}; RCCL knows Simple, LL and LL128"
    places = Places(program)
    for src, dst in places.copies:
        if src != dst:
            r = places.owner(src)
            yield f"rank {r} has a <copy> of {places.named(r, src)} to {places.named(r, dst)}, which RCCL passes over"
    for r, rank in enumerate(program.ranks):
        yield from (f"rank {r} {why}" for why in of_rank(rank, program.channels))


def of_rank(rank: Rank, channels: int | None) -> Iterator[str]:
    """Yield the reasons in one rank; ``channels``: how many are set up, if the file says."""
    ids = sorted(block.id for block in rank.blocks)
    if ids != list(range(len(ids))):
        yield f"has blocks {', '.join(map(str, ids[:8]))}; right: 0, 1, 2, ... without a gap"
    if len(ids) > BLOCKS:
        yield f"has {len(ids)} blocks; at most {BLOCKS}"
    for what, peers in (
        ("send", Counter(b.channel for b in rank.blocks if b.send >= 0)),
        ("receive", Counter(b.channel for b in rank.blocks if b.recv >= 0)),
    ):
        yield from (
            f"has {n} blocks that {what} on channel {c}; at most {PEERS}" for c, n in peers.items() if n > PEERS
        )
    for block in rank.blocks:
        if block.channel < 0:
            yield f"block {block.id} is on channel {block.channel}; RCCL demands 0 or more"
        if channels is not None and block.channel >= channels:
            yield f"block {block.id} is on channel {block.channel}, and nchannels={channels}"
    yield from unheard(rank)
    nops = {(b.id, s) for b in rank.blocks for s, step in enumerate(b.steps) if step.awaited and step.op == "nop"}
    for block in rank.blocks:
        yield from (f"block {block.id} {why}" for why in of_block(block, nops))


def unheard(rank: Rank) -> Iterator[str]:
    """Yield the steps of a rank that wait for ever: for one that does not tell others that it has ended."""
    awaited = {(block.id, s) for block in rank.blocks for s, step in enumerate(block.steps) if step.awaited}
    for block in rank.blocks:
        for s, step in enumerate(block.steps):
            if step.after and step.after not in awaited:
                other, at = step.after
                yield f"block {block.id} step {s} waits for step {at} of block {other}, whose hasdep is 0: for ever"


def of_block(block: Block, nops: Collection[tuple[int, int]]) -> Iterator[str]:
    """Yield the reasons in one block of a rank; ``nops``: those for which others wait, and which RCCL drops."""
    if len(block.steps) > STEPS:
        yield f"has {len(block.steps)} steps; at most {STEPS}"
    waits = False
    for s, step in enumerate(block.steps):
        if step.count >= COUNT:
            yield f"step {s} moves {step.count} chunks; at most {COUNT - 1}"
        if step.after and step.after in nops:
            other, at = step.after
            yield f"step {s} waits for step {at} of block {other}, a nop, which tells nobody: for ever"
        if step.op == "nop":
            waits = waits or step.after is not None
        elif waits:
            if step.after is None:
                yield f"step {s} comes after a nop that waits, and waits for nothing itself, which RCCL refuses"
            waits = False
