"""What the tests of ARC-Top-K run on every rank; and faults, planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import arc_top_k
from sparring.impl.arc_top_k import Allreduce

WRONG: dict[str, dict[str, Any]] = {
    "negative k": {"k": -1},
    "no sketch": {"sketch": 0},
    "half a column": {"columns": 1.5},
    "more than a whole": {"momentum": 1001},
    "no such rule": {"feedback": "ef15"},
    "no such sum": {"through": "tree"},
    "another seed": {"seed": 3},
    "another rule": {"feedback": "ef14"},
}


def several(comm: Any, xs: Any, **options: Any) -> Any:
    """The results of all calls, one after the other."""
    instance = Allreduce(comm, xs.shape[1], **options)
    return np.concatenate([instance(x) for x in xs])


def remembered(comm: Any, xs: Any, **options: Any) -> Any:
    """The last result, and the residual after it; none before the first call."""
    instance = Allreduce(comm, xs.shape[1], **options)
    before: Any = instance.residual
    if before is not None:
        raise AssertionError("something is remembered already")
    y = [instance(x) for x in xs][-1]
    after: Any = instance.residual
    if after.flags.writeable:
        raise AssertionError("what is remembered can be written to")
    return np.concatenate([y, after])


def once(comm: Any, x: Any, **options: Any) -> Any:
    """One call of the function."""
    return arc_top_k.allreduce(comm, x, **options)


def refused(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    try:
        Allreduce(comm, 5, **(WRONG[what] if comm.Get_rank() == bad else {}))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, bad: Any) -> Any:
    """The error's text where rank 2 alone passes another vector, and whether memories are as they were."""
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    tried, untouched = (Allreduce(comm, 5, k=1, columns=2, feedback="ef14") for _ in range(2))
    for one in (tried, untouched):
        one(good)
    text = ""
    try:
        tried(np.ones(*bad) if comm.Get_rank() == 2 else good)
    except InputError as error:
        text = str(error)
    if tried(good).tobytes() != untouched(good).tobytes():
        text = "what is remembered has changed"
    return np.frombuffer(text.encode(), np.uint8)


class Changed(Allreduce):
    """The implementation with one of its functions replaced: each rank has modules of its own."""

    name = ""
    planted: Any = None
    """What is called in its place."""

    def __init__(self, comm: Any, n: int, **options: Any) -> None:
        super().__init__(comm, n, **options)
        if self.name:
            setattr(arc_top_k, self.name, type(self).planted)


class LastOfTies(Changed):
    """Of equal scores the higher index."""

    name = "first"

    @staticmethod
    def planted(size: Any, k: int, good: Any = arc_top_k.first) -> Any:
        return np.sort(size.size - 1 - good(size[::-1], k))


class SeedsOfTheirOwn(Allreduce):
    """Each rank draws another sketching matrix."""

    def __init__(self, comm: Any, n: int, **options: Any) -> None:
        super().__init__(comm, n, **options)
        self._seed += comm.Get_rank()


class Mean(Allreduce):
    """The mean, not the sum."""

    def __call__(self, x: Any, /) -> Any:
        return super().__call__(x) / x.dtype.type(self._comm.Get_size())


class Unmoved(Allreduce):
    """An estimate to which what was sent is not added."""

    def _estimated(self, held: Any, x: Any) -> Any:
        before = held.copy() if self._calls else None
        y = super()._estimated(held, x)
        if before is not None:
            held[:] = before
        return y


class Unscaled(Changed):
    """A running mean in which the old one counts in full."""

    name = "mixed"

    @staticmethod
    def planted(mean: Any, x: Any, momentum: Any) -> Any:
        return mean * 1000 + x * momentum


class KeepsSent(Allreduce):
    """What was sent stays in the residual, too."""

    def _rest(self, held: Any, x: Any) -> Any:
        before = held[: self._n] + x if self._calls else x.copy()
        y = super()._rest(held, x)
        held[: self._n] = before
        return y
