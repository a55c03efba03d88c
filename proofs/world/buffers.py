"""Memory and its description, as mpi4py takes them.

A message is an object with memory (an array, a bytearray), or a list ``[memory, type]``,
``[memory, count, type]``, ``[memory, (count, displacement), type]``; for the v-forms ``[memory,
counts, displacements, type]`` and ``[memory, (counts, displacements), type]``.  Types may be left
out, counts and displacements count entries.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from sparring.proofs.core.terms import Table

DType = np.dtype[Any]


class Datatype:
    """One of MPI's named types, seen as numpy's."""

    def __init__(self, name: str, dtype: str) -> None:
        self.name, self.dtype = name, np.dtype(dtype)

    def Get_size(self) -> int:
        """The bytes of one entry."""
        return self.dtype.itemsize

    size = property(Get_size)

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


TYPES = {
    name: Datatype(name, dtype)
    for names, dtype in (
        ("BYTE UNSIGNED_CHAR UINT8_T", "u1"),
        ("CHAR SIGNED_CHAR INT8_T", "i1"),
        ("SHORT INT16_T", "i2"),
        ("UNSIGNED_SHORT UINT16_T", "u2"),
        ("INT INT32_T", "i4"),
        ("UNSIGNED UINT32_T", "u4"),
        ("LONG", "long"),
        ("UNSIGNED_LONG", "ulong"),
        ("LONG_LONG INT64_T", "i8"),
        ("UNSIGNED_LONG_LONG UINT64_T", "u8"),
        ("FLOAT", "f4"),
        ("DOUBLE", "f8"),
        ("COMPLEX C_FLOAT_COMPLEX", "c8"),
        ("DOUBLE_COMPLEX C_DOUBLE_COMPLEX", "c16"),
        ("BOOL C_BOOL", "?"),
    )
    for name in names.split()
}


class Buffer:
    """``count`` entries of ``dtype`` at ``memory``, a view of bytes; ``table`` if they are terms."""

    __slots__ = ("count", "dtype", "memory", "table")

    def __init__(self, memory: memoryview, dtype: DType, table: Table | None) -> None:
        self.memory, self.dtype, self.table = memory, dtype, table
        self.count = memory.nbytes // dtype.itemsize

    def part(self, at: int, count: int) -> Buffer:
        """``count`` entries from entry ``at`` on.  Raises ValueError if there are fewer."""
        size = self.dtype.itemsize
        if at < 0 or count < 0 or at + count > self.count:
            raise ValueError(f"message: entries {at}..{at + count - 1} of a buffer that has {self.count}")
        return Buffer(self.memory[at * size : (at + count) * size], self.dtype, self.table)

    def array(self) -> np.ndarray[Any, Any]:
        """The same memory as a plain array."""
        return np.ndarray(self.count, self.dtype, self.memory)

    def copy(self) -> Buffer:
        """The same contents elsewhere."""
        return Buffer(memoryview(self.memory.tobytes()), self.dtype, self.table)

    def __str__(self) -> str:
        return f"{self.count} {self.dtype}"


def simple(spec: Any, writable: bool = False) -> Buffer:
    """The buffer of a message to one rank.

    Raises TypeError, ValueError, KeyError or BufferError, as mpi4py does, for what is no message.
    """
    if isinstance(spec, np.ndarray):
        return _memory(spec, None, writable)
    memory, count, displacement, dtype = _fields(spec)
    buffer = _memory(memory, dtype, writable)
    if count is None and displacement is None:
        return buffer
    at = 0 if displacement is None else operator.index(displacement)
    return buffer.part(at, buffer.count - at if count is None else operator.index(count))


def blocks(spec: Any, p: int, writable: bool = False) -> list[Buffer]:
    """One block of equal length for each of ``p`` ranks; a count given is that of one block."""
    memory, count, displacement, dtype = _fields(spec)
    buffer = _memory(memory, dtype, writable)
    if count is None and buffer.count % p:
        raise ValueError(f"message: {buffer.count} entries make no {p} equal blocks")
    each = buffer.count // p if count is None else operator.index(count)
    at = 0 if displacement is None else operator.index(displacement)
    return [buffer.part(at + i * each, each) for i in range(p)]


def vector(spec: Any, p: int, writable: bool = False) -> list[Buffer]:
    """One block for each of ``p`` ranks, with counts and displacements of its own."""
    memory, counts, displacements, dtype = _fields(spec)
    if counts is None and displacements is None:
        return blocks(spec, p, writable)
    buffer = _memory(memory, dtype, writable)
    if counts is None:
        counts = buffer.count // p
    counts = _per_rank(counts, p, lambda count, _: count)
    if displacements is None:
        displacements = list(accumulate(counts, initial=0))[:p]
    displacements = _per_rank(displacements, p, operator.mul)
    return [buffer.part(at, count) for at, count in zip(displacements, counts)]


def _per_rank(numbers: Any, p: int, spread: Any) -> list[int]:
    if not isinstance(numbers, Sequence | np.ndarray):
        return [spread(operator.index(numbers), i) for i in range(p)]
    if len(numbers) != p:
        raise ValueError(f"message: expecting {p} items, got {len(numbers)}")
    return [operator.index(x) for x in numbers]


def _fields(spec: Any) -> tuple[Any, Any, Any, DType | None]:
    """Memory, count, displacement and type of a message as it was written."""
    if not isinstance(spec, list | tuple):
        return spec, None, None, None
    match spec:
        case [memory, Datatype() | str() as kind]:
            return memory, None, None, _dtype(kind)
        case [memory, (count, displacement)] if isinstance(spec[1], tuple):
            return memory, count, displacement, None
        case [memory, count]:
            return memory, count, None, None
        case [memory, (count, displacement), kind] if isinstance(spec[1], tuple):
            return memory, count, displacement, _dtype(kind)
        case [memory, count, kind]:
            return memory, count, None, _dtype(kind)
        case [memory, count, displacement, kind]:
            return memory, count, displacement, _dtype(kind)
    raise ValueError("message: expecting 2 to 4 items")


def _dtype(kind: Any) -> DType:
    if isinstance(kind, Datatype):
        return kind.dtype
    if isinstance(kind, str) and kind in TYPES:
        return TYPES[kind].dtype
    if isinstance(kind, str):
        return np.dtype(kind)
    raise TypeError(f"message: expecting an MPI datatype, got {kind!r}")


def _memory(thing: Any, dtype: DType | None, writable: bool) -> Buffer:
    """``thing``'s bytes, as entries of ``dtype`` or of its own type."""
    try:
        memory = memoryview(thing)
    except (TypeError, ValueError):
        raise TypeError(f"message: expecting buffer or list/tuple, got {type(thing).__name__}") from None
    own: DType = thing.dtype if isinstance(thing, np.ndarray) else np.dtype(memory.format)
    if own.hasobject or own.names:
        raise KeyError(f"cannot map {memory.format!r} to MPI datatype")
    if writable and memory.readonly:
        raise BufferError("message: buffer is not writable")
    if not memory.contiguous:
        raise BufferError("message: buffer is not contiguous")
    flat = _flat(thing, memory)
    dtype = dtype or own
    if flat.nbytes % dtype.itemsize:
        raise ValueError(f"message: buffer of {flat.nbytes} bytes holds no whole number of {dtype}")
    return Buffer(flat, dtype, getattr(thing, "table", None))


def _flat(thing: Any, memory: memoryview) -> memoryview:
    """All bytes in the order of memory."""
    if not memory.nbytes:
        return memoryview(bytearray())
    return memory.cast("B") if memory.c_contiguous else memoryview(thing.T).cast("B")
