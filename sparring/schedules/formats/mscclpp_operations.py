"""Lists the operations of an execution plan of MSCCL++, and what they do (``execution_kernel.hpp``)."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from sparring.schedules.program import BLOCKS, CHUNKS, RANKS, Buffer, Few

Index = Annotated[int, Meta(ge=0, lt=2**20)]
Rank = Annotated[int, Meta(ge=0, lt=RANKS)]
Wire = Literal["memory", "port", "switch", "none"]


class Part(Struct, frozen=True):
    """Some chunks: of the rank itself (``type``), of another, or of all behind a switch."""

    index: Annotated[int, Meta(ge=0, lt=CHUNKS)]
    size: Annotated[int, Meta(ge=1, le=CHUNKS)]
    type: Buffer | None = None
    buffer_id: Index | None = None
    switch_channel_id: Index | None = None


class Share(Struct, frozen=True):
    """The slice of its operands that a thread block works on, of so many equal ones."""

    tb_id: Index
    tbg_size: Annotated[int, Meta(ge=1, le=2**10)]


class Passes(Struct, frozen=True):
    """The amount that a pipeline works on in all, and the bytes of one pass."""

    num_chunks: Annotated[int, Meta(ge=1, le=CHUNKS)]
    unit_size: Annotated[int, Meta(ge=1)]


class Op(Struct, frozen=True):
    """An operation; which fields it has depends on its name."""

    name: Annotated[str, Meta(max_length=100)]
    src_buff: tuple[Part, ...] = ()
    dst_buff: tuple[Part, ...] = ()
    channel_ids: tuple[Index, ...] = ()
    channel_type: Wire = "none"
    tbg_info: Share | None = None
    barrier_id: Index = 0
    num_threadblocks: Annotated[int, Meta(ge=0, le=BLOCKS)] = 0
    semaphore_ids: tuple[Index, ...] = ()
    iter_context: Passes | None = None
    ops: tuple[Op, ...] = ()
    reduce_op: Annotated[str, Meta(max_length=100)] = ""


class Channels(Struct, frozen=True):
    """Channels of a thread block, by their place among those of its GPU."""

    channel_type: Wire
    channel_ids: tuple[Index, ...]


class Buffers(Struct, frozen=True):
    """Remote buffers of a thread block, by their place among those of its GPU."""

    access_channel_type: Wire
    remote_buffer_ids: tuple[Index, ...]


class Threadblock(Struct, frozen=True):
    """A thread block."""

    id: Index
    ops: tuple[Op, ...]
    channels: tuple[Channels, ...] = ()
    remote_buffer_refs: tuple[Buffers, ...] = ()


class Group(Struct, frozen=True):
    """The ranks behind a switch."""

    ranks: tuple[Rank, ...]


class Wires(Struct, frozen=True):
    """A GPU's channels of one kind: to which ranks, or, of switches, which buffers of which ranks."""

    channel_type: Wire
    connected_to: tuple[Rank, ...] = ()
    buffer_type: Buffer | None = None
    rank_groups: tuple[Group, ...] = ()


class Remote(Struct, frozen=True):
    """A buffer of another rank."""

    rank: Rank
    type: Buffer


class Semaphore(Struct, frozen=True):
    """A counter that a GPU's thread blocks share."""

    init_value: Annotated[int, Meta(ge=0, le=2**20)]


class Gpu(Struct, frozen=True):
    """A rank."""

    id: int
    input_chunks: Few
    output_chunks: Few
    scratch_chunks: Few
    threadblocks: Annotated[tuple[Threadblock, ...], Meta(max_length=BLOCKS)]
    channels: tuple[Wires, ...] = ()
    remote_buffers: tuple[Remote, ...] = ()
    semaphores: tuple[Semaphore, ...] = ()


class Kind(NamedTuple):
    """The sources and targets of an operation on chunks, a letter for each; the last letter may recur.

    ``l`` its own rank's chunks, ``r`` another's, ``p`` and ``q`` the same as packets, ``s`` those of all behind
    a switch.
    """

    sources: str
    targets: str
    paired: bool = False
    """True if each source goes to the target of the same index, by itself."""
    port: Literal["never", "may", "only"] = "never"
    """Whether it goes through a port, which does it on its own time."""


PUT = Kind("l*", "r*", True, "only")
KINDS: dict[str, Kind] = {
    "put": Kind("l*", "r*", True, "may"), "pws": PUT, "pwsf": PUT, "get": Kind("r*", "l*", True),
    "copy": Kind("l", "l"),
    "re": Kind("ll*", "l"), "res": Kind("ll*", "lr*"), "rre": Kind("lr*", "l"), "rres": Kind("lr*", "lr*"),
    "ppkt": Kind("l*", "q*", True, "may"), "rppkt": Kind("p", "q*", False, "may"), "cpkt": Kind("l", "p"),
    "upkt": Kind("p", "l"), "repkt": Kind("lp*", "l"), "respkt": Kind("lp*", "lq*"), "recpkt": Kind("lp*", "lp"),
    "recspkt": Kind("lp*", "lpq*"), "glres": Kind("s", "s"), "gstore": Kind("l", "s"),
}  # fmt: skip
ORDERING = (
    "nop", "barrier", "signal", "wait", "rlxsignal", "rlxwait", "flush", "sem_acquire", "sem_release", "pipeline",
)  # fmt: skip


def letters(pattern: str, count: int) -> str | None:
    """Return a letter for each of ``count`` parts; None where there are too few or too many of them.

    >>> letters("lr*", 3), letters("l", 2), letters("p*", 0)
    ('lrr', None, None)
    """
    if pattern.endswith("*"):
        least = max(1, len(pattern) - 2)
        pattern = pattern[:-2] + pattern[-2] * max(count - len(pattern) + 2, 0)
        return pattern if count >= least else None
    return pattern if count == len(pattern) else None
