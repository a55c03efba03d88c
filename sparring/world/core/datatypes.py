"""MPI's datatypes: the named ones, seen as numpy's, and those that lay entries of one of them out in memory."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sparring.world.core.constants import Local, MPIException, Unsupported
from sparring.world.core.leaks import end, makes

DType = np.dtype[Any]
Offsets = NDArray[np.int64]
ORDER_C, ORDER_FORTRAN = 56, 57


class Datatype(Local):
    """A type whose instance has an entry of ``dtype`` at each of ``offsets``; the next is ``extent`` bytes on.

    ``dense``: the entries lie one after the other, without gaps.
    """

    def __init__(self, name: str, dtype: Any, offsets: Any = (0,), lb: int = 0, extent: int | None = None) -> None:
        self.name, self.dtype = name, np.dtype(dtype)
        self.offsets: Offsets = np.asarray(offsets, np.int64)
        self.lb, self.extent = lb, self.dtype.itemsize if extent is None else extent
        self.is_predefined = self.committed = extent is None
        self.freed = False
        entries = np.arange(len(self.offsets)) * self.dtype.itemsize
        self.dense = self.extent == self.Get_size() and np.array_equal(self.offsets, entries)

    def Get_size(self) -> int:
        """Return the bytes of the entries, without gaps."""
        return len(self.offsets) * (sum(t.itemsize for t in _parts(self.dtype)))

    size = property(Get_size)

    def Get_extent(self) -> tuple[int, int]:
        """Return where an instance begins, and by how much the next is further on."""
        return self.lb, self.extent

    def Get_true_extent(self) -> tuple[int, int]:
        """Return the first byte of an instance's entries, and how far they reach."""
        if not len(self.offsets):
            return 0, 0
        low = int(self.offsets.min())
        return low, int(self.offsets.max()) + self.dtype.itemsize - low

    @property
    def ub(self) -> int:
        """The byte where an instance ends."""
        return self.lb + self.extent

    def Commit(self) -> Self:
        """Allow the type in messages from now on."""
        self.committed = True
        return self

    def Free(self) -> None:
        """Allow the type no more."""
        if self.is_predefined:
            raise MPIException(f"{self!r} cannot be freed: it is predefined", "TYPE")
        self.committed, self.freed = False, True
        end(self)

    @makes("datatype")
    def Create_contiguous(self, count: int) -> Datatype:
        return self._at(np.arange(operator.index(count)) * self.extent)

    @makes("datatype")
    def Create_vector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Create a type of blocks that are ``stride`` instances apart."""
        return self.Create_hvector(count, blocklength, stride * self.extent)

    @makes("datatype")
    def Create_hvector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Create a type of blocks that are ``stride`` bytes apart."""
        return self.Create_hindexed_block(blocklength, [i * stride for i in range(count)])

    @makes("datatype")
    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        return self.Create_hindexed(blocklengths, [d * self.extent for d in displacements])

    @makes("datatype")
    def Create_hindexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        if len(blocklengths) != len(displacements):
            raise ValueError(f"{len(blocklengths)} block lengths for {len(displacements)} displacements")
        return self._at([d + i * self.extent for n, d in zip(blocklengths, displacements) for i in range(n)])

    @makes("datatype")
    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        return self.Create_indexed([blocklength] * len(displacements), displacements)

    @makes("datatype")
    def Create_hindexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        return self.Create_hindexed([blocklength] * len(displacements), displacements)

    @makes("datatype")
    def Create_subarray(
        self, sizes: Sequence[int], subsizes: Sequence[int], starts: Sequence[int], order: int = ORDER_C
    ) -> Datatype:
        """Create the type of a box of an array."""
        if any(not (a >= 0 and n > 0 and a + n <= size) for size, n, a in zip(sizes, subsizes, starts, strict=True)):
            raise MPIException(f"the box {list(subsizes)} at {list(starts)} lies not in an array {list(sizes)}", "ARG")
        cells = np.arange(int(np.prod(sizes))).reshape(sizes, order="C" if order == ORDER_C else "F")
        box = cells[tuple(slice(a, a + n) for a, n in zip(starts, subsizes))]
        made = self._at(box.ravel("C" if order == ORDER_C else "F") * self.extent)
        return made.Create_resized(0, cells.size * self.extent)

    @makes("datatype")
    def Create_resized(self, lb: int, extent: int) -> Datatype:
        return Datatype(f"resized {self.name}", self.dtype, self.offsets, operator.index(lb), operator.index(extent))

    @makes("datatype")
    def Dup(self) -> Datatype:
        twin = Datatype(self.name, self.dtype, self.offsets, self.lb, self.extent)
        twin.committed = self.committed
        return twin

    @classmethod
    @makes("datatype")
    def Create_struct(
        cls, blocklengths: Sequence[int], displacements: Sequence[int], datatypes: Sequence[Datatype]
    ) -> Datatype:
        if len({kind.dtype for kind in datatypes}) != 1 or len({kind.extent for kind in datatypes}) != 1:
            raise Unsupported("Datatype.Create_struct of several types")
        if len({tuple(kind.offsets) for kind in datatypes}) != 1:
            raise Unsupported("Datatype.Create_struct of several types")
        return datatypes[0].Create_hindexed(blocklengths, displacements)

    @classmethod
    def fromcode(cls, code: str) -> Datatype:
        """Return the named type of numpy's ``code``."""
        return named(code)

    def tocode(self) -> str:
        return str(self.dtype.char)

    def __reduce__(self) -> Any:
        return (named, (self.name,)) if self.is_predefined else super().__reduce__()

    def __bool__(self) -> bool:
        return not self.freed

    def __repr__(self) -> str:
        return f"MPI.{self.name}"

    def _at(self, places: Any) -> Datatype:
        """Return a type of instances at these displacements, in bytes."""
        at: Offsets = np.asarray(places, np.int64)
        low, high = (int(at.min()), int(at.max())) if len(at) else (-self.lb, -self.ub)
        offsets = (at[:, None] + self.offsets).ravel()
        return Datatype(f"derived {self.name}", self.dtype, offsets, low + self.lb, high - low + self.extent)


