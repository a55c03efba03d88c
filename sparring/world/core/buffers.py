"""Memory and its description, as mpi4py takes them.

A message is an object with memory (an array, a bytearray), or a list ``[memory, type]``,
``[memory, count, type]``, ``[memory, (count, displacement), type]``; for the v-forms ``[memory,
counts, displacements, type]`` and ``[memory, (counts, displacements), type]``.  Types may be left
out; counts and displacements count instances of the type, and those of the w-form bytes.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from sparring.proofs.logic.terms import Table
from sparring.world.core.constants import MPIException
from sparring.world.core.datatypes import BY_DTYPE, TYPES, Datatype, DType, Offsets, named


class Buffer:
    """``count`` entries of ``dtype`` in ``memory``, a view of bytes; ``table`` if they are terms.

    They lie at the bytes ``offsets``, or one after the other where that is None.
    """

    __slots__ = ("count", "dtype", "memory", "nbytes", "offsets", "table")

    def __init__(self, memory: memoryview, dtype: DType, table: Table | None, offsets: Offsets | None = None) -> None:
        self.memory, self.dtype, self.table, self.offsets = memory, dtype, table, offsets
        self.count = memory.nbytes // dtype.itemsize if offsets is None else len(offsets)
        self.nbytes = self.count * dtype.itemsize

    def read(self) -> bytes:
        """Return all entries, one after the other."""
        return self.memory.tobytes() if self.offsets is None else self.octets()[self._where()].tobytes()

    def write(self, data: bytes) -> None:
        """Write as many entries as ``data`` has, from the first on."""
        if self.offsets is None:
            self.memory[: len(data)] = data
        else:
            rows = np.frombuffer(data, np.uint8).reshape(-1, self.dtype.itemsize)
            self.octets()[self._where()[: len(rows)]] = rows

    def array(self) -> np.ndarray[Any, Any]:
        """Return the entries as a plain array, without a copy if they lie one after the other."""
        return np.ndarray(self.count, self.dtype, self.memory if self.offsets is None else self.read())

    def copy(self) -> Buffer:
        """Return a buffer with the same contents in other memory."""
        return Buffer(memoryview(self.read()), self.dtype, self.table)

    def __str__(self) -> str:
        return f"{self.count} {self.dtype}"

    def octets(self) -> np.ndarray[Any, Any]:
        """Return all bytes of the memory, without a copy."""
        return np.ndarray(self.memory.nbytes, np.uint8, self.memory)

    def addresses(self) -> np.ndarray[Any, Any]:
        """Return the address of each byte of the entries."""
        first: int = self.octets().ctypes.data
        return first + (np.arange(self.nbytes) if self.offsets is None else self._where().ravel())

    def _where(self) -> np.ndarray[Any, Any]:
        """Return a row of byte positions for each entry."""
        return np.asarray(self.offsets)[:, None] + np.arange(self.dtype.itemsize)


def overlapping(some: Iterable[Buffer], others: Iterable[Buffer]) -> bool:
    """Return whether one of ``some`` has memory of one of the ``others``."""
    first, second = ([(buffer, buffer.octets()) for buffer in buffers if buffer.nbytes] for buffers in (some, others))
    near = ((one, other) for one, x in first for other, y in second if np.may_share_memory(x, y))  # soon seen
    return any(np.intersect1d(one.addresses(), other.addresses()).size for one, other in near)


class Area:
    """Memory as a message names it: instances of ``kind``, ``room`` of them, from ``memory``'s first byte on."""

    def __init__(self, memory: memoryview, kind: Datatype, table: Table | None) -> None:
        if not kind.committed:
            raise MPIException(f"{kind!r} is not committed: call its Commit before it is used", "TYPE")
        self.memory, self.kind, self.table = memory, kind, table

    def room(self) -> int:
        """The number of instances.  Raises ValueError if the last is not whole."""
        if not self.memory.nbytes:
            return 0
        size, extent = self.memory.nbytes, self.kind.extent
        if extent <= 0 or size % extent:
            raise ValueError(f"message: {size} bytes are no whole number of {self.kind!r}, of {extent} bytes each")
        return size // extent

    def part(self, at: int, count: int) -> Buffer:
        """Return ``count`` instances from number ``at`` on.  Raises ValueError if there are fewer."""
        return self.at(at * self.kind.extent, count, f"{at}..{at + count - 1}")

    def at(self, start: int, count: int, which: str) -> Buffer:
        """Return ``count`` instances from byte ``start`` on."""
        kind, size = self.kind, self.memory.nbytes
        if start < 0 or count < 0:
            raise ValueError(f"message: negative count or displacement: entries {which}")
        if kind.dense:
            end = start + count * kind.extent
            if count and end > size:
                raise ValueError(f"message: entries {which} of a buffer that has {size // max(kind.extent, 1)}")
            return Buffer(self.memory[start:end], kind.dtype, self.table)
        offsets = (start + np.arange(count)[:, None] * kind.extent + kind.offsets).ravel()
        if len(offsets) and (offsets.min() < 0 or offsets.max() + kind.dtype.itemsize > size):
            raise ValueError(f"message: entries {which} of {kind} reach beyond a buffer of {size} bytes")
        return Buffer(self.memory, kind.dtype, self.table, offsets)


