"""Reads what operations of a thread block of MSCCL++ name: channels, buffers, and chunks in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sparring.errors import InputError
from sparring.schedules.formats.mscclpp_operations import Op, Part, Threadblock
from sparring.schedules.formats.mscclpp_semaphores import End, Shared

T = TypeVar("T")


def at(values: Sequence[T], index: int, what: str) -> T:
    """Return one of the values; raise InputError where there is none of that index."""
    if index >= len(values):
        raise InputError(f"names {what} {index} of {len(values)}")
    return values[index]


class Cells(NamedTuple):
    """The cells of a source or target: of one rank, or of several behind a switch."""

    letter: str
    rank: int
    ranges: tuple[range, ...]


def need(value: Any, what: str) -> Any:
    """Return a field that must be there."""
    if value is None:
        raise InputError(f"lacks {what}")
    return value


class Cut(NamedTuple):
    """The part of its operands that an operation works on.

    It is in slice ``slot`` of ``of``, from ``begin`` on, and at most ``most`` long.
    """

    slot: int
    of: int
    begin: int
    most: int


class Names:
    """The meanings of numbers in a block of rank ``r``."""

    def __init__(self, shared: Shared, r: int, block: Threadblock) -> None:
        self.shared, self.r, self.gpu = shared, r, shared.gpus[r]
        self.channels = {
            kind: [i for own in block.channels if own.channel_type == kind for i in own.channel_ids]
            for kind in ("memory", "port", "switch")
        }
        self.buffers = {
            kind: [
                i for own in block.remote_buffer_refs if own.access_channel_type == kind for i in own.remote_buffer_ids
            ]
            for kind in ("memory", "port")
        }

    def end(self, kind: str, index: int) -> End:
        """Return a channel of the block."""
        if kind not in ("memory", "port"):
            raise InputError(f"goes over a channel of type {kind!r}; right: memory or port")
        return at(self.shared.ends[self.r, kind], at(self.channels[kind], index, f"{kind} channel"), f"{kind} channel")

    def cells(self, op: Op, part: Part, letter: str, cut: Cut) -> Cells:
        """Return the cells of a source or target."""
        slices, (slot, of, begin, most) = self.shared.slices, cut
        length = part.size * slices
        first, last = length * slot // of, length * (slot + 1) // of
        first, last = min(last, first + begin), min(last, first + begin + most)
        buffer, ranks = self.where(op, part, letter)
        if not ranks or max(ranks) >= len(self.shared.gpus):
            raise InputError(f"works on ranks {list(ranks)[:8]}; right: 0 to {len(self.shared.gpus) - 1}")
        packets = letter in "pqx"
        if packets and buffer != "s":
            raise InputError(f"has packets in {buffer!r}; right: in the scratch")
        how = "with packets" if packets else "without"
        for q in ranks:
            if buffer == "s" and self.shared.scratch.setdefault(q, how) != how:
                raise InputError(f"uses rank {q}'s scratch {how}, and others do otherwise; right: all packets or none")
        place = (need(buffer, "buffer_type"), part.index * slices + first)
        try:
            return Cells(
                letter, ranks[0], tuple(self.shared.places.range(q, place, max(last - first, 0)) for q in ranks)
            )
        except InputError as error:
            raise InputError(f"uses {error}") from None

    def where(self, op: Op, part: Part, letter: str) -> tuple[Any, Sequence[int]]:
        """Return the buffer that holds some chunks, and the ranks that it belongs to."""
        if letter == "s":
            index = need(part.switch_channel_id, "switch_channel_id")
            self.shared.switched = True
            found = at(self.channels["switch"], index, "switch channel")
            return at(self.shared.groups[self.r], found, "switch channel")
        if letter in "rq":
            kind = op.channel_type if op.channel_type in self.buffers else "memory"
            index = at(self.buffers[kind], need(part.buffer_id, "buffer_id"), f"remote buffer over {kind}")
            remote = at(self.gpu.remote_buffers, index, "remote buffer")
            return remote.type, (remote.rank,)
        return need(part.type, "type"), (self.r,)