def _parts(dtype: DType) -> list[DType]:
    return [field[0] for field in dtype.fields.values()] if dtype.fields else [dtype]


def _pair(value: str) -> DType:
    return np.dtype([("value", value), ("index", "i4")], align=True)


TYPES = {
    name: Datatype(name, dtype)
    for names, dtype in (
        ("BYTE UNSIGNED_CHAR UINT8_T", "u1"),
        ("CHAR SIGNED_CHAR INT8_T INTEGER1", "i1"),
        ("SHORT INT16_T INTEGER2", "i2"),
        ("UNSIGNED_SHORT UINT16_T", "u2"),
        ("INT INT32_T INTEGER INTEGER4", "i4"),
        ("UNSIGNED UNSIGNED_INT UINT32_T", "u4"),
        ("LONG", "long"),
        ("UNSIGNED_LONG", "ulong"),
        ("LONG_LONG INT64_T AINT OFFSET COUNT INTEGER8", "i8"),
        ("UNSIGNED_LONG_LONG UINT64_T", "u8"),
        ("FLOAT REAL REAL4", "f4"),
        ("DOUBLE DOUBLE_PRECISION REAL8", "f8"),
        ("LONG_DOUBLE", "g"),
        ("FLOAT16_T", "f2"),
        ("COMPLEX C_FLOAT_COMPLEX C_COMPLEX CXX_FLOAT_COMPLEX COMPLEX8", "c8"),
        ("DOUBLE_COMPLEX C_DOUBLE_COMPLEX CXX_DOUBLE_COMPLEX COMPLEX16", "c16"),
        ("C_LONG_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX", "G"),
        ("BOOL C_BOOL CXX_BOOL", "?"),
        ("WCHAR", "i4"),
        ("SHORT_INT", _pair("i2")),
        ("TWOINT INT_INT", _pair("i4")),
        ("LONG_INT", _pair("long")),
        ("FLOAT_INT", _pair("f4")),
        ("DOUBLE_INT", _pair("f8")),
        ("LONG_DOUBLE_INT", _pair("g")),
    )
    for name in names.split()
}
BY_DTYPE = {kind.dtype: kind for kind in reversed(TYPES.values())}
CODES = {code: BY_DTYPE[np.dtype(code)] for code in "?bBhHiIlLqQfdgFDG"}
CODES["c"] = TYPES["CHAR"]


NULL_TYPE = Datatype("DATATYPE_NULL", "u1", (), 0, 0)
NULL_TYPE.freed = True


def named(kind: Any) -> Datatype:
    """Return the type that a message names: itself, one of MPI's names, or one of numpy's codes."""
    if isinstance(kind, Datatype):
        return kind
    if not isinstance(kind, str):
        raise TypeError(f"message: expecting an MPI datatype, got {kind!r}")
    if kind in TYPES or kind in CODES:
        return TYPES.get(kind) or CODES[kind]
    try:
        return BY_DTYPE[np.dtype(kind)]
    except (KeyError, TypeError):
        raise KeyError(f"cannot map {kind!r} to MPI datatype") from None