def simple(spec: Any, writable: bool = False) -> Buffer:
    """Return the buffer of a message to one rank.

    Raises TypeError, ValueError, KeyError or BufferError, as mpi4py does, for what is no message.
    """
    memory, count, displacement, kind = _fields(spec)
    if count is displacement is kind is None:  # nearly always
        shown, seen = _shown(memory, writable)
        return Buffer(_flat(shown, seen), _own(shown, seen).dtype, getattr(shown, "table", None))
    area = _area(memory, kind, writable)
    at = 0 if displacement is None else operator.index(displacement)
    return area.part(at, area.room() - at if count is None else operator.index(count))


def blocks(spec: Any, p: int, writable: bool = False) -> list[Buffer]:
    """Return a block of equal length for each of ``p`` ranks; a count that is given is that of one block."""
    area, at, each = _even(spec, p, writable)
    return [area.part(at + i * each, each) for i in range(p)]


def joined(spec: Any, p: int, writable: bool = False) -> Buffer:
    """Join the ``blocks`` to one buffer."""
    area, at, each = _even(spec, p, writable)
    return area.part(at, p * each)


def _even(spec: Any, p: int, writable: bool) -> tuple[Area, int, int]:
    """Return where each of ``p`` equal blocks begins, in instances, and how many it has."""
    memory, count, displacement, kind = _fields(spec)
    area = _area(memory, kind, writable)
    at = 0 if displacement is None else operator.index(displacement)
    if count is None and (area.room() - at) % p:
        raise ValueError(f"message: {area.room() - at} entries make no {p} equal blocks")
    return area, at, (area.room() - at) // p if count is None else operator.index(count)


def vector(spec: Any, p: int, writable: bool = False) -> list[Buffer]:
    """Return a block for each of ``p`` ranks, with counts and displacements of its own."""
    memory, counts, displacements, kind = _fields(spec)
    area = _area(memory, kind, writable)
    if counts is None:
        each, rest = divmod(area.room(), p)
        counts = [each + (i < rest) for i in range(p)]
    counts = _per_rank(counts, p, lambda count, _: count)
    if displacements is None:
        displacements = list(accumulate(counts, initial=0))[:p]
    displacements = _per_rank(displacements, p, operator.mul)
    return [area.part(at, count) for at, count in zip(displacements, counts)]


