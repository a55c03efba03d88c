"""TE-CCL's schedules (microsoft/TE-CCL, ``teccl/solvers/allgather.py`` and ``alltoall.py``), as a program.

    {"1-Epoch_Duration": 1e-9, "3-Epochs_Required": 2, "6-Demand_Met": {"GPU 1": {"GPU 0": {"Chunk 0": 1e-9}}},
     "7-Flows": ["Chunk 0 from 0 traveled over 0->1 in epoch 0 via switches 2"], "8-Chunk paths": {}}

The file names no collective.  Flows with a volume belong to an alltoall, in which chunk ``c`` of each GPU is for the
GPU of rank ``c mod p``; flows without belong to an allgather.  GPUs are the numbers that chunks come from, and those
that demands name; ranks are the GPUs in ascending order, and a switch is no rank.

A GPU sends in an epoch what an earlier epoch has brought it; the flows from one GPU to another keep the order of their
epochs.  The length of an epoch and the capacity of links are ignored.  An allgather is in place.  An alltoall is not:
chunks that GPUs pass on are in their scratch, and each GPU copies its own part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Raw, Struct

from sparring.errors import InputError
from sparring.schedules.chunk_flows import Flow, Told, blocks
from sparring.schedules.program import CHUNKS, RANKS, STEPS, Block, Place, Program, Rank, Step, check_program, decoded

NUMBER = r"(\d{1,9})"
LINE = re.compile(
    rf"Chunk {NUMBER} from {NUMBER} traveled over {NUMBER}->{NUMBER}(?: with volume (\d[-+.\de]{{0,29}}))? "
    rf"in epoch {NUMBER}(?: via switches \d[-> \d]{{0,999}})?",
    re.ASCII,
)
DEMAND = re.compile(rf"Demand at {NUMBER} for chunk {NUMBER} from {NUMBER} met by epoch -?\d{{1,9}}", re.ASCII)
WANTED = (
    '"Chunk C from S traveled over I->J in epoch K", " with volume 1.0" before and " via switches W" behind it or not'
)
WHOLE = 1e-6
"""How far a volume may be from 1, since the solver rounds."""
GAPS = {"loader": "RCCL reads MSCCL's XML, and no flows of TE-CCL"}


class Output(Struct, frozen=True):
    """The parts of a file that matter here."""

    flows: Annotated[tuple[Annotated[str, Meta(max_length=2000)], ...], Meta(max_length=STEPS // 2)] = msgspec.field(
        name="7-Flows"
    )
    met: dict[str, dict[str, dict[str, float]]] = msgspec.field(name="6-Demand_Met", default_factory=dict)
    paths: dict[str, Raw] = msgspec.field(name="8-Chunk paths", default_factory=dict)


class Hop(NamedTuple):
    """A flow: which chunk of which GPU goes from where to where, and in which epoch."""

    chunk: int
    source: int
    src: int
    dst: int
    epoch: int


def read(data: bytes) -> Told:
    """Read the program in a file; raise InputError, which says what is wrong, and where."""
    output = decoded(data, Output, 'TE-CCL\'s output, with "7-Flows"')
    found = [hop(i, line) for i, line in enumerate(output.flows)]
    hops, volumes = [one for one, _ in found], {volume for _, volume in found}
    if len(volumes) > 1:
        raise InputError("some flows have a volume and some have none; right: all, of an alltoall, or none")
    gpus, demanded = demands(output)
    numbers = gpus | {one.source for one in hops}
    ranks = {number: r for r, number in enumerate(sorted(numbers))}
    if not 1 <= len(ranks) <= RANKS:
        raise InputError(f"{len(ranks)} GPUs; right: 1 to {RANKS}")
    for i, one in enumerate(hops):
        if one.src == one.dst or not {one.src, one.dst} <= numbers:
            raise InputError(
                f"flow {i} goes from {one.src} to {one.dst}; right: two GPUs, from which chunks come or which demands "
                "name, the switches between them behind 'via switches'"
            )
    chunks = 1 + max(demanded | {one.chunk for one in hops}, default=0)
    ordered = sorted(
        (Hop(one.chunk, ranks[one.source], ranks[one.src], ranks[one.dst], one.epoch) for one in hops),
        key=lambda h: h.epoch,
    )
    program = (alltoall if True in volumes else allgather)(ordered, len(ranks), chunks)
    return Told(check_program(program), GAPS)


def hop(i: int, line: str) -> tuple[Hop, bool]:
    """Return a line as a flow, and whether it has a volume."""
    match = LINE.fullmatch(line)
    if not match:
        raise InputError(f"flow {i} is {line[:60]!r}; right: {WANTED}")
    chunk, source, src, dst, volume, epoch = match.groups()
    if volume is not None:
        try:
            whole = abs(float(volume) - 1) <= WHOLE
        except ValueError:
            raise InputError(f"flow {i} has volume {volume}; right: a number") from None
        if not whole:
            raise InputError(f"flow {i} has volume {volume}, and does not say which part that is; right: whole chunks")
    return Hop(int(chunk), int(source), int(src), int(dst), int(epoch)), volume is not None


def demands(output: Output) -> tuple[set[int], set[int]]:
    """Return the GPUs and the chunks that demands name: a chunk may be demanded that no flow brings."""
    found, chunks = set(), set()
    for path in output.paths:
        if not (match := DEMAND.fullmatch(path)):
            raise InputError(
                f"a chunk path is of {path[:60]!r}; right: 'Demand at D for chunk C from S met by epoch K'"
            )
        found |= {int(match[1]), int(match[3])}
        chunks.add(int(match[2]))
    met = output.met.values()
    found |= numbered("GPU", {name for at, sources in output.met.items() for name in (at, *sources)})
    chunks |= numbered("Chunk", {name for sources in met for some in sources.values() for name in some})
    return found, chunks


def numbered(what: str, names: set[str]) -> set[int]:
    """Return the numbers in names such as "GPU 1"."""
    found = {name: re.fullmatch(rf"{what} {NUMBER}", name, re.ASCII) for name in names}
    if wrong := [name for name, match in found.items() if not match]:
        raise InputError(f"a demand names {min(wrong)[:40]!r}; right: '{what} N'")
    return {int(match[1]) for match in found.values() if match}


def brought(hops: Sequence[Hop]) -> list[int]:
    """Return for each flow the first that brings its chunk to its source in an earlier epoch; -1 for none."""
    came: dict[tuple[int, int, int], int] = {}
    for i, one in enumerate(hops):
        came.setdefault((one.source, one.chunk, one.dst), i)
    first = (came.get((one.source, one.chunk, one.src), -1) for one in hops)
    return [i if i >= 0 and hops[i].epoch < one.epoch else -1 for i, one in zip(first, hops)]


def allgather(hops: Sequence[Hop], p: int, chunks: int) -> Program:
    """Return the program of an allgather in place: a chunk lies at the same place everywhere."""
    n = limited(p * chunks)
    places: list[Place] = [("o", one.source * chunks + one.chunk) for one in hops]
    flows = [
        Flow(one.src, one.dst, 0, place, place, 1, before) for one, place, before in zip(hops, places, brought(hops))
    ]
    return Program("TE-CCL", "allgather", True, n, tuple(Rank(0, n, 0, tuple(own)) for own in blocks(flows, p)))


def alltoall(hops: Sequence[Hop], p: int, chunks: int) -> Program:
    """Return the program of an alltoall: from the input to the output, through the scratch of others."""
    share = -(-chunks // p)
    n, scratch = limited(p * share), limited(p * p * share)

    def place(one: Hop, at: int) -> Place:
        part, target = divmod(one.chunk, p)
        if at == one.source:
            return "i", target * share + part
        return ("o", one.source * share + part) if at == target else ("s", (one.source * p + target) * share + part)

    flows = [
        Flow(one.src, one.dst, 0, place(one, one.src), place(one, one.dst), 1, before)
        for one, before in zip(hops, brought(hops))
    ]
    ranks = []
    for r, own in enumerate(blocks(flows, p)):
        kept = Step("cpy", ("i", r * share), ("o", r * share), share)
        ranks.append(Rank(n, n, scratch, (*own, Block(len(own), (kept,)))))
    return Program("TE-CCL", "alltoall", False, n, tuple(ranks))


def limited(chunks: int) -> int:
    """Return so many chunks of a buffer; raise InputError where they are too many."""
    if chunks > CHUNKS:
        raise InputError(f"a buffer of {chunks} chunks; at most {CHUNKS} are followed")
    return chunks
