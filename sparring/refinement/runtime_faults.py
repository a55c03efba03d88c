"""Faults planted in what ranks do: for each property that runs decide, one that the same road must catch.

A fault wraps ``call``, by which every rank calls the target; so it fits any target, and what the
target does is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from sparring import sparse_lists
from sparring.errors import InputError
from sparring.proofs.logic.terms import raw
from sparring.refinement.observing import Call
from sparring.refinement.playing import Played

Fault: TypeAlias = Callable[[Call], Call]


def unharmed(call: Call) -> Call:
    """Return the call without a fault."""
    return call


def doubled(call: Call) -> Call:
    """Make the last rank add its result to itself."""
    return last(call, lambda x: x + x)


def low_bits(call: Call) -> Call:
    """Flip the lowest bit of every entry of the last rank's result."""
    return last(call, flipped)


def last(call: Call, change: Callable[[Any], Any]) -> Call:
    """Change the last rank's result; of several calls the last one's."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        y = call(function, comm, *args)
        return y if comm.Get_rank() < comm.Get_size() - 1 else changed(y, change)

    return called


def changed(y: Any, change: Callable[[Any], Any]) -> Any:
    """Return a result with its entries changed; of the results of several calls, the last."""
    if isinstance(y, Played):
        return y._replace(ys=[*y.ys[:-1], changed(y.ys[-1], change)])
    return sparse_lists.having(y, change(sparse_lists.values(y)))


def flipped(x: Any) -> Any:
    """Return a copy whose lowest bits are flipped."""
    other = x.copy()
    flip(other)
    return other


def flip(x: Any) -> None:
    """Flip the lowest bit of every entry."""
    bits = raw(x).view(f"u{x.itemsize}")
    bits ^= bits.dtype.type(1)


def misled(call: Call) -> Call:
    """Give the last rank twice its input."""

    def called(function: Any, comm: Any, x: Any) -> Any:
        return call(function, comm, x if comm.Get_rank() < comm.Get_size() - 1 else x + x)

    return called


def unheard(call: Call) -> Call:
    """Make every rank send rank 0 a message for which it has no receive."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        y = call(function, comm, *args)
        comm.Isend(np.zeros(1, np.float32), 0)
        return y

    return called


def chatting(call: Call) -> Call:
    """Make the last rank send rank 0 one message more, which rank 0 receives."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        y, last = call(function, comm, *args), comm.Get_size() - 1
        if last and comm.Get_rank() == last:
            comm.Send(np.zeros(1, np.float32), 0)
        elif last and comm.Get_rank() == 0:
            comm.Recv(np.zeros(1, np.float32), last)
        return y

    return called


def indulgent(call: Call) -> Call:
    """Make the last rank let every bad argument pass."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        try:
            return call(function, comm, *args)
        except InputError:
            if comm.Get_rank() < comm.Get_size() - 1:
                raise
            return None

    return called


def written(call: Call) -> Call:
    """Make every rank write to its input."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        y = call(function, comm, *args)
        for x in map(sparse_lists.values, [y.given] if isinstance(y, Played) else args):
            x.flags.writeable = True
            flip(x)
        return y

    return called


FAULTS: Mapping[str, tuple[str, Fault]] = {
    "sum": ("another input for the last rank", misled),
    "selection": ("another input for the last rank", misled),
    "terms": ("a result added to itself", doubled),
    "steps": ("one message more", chatting),
    "hygiene": ("a message that nobody receives", unheard),
    "input untouched": ("an input written to", written),
    "dtypes": ("other lowest bits", low_bits),
    **dict.fromkeys(("gradients", "parameters", "in place", "long vectors"), ("other lowest bits", low_bits)),
    "bad input": ("a bad argument that one rank lets pass", indulgent),
}
"""By property, what is planted, in words."""
