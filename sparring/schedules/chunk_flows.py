"""Chunks that go from rank to rank: the content of formats without blocks and waits, as a program.

A flow takes some chunks from one rank and puts them at another.  Flows between two ranks with one tag keep their order;
a flow that passes on what another has brought begins once that one has ended.  Nothing else is ordered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring.errors import InputError
from sparring.schedules.program import BLOCKS, STEPS, Block, Place, Program, Step


class Told(NamedTuple):
    """A program, and the properties that its file says too little of, each with the reason."""

    program: Program
    gaps: Mapping[str, str]


class Flow(NamedTuple):
    """Chunks that go from one rank to another."""

    src: int
    dst: int
    tag: int
    take: Place
    put: Place
    chunks: int
    brought: int
    """The index of the flow that has brought the chunks; -1 where they were there, or never come."""


class End(NamedTuple):
    """One end of all flows of a pair of ranks and a tag: a block."""

    rank: int
    peer: int
    sends: bool
    tag: int


def blocks(flows: Sequence[Flow], p: int) -> list[list[Block]]:
    """Return the blocks of each of ``p`` ranks; raise InputError where there are too many."""
    if 2 * len(flows) > STEPS:
        raise InputError(f"{len(flows)} messages; at most {STEPS // 2} are read")
    ends: dict[End, list[int]] = {}
    for i, flow in enumerate(flows):
        ends.setdefault(End(flow.src, flow.dst, True, flow.tag), []).append(i)
        ends.setdefault(End(flow.dst, flow.src, False, flow.tag), []).append(i)
    own: list[list[End]] = [[] for _ in range(p)]
    for end in ends:
        own[end.rank].append(end)
    for r, some in enumerate(own):
        if len(some) > BLOCKS:
            raise InputError(f"rank {r} has {len(some)} ends of messages; at most {BLOCKS} are followed")
    came = {i: (b, at) for some in own for b, end in enumerate(some) if not end.sends for at, i in enumerate(ends[end])}
    return [[block(b, end, [flows[i] for i in ends[end]], came) for b, end in enumerate(some)] for some in own]


def block(b: int, end: End, flows: Sequence[Flow], came: Mapping[int, tuple[int, int]]) -> Block:
    """Return the block of an end; ``came`` holds the block and step at which each flow arrives."""
    if end.sends:
        steps = tuple(Step("s", flow.take, None, flow.chunks, came.get(flow.brought)) for flow in flows)
        return Block(b, steps, send=end.peer, channel=end.tag)
    return Block(b, tuple(Step("r", None, flow.put, flow.chunks) for flow in flows), recv=end.peer, channel=end.tag)
