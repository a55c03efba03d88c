"""What the tests of Flash Communication run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import flash
from sparring.impl.core.quantiser import Quantiser
from sparring.impl.flash import above, below, cut

WRONG: dict[str, dict[str, Any]] = {
    "no bits": {"b1": 0},
    "nine bits": {"b2": 9},
    "half a bit": {"b1": 4.5},
    "no group": {"g": 0},
    "a group too large": {"g": (1 << 32) + 1},
    "two spikes": {"spikes": 2},
    "other bits": {"b1": 5},
    "other groups": {"g": 64},
}


def three_ways(comm: Any, x: Any, **params: Any) -> Any:
    """The result, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = flash.allreduce(comm, x, **params)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert flash.allreduce(comm, x, out=given, **params) is given
    own = x.copy()
    assert flash.allreduce(comm, own, out=own, validate=False, **params) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def refused(comm: Any, x: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    try:
        flash.allreduce(comm, x, **(WRONG[what] if comm.Get_rank() == bad else {}))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_vector(comm: Any, x: Any, *, bad: int) -> Any:
    """The same where rank ``bad`` has whole numbers."""
    try:
        flash.allreduce(comm, x.astype(np.int64) if comm.Get_rank() == bad else x)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


class Own:
    """The algorithm once more, message by message, with parts to be planted."""

    kind: Any = Quantiser
    order: Any = staticmethod(sorted)

    def __init__(self, comm: Any, x: Any, b1: int, b2: int, g: int, spikes: int) -> None:
        self.comm, self.x, self.p, self.r = comm, x, comm.Get_size(), comm.Get_rank()
        self.first, self.second = (self.kind(x.dtype, bits=b, g=g, spikes=bool(spikes)) for b in (b1, b2))
        self.blocks = [slice(cut(c, x.size, self.p), cut(c + 1, x.size, self.p)) for c in range(self.p)]

    def coded(self, made: Any, x: Any) -> Any:
        """The message of ``x``."""
        message = np.empty(made.size(x.size), np.uint8)
        made.encode(x, message)
        return message

    def read(self, made: Any, message: Any, c: int) -> Any:
        """What is read from a message of block ``c``."""
        out = np.empty_like(self.x[self.blocks[c]])
        made.decode(message, out)
        return out

    def step(self, made: Any, outgoing: Any, sizes: Any) -> Any:
        """What comes from each other rank, where ``outgoing`` and ``sizes`` are by rank."""
        came = {}
        for d in range(1, self.p):
            to, source = above(self.r, d, self.p), below(self.r, d, self.p)
            came[source] = np.empty(made.size(sizes(source)), np.uint8)
            self.comm.Sendrecv(outgoing(to), to, 0, came[source], source, 0)
        return came

    def length(self, c: int) -> int:
        """How long block ``c`` is."""
        return self.blocks[c].stop - self.blocks[c].start

    def total(self) -> Any:
        """The sum of this rank's block."""
        r, copies = self.r, [self.coded(self.first, self.x[block]) for block in self.blocks]
        came = self.step(self.first, lambda to: copies[to], lambda q: self.length(r))
        came[r] = copies[r]
        parts = [self.read(self.first, came[q], r) for q in self.order(came)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def mine(self, total: Any, message: Any) -> Any:
        """What this rank takes of its own block."""
        return self.read(self.second, message, self.r)

    def run(self) -> Any:
        """The result."""
        if self.p == 1:
            return self.x + self.x.dtype.type(0)
        total = self.total()
        message = self.coded(self.second, total)
        came = self.step(self.second, lambda to: message, self.length)
        y = np.empty_like(self.x)
        for q, block in enumerate(self.blocks):
            y[block] = self.mine(total, message) if q == self.r else self.read(self.second, came[q], q)
        return y


def ran(kind: Any, comm: Any, x: Any, b1: int = 8, b2: int = 8, g: int = 128, spikes: int = 0) -> Any:
    """A run of one of these."""
    with np.errstate(all="ignore"):
        return kind(comm, x, b1, b2, g, spikes).run()


def twin(comm: Any, x: Any, **params: Any) -> Any:
    """Correct."""
    return ran(Own, comm, x, **params)


def owner_exact(comm: Any, x: Any, **params: Any) -> Any:
    """The owner of a block keeps the sum that it made codes of, as a published kernel does."""

    class Wrong(Own):
        def mine(self, total: Any, message: Any) -> Any:
            return total

    return ran(Wrong, comm, x, **params)


def descending(comm: Any, x: Any, **params: Any) -> Any:
    """Copies are added from the last rank to the first."""

    class Wrong(Own):
        order = staticmethod(lambda came: sorted(came, reverse=True))

    return ran(Wrong, comm, x, **params)


class Truncating(Quantiser):
    """Codes are cut off, not rounded."""

    def _rounded(self, steps: Any) -> None:
        np.floor(steps, out=steps)


def truncating(comm: Any, x: Any, **params: Any) -> Any:
    """Codes are cut off, not rounded."""

    class Wrong(Own):
        kind = Truncating

    return ran(Wrong, comm, x, **params)


def own_exact(comm: Any, x: Any, **params: Any) -> Any:
    """A rank adds its own copy as it is, and not what is read from codes of it."""

    class Wrong(Own):
        def read(self, made: Any, message: Any, c: int) -> Any:
            own = self.x[self.blocks[c]]
            if made is self.first and np.array_equal(message, self.coded(made, own)):
                return own
            return super().read(made, message, c)

    return ran(Wrong, comm, x, **params)
