"""What the tests of the lossy two-shot allreduce run on every rank; and planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import lossy_two_shot
from sparring.impl.lossy_two_shot import Allreduce

WRONG: dict[str, dict[str, Any]] = {
    "no such aggregator": {"aggregator": "mean"},
    "negative loss": {"lost": -1},
    "half a thousandth": {"lost": 0.5},
    "more than all": {"lost": 1001, "aggregator": "zero"},
    "nothing arrives": {"lost": 1000},
    "no packet": {"packet": 0},
    "neither 0 nor 1": {"running": 2},
    "another loss": {"lost": 200},
    "another aggregator": {"aggregator": "zero"},
    "another seed": {"seed": 1},
}


def states(comm: Any, xs: Any, **options: Any) -> Any:
    """After each call what the rank has, and its versions, one after the other, as rows of float64."""
    made = Allreduce(comm, xs.shape[1], **options)
    return np.stack([np.concatenate([made(x).astype(np.float64), made.versions]) for x in xs])


def repeated(comm: Any, x: Any, *, times: int, **options: Any) -> Any:
    """The same of so many calls, whose vectors are ``x`` and the number of the call."""
    made = Allreduce(comm, x.size, **options)
    return np.stack([np.concatenate([made(x * (call % 7 - 3) + call), made.versions]) for call in range(times)])


def made_only(comm: Any, x: Any) -> Any:
    """The versions before the first call, of packets of two entries."""
    return Allreduce(comm, x.size, packet=2).versions


def refused(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong; where all do if it is -1."""
    try:
        Allreduce(comm, 5, **(WRONG[what] if comm.Get_rank() == bad or bad < 0 else {}))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, what: str) -> Any:
    """The error's text where rank 2 alone passes something else, and whether all is as it was."""
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    bad = {"longer": np.ones(6), "whole numbers": np.ones(5, np.int64), "another dtype": np.ones(5, np.float32)}[what]
    tried, untouched = (Allreduce(comm, 5, lost=300, packet=1) for _ in range(2))
    tried(good)
    untouched(good)
    text = ""
    try:
        tried(bad if comm.Get_rank() == 2 else good)
    except InputError as error:
        text = str(error)
    if tried(good).tobytes() != untouched(good).tobytes():
        text = "its state has changed"
    return np.frombuffer(text.encode(), np.uint8)


class Changed(Allreduce):
    """The implementation, losing packets, with one fault at most: each rank has modules of its own."""

    def __init__(self, comm: Any, n: int, **options: Any) -> None:
        super().__init__(comm, n, **{**options, "lost": 400, "packet": 2})


class Swapped(Changed):
    """The mask is that of the way back."""

    def _arrived(self, step: int, source: int, to: int, shard: int) -> Any:
        return super()._arrived(step, to, source, shard)


class OneMask(Changed):
    """Both steps have the same losses."""

    def _arrived(self, step: int, source: int, to: int, shard: int) -> Any:
        return super()._arrived(0, source, to, shard)


class WholeShards(Changed):
    """A shard arrives or does not, as its first packet does."""

    def _arrived(self, step: int, source: int, to: int, shard: int) -> Any:
        found = super()._arrived(step, source, to, shard)
        return np.broadcast_to(found[:1], found.shape).copy() if found.size else found


class SameEveryCall(Changed):
    """The losses of the first call come again in every other."""

    def _arrived(self, step: int, source: int, to: int, shard: int) -> Any:
        calls, self._calls = self._calls, 1
        try:
            return super()._arrived(step, source, to, shard)
        finally:
            self._calls = calls


class OwnIsLost(Changed):
    """The owner's copy is weighed like the others."""

    def _aggregated(self, copies: Any, r: int) -> Any:
        weight = copies.dtype.type(lossy_two_shot.WHOLE) / copies.dtype.type(lossy_two_shot.WHOLE - self._lost)
        np.multiply(copies[r], weight, out=copies[r])
        return super()._aggregated(copies, r)


class Cleared(Changed):
    """What does not arrive is zero, where it should be as it was."""

    def __call__(self, x: Any, /) -> Any:
        before = None if self._replica is None else self.versions
        y = super().__call__(x)
        if before is not None:
            stale = np.repeat(self.versions == before, np.concatenate(self._sizes))
            y[stale] = 0
        return y


def planted(comm: Any, xs: Any, *, fault: str) -> Any:
    """As ``states``, of the class of that name."""
    made = globals()[fault](comm, xs.shape[1])
    return np.stack([np.concatenate([made(x), made.versions]) for x in xs])


class Forgetful(Allreduce):
    """Planted: it shows as of the last call what came before."""

    @property
    def versions(self) -> Any:
        """All of the last call."""
        return np.full_like(super().versions, self._calls)
