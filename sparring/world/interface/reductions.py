"""``MPI.Op``: reductions, of memory and of objects."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Self

import numpy as np

from sparring.proofs.logic.terms import Terms, raw
from sparring.world.core.buffers import Buffer, simple
from sparring.world.core.constants import Local, MPIException
from sparring.world.core.datatypes import BY_DTYPE
from sparring.world.core.leaks import end, makes

Fold = Callable[[Any, Any], Any]


class Op(Local):
    """A reduction: ``arrays`` reduces two arrays elementwise, ``objects`` two objects; null once freed."""

    def __init__(self, name: str | Op = "OP_NULL", arrays: Fold | None = None, objects: Fold | None = None) -> None:
        if isinstance(name, Op):
            vars(self).update(vars(name))
            return
        self.name, self.arrays, self.objects = name, arrays, objects
        self.is_commutative = self.is_predefined = True

    @classmethod
    @makes("operation")
    def Create(cls, function: Callable[[Any, Any, Any], Any], commute: bool = False) -> Self:
        """Create a reduction: ``function(a, b, datatype)`` leaves ``a op b`` in ``b``, or returns that object."""
        made = cls("Op.Create", _user(function), lambda a, b: function(a, b, None))
        made.is_commutative, made.is_predefined = bool(commute), False
        return made

    def Free(self) -> None:
        if self.is_predefined:
            raise MPIException(f"{self!r} cannot be freed: it is predefined", "OP")
        self.arrays = self.objects = None
        end(self)

    def Is_commutative(self) -> bool:
        return self.is_commutative

    def Reduce_local(self, inbuf: Any, inoutbuf: Any) -> None:
        give, take = simple(inbuf), simple(inoutbuf, writable=True)
        if (give.count, give.dtype) != (take.count, take.dtype):
            raise ValueError(f"Reduce_local of {give} and {take}: they must be the same")
        take.write(self.fold([give.array(), take.array()]).tobytes())

    def fold(self, parts: Sequence[Any]) -> Any:
        """Return the reduction of arrays, in their order.  Raises MPIException for types that it does not know."""
        with np.errstate(all="ignore"):
            return np.asarray(reduce(self.knowing(parts[0].dtype), parts), parts[0].dtype)

    def knowing(self, dtype: Any) -> Fold:
        """Return what reduces arrays.  Raises MPIException if it was freed, or does not know ``dtype``."""
        if self.arrays is None:
            raise MPIException("Null operation: it was freed", "OP")
        if self.is_predefined and bool(dtype.names) != (self.name in LOCATIONS):
            raise MPIException(f"{self!r} does not know {dtype}", "OP")
        nothing = np.empty(0, dtype)
        try:
            if self.is_predefined:
                self.arrays(nothing, nothing)
        except TypeError as error:
            raise MPIException(f"{self!r} does not know {dtype}: {error}", "OP") from None
        return self.arrays

    def __call__(self, a: Any, b: Any) -> Any:
        if self.objects is None:
            raise ValueError("Null operation: it was freed")
        return self.objects(a, b)

    def __reduce__(self) -> Any:
        return (predefined, (self.name,)) if self.is_predefined else super().__reduce__()

    def __bool__(self) -> bool:
        return self.arrays is not None

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


def _user(function: Callable[[Any, Any, Any], Any]) -> Fold:
    def fold(a: Any, b: Any) -> Any:
        given, kept = bytearray(a.tobytes()), bytearray(b.tobytes())
        function(memoryview(given), memoryview(kept), BY_DTYPE[b.dtype])
        return np.frombuffer(kept, b.dtype)

    return fold


def _location(better: Callable[[Any, Any], Any]) -> tuple[Fold, Fold]:
    """Return the better value, and of equals the smaller index."""

    def arrays(a: Any, b: Any) -> Any:
        equal = a["value"] == b["value"]
        first = better(a["value"], b["value"]) | (equal & (a["index"] <= b["index"]))
        return np.where(first, a, b)

    def objects(a: Any, b: Any) -> Any:
        (u, i), (v, j) = a, b
        return (u, i) if better(u, v) or (not better(v, u) and not j < i) else (v, j)

    return arrays, objects


LOCATIONS = ("MAXLOC", "MINLOC")
OPS = {
    name: Op(name, arrays, objects)
    for name, arrays, objects in (
        ("SUM", np.add, operator.add),
        ("PROD", np.multiply, operator.mul),
        ("MAX", np.maximum, max),
        ("MIN", np.minimum, min),
        ("LAND", np.logical_and, lambda a, b: bool(a) & bool(b)),
        ("LOR", np.logical_or, lambda a, b: bool(a) | bool(b)),
        ("LXOR", np.logical_xor, lambda a, b: bool(a) ^ bool(b)),
        ("BAND", np.bitwise_and, operator.and_),
        ("BOR", np.bitwise_or, operator.or_),
        ("BXOR", np.bitwise_xor, operator.xor),
        ("MAXLOC", *_location(operator.gt)),
        ("MINLOC", *_location(operator.lt)),
        ("REPLACE", lambda _, b: b, lambda _, b: b),
        ("NO_OP", lambda a, _: a, lambda a, _: a),
    )
}


def predefined(name: str) -> Op:
    """Return MPI's own reduction of that name."""
    return OPS[name]


def total(op: Fold, values: Sequence[Any]) -> Any:
    """Return the reduction of objects, in their order; of terms, in an order not told."""
    table = values[0].table if isinstance(values[0], Terms) else None
    if not table or op is not OPS["SUM"]:
        return reduce(op, values)
    columns = zip(*(raw(value).ravel().tolist() for value in values))
    ids = np.array([table.unordered(column) for column in columns], np.int64)
    return table.array(ids.reshape(values[0].shape))


def unordered(op: Op, buffers: Sequence[Buffer]) -> bool:
    """Return whether these are terms, which are added in an order not told.  Raises TypeError for another ``op``."""
    if any(buffer.table for buffer in buffers) and op is not OPS["SUM"]:
        raise TypeError(f"terms know elementwise + alone, not {op!r}")
    return bool(buffers and buffers[0].table)
