"""What the tests of Ok-Topk run on every rank; and the published code's faults, planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import oktopk
from sparring.impl.oktopk import Allreduce
from sparring.proofs.core.iterations import Done, checked

OPTIONS: dict[str, Any] = {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2}
WRONG: dict[str, dict[str, Any]] = {
    "negative k": {"k": -1},
    "half a period": {"tau": 1.5},
    "no period": {"tau_prime": 0},
    "no bucket": {"bucket": 0},
    "negative trigger": {"trigger": -1},
    "negative gain": {"gain": -1},
    "another k": {"k": 3},
    "another bucket": {"bucket": 3},
}


def iterate(kind: Any, comm: Any, xs: Any, *, k: int, **options: Any) -> list[Done]:
    """Each call's result and residual."""
    instance = kind(comm, xs.shape[1], k=k, **options)
    return [checked(instance(x), instance.residual, x) for x in xs]


def once(comm: Any, xs: Any, *, k: int, **options: Any) -> Any:
    """The last call's result and residual, one after the other."""
    last = iterate(Allreduce, comm, xs, k=k, **options)[-1]
    return np.concatenate([last.result.dense(), last.residual])


def refused(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    try:
        Allreduce(comm, 5, **{"k": 2, **(WRONG[what] if comm.Get_rank() == bad else {})})
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, before: int) -> Any:
    """The error's text where rank 2 alone passes too much, and whether the residual is as it was."""
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    tried, untouched = (Allreduce(comm, 5, k=2) for _ in range(2))
    for _ in range(before):
        tried(good)
        untouched(good)
    text = ""
    try:
        tried(np.ones(6) if comm.Get_rank() == 2 else good)
    except InputError as error:
        text = str(error)
    if tried(good).values.tolist() != untouched(good).values.tolist():
        text = "the residual has changed"
    return np.frombuffer(text.encode(), np.uint8)


class Changed(Allreduce):
    """The implementation with one of its functions replaced: each rank has modules of its own."""

    name = ""
    planted: Any = None
    """What is called in its place."""

    def __init__(self, comm: Any, n: int, **options: Any) -> None:
        super().__init__(comm, n, **{**OPTIONS, **options})
        if self.name:
            setattr(oktopk, self.name, type(self).planted)


class ByValue(Changed):
    """What was sent is looked for among indices in the order of values: a search that needs them to ascend."""

    name = "common"

    @staticmethod
    def planted(a: Any, b: Any, n: int) -> Any:
        if not b.size:
            return b
        b = np.roll(b, b.size // 2)
        return a[b[np.minimum(np.searchsorted(b, a), b.size - 1)] == a]


class OwnRegion(Changed):
    """The residual is cleared of a rank's own half of the result alone."""

    name = "common"

    @staticmethod
    def planted(a: Any, b: Any, n: int) -> Any:
        return np.intersect1d(a, b[: b.size // 2])


class Strict(Changed):
    """The k-th largest itself is not selected."""

    name = "reaching"

    @staticmethod
    def planted(x: Any, least: Any, plus: Any = None) -> Any:
        if plus is not None:
            x += plus
        at = np.flatnonzero(oktopk.magnitudes(x) > least)
        return oktopk.Sparse.made(at, x[at], x.size)


class NotAdded(Changed):
    """In calls that keep their thresholds the new vector is forgotten."""

    name = "reaching"

    @staticmethod
    def planted(x: Any, least: Any, plus: Any = None, good: Any = oktopk.reaching) -> Any:
        return good(x, least)


class Forgotten(Changed):
    """Thresholds last for one call: in the next everything reaches them."""

    name = "followed"

    @staticmethod
    def planted(least: Any, dtype: Any, found: int, k: int, gain: int) -> Any:
        return least.dtype.type(0)


class AllCleared(Changed):
    """All that was selected is cleared, whether its sum was kept or not."""

    name = "common"

    @staticmethod
    def planted(a: Any, b: Any, n: int) -> Any:  # that is the fault
        return a


class Unbalanced(Changed):
    """Sums are never dealt out, as in two of the three published programs: right results, other messages."""

    name = "balanced"

    @staticmethod
    def planted(comm: Any, mine: Any, sizes: Any) -> Any:  # that is the fault
        return mine, sizes


class NoEmptyRank(Changed):
    """A rank that selects nothing still looks for its first entry."""

    name = "agreed"

    @staticmethod
    def planted(comm: Any, at: Any, n: int) -> Any:
        p = comm.Get_size()
        good = at[[oktopk.share(c, at.size, p) for c in range(p)]]
        summed = np.empty(p - 1, np.int64)
        comm.Allreduce(good[1:], summed)
        return np.concatenate([[0], summed // p, [n]])


class NeverOneRank(Changed):
    """The first bound between regions is looked at, though one rank has none."""

    name = "agreed"

    @staticmethod
    def planted(comm: Any, at: Any, n: int, good: Any = oktopk.agreed) -> Any:
        bounds = good(comm, at, n)
        return bounds if bounds[1:-1][0] >= 0 else None
