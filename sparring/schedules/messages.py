"""A program of messages alone: the content of GOAL files and Chakra traces, and what these keep of our schedules.

Such a file says who sends how many bytes to whom, and after what.  It does not say which collective this is, what the
bytes are, or where they go.  So whether the right sums arrive, and whether accesses race, cannot be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct

from sparring.errors import InputError
from sparring.schedules.program import RANKS, STEPS, USES, Block, Natural

ANY = -1
"""The source or tag of a receive that takes any."""
LINKS = 2**20  # dependencies of the whole program
Tag = Annotated[int, Meta(ge=ANY, lt=2**32)]


class Act(Struct, frozen=True, omit_defaults=True):
    """One operation of a rank."""

    kind: Literal["send", "recv", "calc"]
    size: Natural
    """Bytes; of a calculation its time, in the file's own unit."""
    peer: Annotated[int, Meta(ge=ANY, lt=RANKS)] = ANY
    tag: Tag = 0
    after: tuple[int, ...] = ()
    """The indices of operations of the same rank that must have ended before it begins."""
    beside: tuple[int, ...] = ()
    """The indices of those that must have begun."""
    cpu: Annotated[int, Meta(ge=0, lt=256)] = 0
    nic: Annotated[int, Meta(ge=0, lt=256)] = 0


class Messages(Struct, frozen=True):
    """Each rank's operations."""

    ranks: tuple[tuple[Act, ...], ...]


def check_messages(messages: Messages) -> Messages:
    """Return the messages if their parts fit together; else raise InputError, which says which do not."""
    p, total = len(messages.ranks), sum(map(len, messages.ranks))
    if not 1 <= p <= RANKS:
        raise InputError(f"{p} ranks; right: 1 to {RANKS}")
    if total > STEPS:
        raise InputError(f"{total} operations; at most {STEPS} are read")
    if (links := sum(len(act.after) + len(act.beside) for acts in messages.ranks for act in acts)) > LINKS:
        raise InputError(f"{links} dependencies; at most {LINKS} are read")
    for r, acts in enumerate(messages.ranks):
        for i, act in enumerate(acts):
            if fault := wrong(act, i, r, p, len(acts)):
                raise InputError(f"rank {r} operation {i} ({act.kind}) {fault}")
    return messages


def wrong(act: Act, i: int, r: int, p: int, acts: int) -> str:
    """Return what is wrong with operation ``i`` of rank ``r``; empty where nothing is."""
    if any(not 0 <= other < acts or other == i for other in (*act.after, *act.beside)):
        return "waits for itself, or for an operation that there is not"
    if act.kind == "calc":
        return ""
    if act.peer == r or act.peer >= p or (act.kind == "send" and act.peer == ANY):
        return f"names rank {act.peer} as its other end; right: another of the ranks 0 to {p - 1}"
    return "sends with tag -1; right: 0 or more" if act.kind == "send" and act.tag == ANY else ""


class Laid(NamedTuple):
    """The place of a program's step among a rank's operations: its first and its last operation."""

    first: int
    last: int


Sized = Callable[[int, int], Any]
"""A function from the first chunk and the number of chunks to their bytes."""


def octets(chunks: int, size: int) -> Sized:
    """Return how to count a vector's bytes by chunks: chunk ``c`` begins at byte ``c size // chunks``."""
    return lambda first, count: (first + count) * size // chunks - first * size // chunks


def acts(blocks: Sequence[Block], sized: Sized) -> tuple[Act, ...]:
    """Return a rank's blocks as operations, of which only the messages are kept.

    A message is as long as its chunks together, in the buffer that it is sent from or written to.  Channels become
    tags.  Steps that neither send nor receive become calculations of length 0.
    """
    laid: dict[tuple[int, int], Laid] = {}
    count = 0
    for block in blocks:
        for s, step in enumerate(block.steps):
            both = USES[step.op].sends and USES[step.op].receives
            laid[block.id, s] = Laid(count, count + both)
            count += 1 + both
    found: list[Act] = []
    for block in blocks:
        for s, step in enumerate(block.steps):
            before = [laid[block.id, s - 1].last] if s else []
            if step.after:
                before.append(laid[step.after].last)
            for kind, peer in halves(block, s):
                place, length, tag = step.src or step.dst, 0, 0
                if peer >= 0 and place:
                    length, tag = sized(place[1], step.count), block.channel
                found.append(Act(kind, length, peer, tag, tuple(dict.fromkeys(before))))
                before = [len(found) - 1]
    return tuple(found)


def halves(block: Block, s: int) -> list[tuple[Literal["send", "recv", "calc"], int]]:
    """Return the operations that make up a step, each with its other end."""
    uses = USES[block.steps[s].op]
    parts: list[tuple[Literal["send", "recv", "calc"], int]] = []
    if uses.receives:
        parts.append(("recv", block.recv))
    if uses.sends:
        parts.append(("send", block.send))
    return parts or [("calc", ANY)]