def typed(spec: Any, p: int, writable: bool = False) -> list[Buffer]:
    """Return a block for each of ``p`` ranks, with a type of its own; displacements count bytes."""
    if not isinstance(spec, list | tuple):
        raise TypeError(f"message: expecting list/tuple, got {type(spec).__name__}")
    match spec:
        case [memory, kinds]:
            counts = starts = None
        case [memory, (counts, starts), kinds] | [memory, counts, starts, kinds]:
            pass
        case _:
            raise ValueError("message: expecting 2 to 4 items")
    counts, starts = [1] * p if counts is None else counts, [0] * p if starts is None else starts
    if len(kinds) != p:
        raise ValueError(f"message: expecting {p} items, got {len(kinds)}")
    numbers = zip(_per_rank(starts, p, operator.mul), _per_rank(counts, p, lambda count, _: count))
    areas = [_area(memory, named(kind), writable) for kind in kinds]
    return [area.at(start, count, f"at byte {start}") for area, (start, count) in zip(areas, numbers)]


def _per_rank(numbers: Any, p: int, spread: Any) -> list[int]:
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if not isinstance(numbers, Sequence):
        return [spread(operator.index(numbers), i) for i in range(p)]
    if len(numbers) != p:
        raise ValueError(f"message: expecting {p} items, got {len(numbers)}")
    return [operator.index(x) for x in numbers]


def _fields(spec: Any) -> tuple[Any, Any, Any, Datatype | None]:
    """Return memory, count, displacement and type of a message as it was written."""
    if not isinstance(spec, list | tuple):
        return spec, None, None, None
    match spec:
        case [memory, Datatype() | str() as kind]:
            return memory, None, None, named(kind)
        case [memory, (count, displacement)] if isinstance(spec[1], tuple):
            return memory, count, displacement, None
        case [memory, count]:
            return memory, count, None, None
        case [memory, (count, displacement), kind] if isinstance(spec[1], tuple):
            return memory, count, displacement, None if kind is None else named(kind)
        case [memory, count, kind]:
            return memory, count, None, None if kind is None else named(kind)
        case [memory, count, displacement, kind]:
            return memory, count, displacement, None if kind is None else named(kind)
    raise ValueError("message: expecting 2 to 4 items")


def _area(thing: Any, kind: Datatype | None, writable: bool) -> Area:
    """Return ``thing``'s bytes, as instances of ``kind`` or of its own type."""
    if thing is None and kind is not None:
        return Area(memoryview(bytearray()), kind, None)
    shown, memory = _shown(thing, writable)
    kind = _own(shown, memory) if kind is None else kind
    return Area(_flat(shown, memory), kind, getattr(shown, "table", None))


def _shown(thing: Any, writable: bool) -> tuple[Any, memoryview]:
    """Return the object that shows its memory, and the memory."""
    shown: Any = thing
    if not isinstance(thing, np.ndarray) and hasattr(thing, "__dlpack__"):
        shown = np.from_dlpack(shown)
    try:
        memory = memoryview(shown)
    except (TypeError, ValueError):
        raise TypeError(f"message: expecting buffer or list/tuple, got {type(thing).__name__}") from None
    if writable and memory.readonly:
        raise BufferError("message: buffer is not writable")
    if not memory.contiguous:
        raise BufferError("message: buffer is not contiguous")
    return shown, memory


def _own(thing: Any, memory: memoryview) -> Datatype:
    """Return the type of the memory's entries."""
    dtype: DType = thing.dtype if isinstance(thing, np.ndarray) else np.dtype(memory.format)
    if known := BY_DTYPE.get(dtype):
        return known
    if not dtype.isnative:
        raise BufferError(f"format {memory.format!r} is in another byte order than this machine's")
    if dtype.hasobject or dtype.names:
        raise KeyError(f"cannot map {memory.format!r} to MPI datatype")
    if memory.format == "c":
        return TYPES["CHAR"]
    return Datatype(str(dtype), dtype)


def _flat(thing: Any, memory: memoryview) -> memoryview:
    """Return all bytes in the order of memory."""
    if not memory.nbytes:
        return memoryview(bytearray())
    if not memory.c_contiguous:
        thing = thing.T
    elif memory.format in "@bBhHiIlLqQfd?":
        return memory.cast("B")
    return memoryview(np.frombuffer(thing, np.uint8))  # type: ignore[arg-type]  # an array is a buffer
