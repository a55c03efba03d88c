"""MSCCL++'s execution plans (microsoft/mscclpp, ``src/core/executor/execution_plan.cc``), as programs on memory.

    {"name": "n", "collective": "allgather", "protocol": "Simple", "inplace": true, "gpus": [
      {"id": 0, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0,
       "threadblocks": [{"id": 0, "channels": [{"channel_type": "memory", "channel_ids": [0]}],
         "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}],
         "ops": [{"name": "put", "src_buff": [{"type": "o", "index": 0, "size": 1}],
                  "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory"},
                 {"name": "nop"}, {"name": "signal", "channel_ids": [0], "channel_type": "memory"}, ...]}],
       "channels": [{"channel_type": "memory", "connected_to": [1]}],
       "remote_buffers": [{"rank": 1, "type": "o", "access_channel_types": ["memory"]}]}, ...]}

An operation's channels and buffers are indices into those of its thread block, and these into those of its GPU.  The
k-th channel of a kind from one rank to another is the other end of the k-th channel in the other direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from sparring.errors import InputError
from sparring.schedules.formats import mscclpp_blocks
from sparring.schedules.formats.mscclpp_operations import Gpu, Op
from sparring.schedules.formats.mscclpp_semaphores import Shared
from sparring.schedules.memory import Places
from sparring.schedules.plans import Plan
from sparring.schedules.program import CHUNKS, RANKS, Program, Rank, decoded

SLICES = 2**10
"""The most slices into which thread blocks and passes together may cut a chunk."""
GAPS = {"loader": "RCCL reads MSCCL's XML, and no plan of MSCCL++"}
SWITCHED = {"contention": "what goes through a switch that adds is no message from rank to rank"}


class File(Struct, frozen=True):
    """The whole."""

    name: Annotated[str, Meta(max_length=1000)]
    collective: Annotated[str, Meta(max_length=100)]
    inplace: bool
    gpus: Annotated[tuple[Gpu, ...], Meta(min_length=1, max_length=RANKS)]


def read(data: bytes) -> Plan:
    """Read the program in a file; raise InputError, which says what is wrong, and where."""
    try:
        file = decoded(data, File, "an execution plan of MSCCL++")
    except InputError as error:
        older = "a plan as older releases of MSCCL++ wrote it (inputChunks); right: input_chunks"
        raise InputError(older if b'"inputChunks"' in data else str(error)) from None
    for r, gpu in enumerate(file.gpus):
        if gpu.id != r or [block.id for block in gpu.threadblocks] != list(range(len(gpu.threadblocks))):
            raise InputError(f"gpu {r} has id {gpu.id}, or blocks out of order; right: ids 0, 1, 2, ... of both")
    if len(named := sorted({op.reduce_op for op in operations(file)} - {""})) > 1:
        raise InputError(f"its operations reduce by {', '.join(named[:8])}; right: all by one, which adds up")
    slices = cut(file)
    program = declared(file, slices)
    shared = Shared(file.gpus, Places(program), slices)
    for r, gpu in enumerate(file.gpus):
        for block in gpu.threadblocks:
            mscclpp_blocks.Walk(shared, r, block).go()
    left = shared.finish()
    deeds = [draft.deed for draft in shared.weave.drafts]
    round_ = any(op.name == "pipeline" for op in operations(file))
    partly = f"where pipelines go round {mscclpp_blocks.PASSES} times" if round_ else ""
    gaps = {**GAPS, **(SWITCHED if shared.switched else {})}
    return Plan(program, shared.weave.graph(len(file.gpus)), deeds, left, partly, gaps, not shared.switched)


def operations(file: File) -> Iterator[Op]:
    """Yield all operations, with those of a pipeline after it."""
    outer = (op for gpu in file.gpus for block in gpu.threadblocks for op in block.ops)
    return (one for op in outer for one in (op, *op.ops))


def cut(file: File) -> int:
    """Return into how many slices to cut each chunk, so that a thread block or a pass works on whole slices."""
    found = 1
    for op in operations(file):
        found = math.lcm(found, op.tbg_info.tbg_size if op.tbg_info else 1)
        found = math.lcm(found, mscclpp_blocks.PASSES if op.name == "pipeline" else 1)
        if found > SLICES:
            raise InputError(
                f"its thread blocks cut chunks into more than {SLICES} slices; at most so many are followed"
            )
    return found


def declared(file: File, slices: int) -> Program:
    """Return what the file declares as a program, its chunks cut into slices."""
    sizes = [[slices * n for n in (gpu.input_chunks, gpu.output_chunks, gpu.scratch_chunks)] for gpu in file.gpus]
    if max(map(max, sizes)) > CHUNKS:
        raise InputError(f"a buffer of {max(map(max, sizes))} chunks or slices; at most {CHUNKS} are followed")
    chunks = max(max(size[:2]) for size in sizes)
    if chunks < 1:
        raise InputError("no rank has input or output chunks; right: 1 or more")
    ranks = tuple(Rank(first, second, third, ()) for first, second, third in sizes)
    return Program(file.name, file.collective, file.inplace, chunks, ranks)
