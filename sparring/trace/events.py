"""Events: what one rank does, one after the other, whichever world it runs in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl import core
from sparring.world.core.findings import Called, Outcome, Sent

OPS = ("send", "receive", "collective")
NOBODY = -1
"""The peer of a collective and of a receive from any source; the tag of a collective and of a receive of any tag."""
INSIDE = (__file__.removesuffix("events.py"), core.__file__.removesuffix("__init__.py"))


class Event(NamedTuple):
    """One operation of one rank, as it was when the rank began it."""

    rank: int
    seq: int
    """Counts this rank's operations from 0."""
    op: str
    """One of ``OPS``."""
    call: str
    """As MPI spells it: ``Isend``, ``Allreduce``."""
    peer: int
    """The destination or the source, a rank of the communicator that the target was given; or ``NOBODY``."""
    tag: int
    context: int
    """The communicator: 0 is the one that the target was given."""
    step: int | None
    """The algorithm's step, where it is known."""
    count: int  # type: ignore[assignment]  # an entry's name, not tuple's method
    """The entries of ``dtype`` that are sent, or for which there is room; for a collective, the bytes contributed."""
    dtype: str
    nbytes: int
    digest: str
    """:func:`digest` of what is sent; empty for receives and collectives."""
    where: str
    """``file:line`` of the algorithm that makes the call."""
    payload: NDArray[Any] | None = None
    """The content that is sent, where a recording was asked to keep it; never written to a file."""


class Trace(NamedTuple):
    """The events of ``ranks`` ranks; those of one rank stand in the order of ``seq``."""

    ranks: int
    events: list[Event]

    def sends(self) -> Iterator[Event]:
        """Yield the messages."""
        return (event for event in self.events if event.op == "send")


def digest(payload: bytes | memoryview) -> str:
    """Return 16 hexadecimal digits that two different messages share by accident once in 2**64 times.

    >>> digest(b"")
    'e4a6a0577479b2b4'
    """
    return blake2b(payload, digest_size=8).hexdigest()


def collective(rank: int, seq: int, call: str, context: int, nbytes: int, where: str) -> Event:
    """Return a rank's call of a collective, to which it contributes ``nbytes``."""
    return Event(rank, seq, "collective", call, NOBODY, NOBODY, context, None, nbytes, "uint8", nbytes, "", where)


def from_outcome(outcome: Outcome, ranks: int) -> Trace:
    """Return the trace of a run in the simulated world, with payloads; ``outcome`` must come from ``record=True``.

    The world logs no receives, and not which call sent a message: ``call`` reads Send.  It logs collectives apart from
    messages, so a rank's collectives come first here.  Raises InputError for a run without payloads.
    """
    if any(m.payload is None for m in outcome.messages):
        raise InputError("a trace needs payloads, which this run did not keep: run it with record=True")
    seq = [count() for _ in range(ranks)]
    called = [_called(c, next(seq[c.rank])) for c in outcome.collectives]
    return Trace(ranks, called + [_sent(m, next(seq[m.src])) for m in outcome.messages])


def _called(c: Called, seq: int) -> Event:
    return collective(c.rank, seq, c.name, c.context, c.nbytes, c.where)


def _sent(m: Sent, seq: int) -> Event:
    size, seen = (m.count, str(m.dtype), m.nbytes), digest(np.asarray(m.payload).tobytes())
    return Event(m.src, seq, "send", "Send", m.dst, m.tag, m.context, None, *size, seen, m.where, m.payload)


def caller() -> str:
    """Return ``file:line`` of the algorithm.

    That is the innermost frame outside this package and the transport below ``impl``.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(INSIDE):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else "?"
