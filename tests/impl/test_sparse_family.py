"""What every sparse allreduce must pass: the cases in which published code lost mass, doubled it, hung or crashed.

A lossless one gets its entries from a selector, and what is not selected waits (error feedback); one
that selects by itself keeps its own residual.  Each statement is checked after every call, and each
planted defect must break the statement that is about it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.verification import judged

FAMILY = [
    page.name for page in map(sparring.page, sparring.pages())
    if page.listed and page.collective == "allreduce" and judged(page)
]  # fmt: skip
CUT_SUMS = {"gtopk", "ring_topk", "spardl"}
"""These cut sums on their way, so that a rank's residual has other ranks' entries, too."""
PERIODS = {"tau": 3, "tau_prime": 2}
"""Where thresholds and bounds are kept for some calls: short ones, so that calls of all kinds are among the first."""
RANKS = (1, 4, 7)
SELECTORS = {"threshold": {"period": 3}, "sampled": {"stride": 3, "seed": 1}, "gaussian": {}, "topk": {}}
"""Of every algorithm but those that are programs: there the selector is the algorithm."""


class Case(NamedTuple):
    """Vectors, ``(calls, p, n)`` whole numbers as floats, and how many entries are wanted."""

    xs: np.ndarray[Any, Any]
    k: int


def drawn(p: int, n: int, calls: int = 4, seed: int = 0) -> np.ndarray[Any, Any]:
    """Whole numbers, no two ranks' equal at one place, with supports that drift; in float64, so that sums are exact."""
    rng = np.random.default_rng([seed, p, n])
    xs = rng.integers(1, 2**40, (calls, p, n)) * rng.choice([-1, 1], (calls, p, n))
    heavy = (np.arange(n) + 3 * np.arange(calls)[:, None]) % max(n, 1) < max(n // 4, 1)
    return np.where(heavy[:, None], xs * 64, xs).astype(float)


def shared_support(p: int) -> Case:
    xs = drawn(p, 40)
    xs[:, :, 3:] = 0
    return Case(xs, 8)


def cancelling(p: int, part: int) -> Case:
    """Every second rank undoes what the one before it has, at all or at some places."""
    xs = drawn(p, 30)
    xs[:, 1::2, ::part] = -xs[:, 0 : p - p % 2 : 2, ::part]
    return Case(xs, 30)


def silent(p: int, ranks: slice) -> Case:
    xs = drawn(p, 23)
    xs[:, ranks] = 0
    return Case(xs, 5)


CASES = {
    "n is not divisible": lambda p: Case(drawn(p, 53), 9),
    "n = 11, where 4 ranks leave a rest of 3": lambda p: Case(drawn(p, 11), 6),
    "n < p": lambda p: Case(drawn(p, 2), 1),
    "n = 0": lambda p: Case(drawn(p, 0), 3),
    "k = 0": lambda p: Case(drawn(p, 20), 0),
    "k = 1": lambda p: Case(drawn(p, 20), 1),
    "k > n": lambda p: Case(drawn(p, 13), 100),
    "all magnitudes are equal": lambda p: Case(np.sign(drawn(p, 31)), 7),
    "fewer than k are not zero, at the same places": shared_support,
    "all cancel": lambda p: cancelling(p, 1),
    "some cancel": lambda p: cancelling(p, 3),
    "one rank has zeros": lambda p: silent(p, slice(0, 1)),
    "all ranks have zeros": lambda p: silent(p, slice(None)),
    "all in the last region": lambda p: Case(drawn(p, 60) * (np.arange(60) >= 50), 10),
}

SELECTED = ("n is not divisible", "n < p", "k = 0", "all magnitudes are equal", "some cancel")
"""With those that tell selectors apart, every selector is tried."""


def made(comm: Any, name: str, n: int, k: int, **selector: Any) -> Any:
    """The algorithm as what all of them are here: a class that is called with vectors and keeps a residual."""
    page = sparring.page(name)
    if not page.stateful:
        return impl("error_feedback").ErrorFeedback(comm, n, k=k, allreduce=name, **selector)
    if selector:
        return impl(name).Allreduce(comm, n, k=k, **selector)
    periods = {letter: calls for letter, calls in PERIODS.items() if letter in page.params}
    return impl(name).Allreduce(comm, n, k=k, **periods)


def impl(name: str) -> Any:
    """A module, imported by the rank that is running: each has its own."""
    return import_module(f"sparring.impl.{name}")


def called(comm: Any, make: Any, case: Case) -> list[tuple[Any, Any]]:
    """After each call the result, dense, and this rank's residual."""
    target, found = make(comm, case.xs.shape[2], case.k), []
    for x in case.xs[:, comm.rank]:
        given = x.copy()
        y = target(given)
        assert np.array_equal(given, x), "the input was changed"
        found.append((y.dense() if hasattr(y, "dense") else y.copy(), target.residual.copy()))
    return found


def faults(make: Any, case: Case, own: bool = True) -> set[str]:
    """Which statements do not hold; ``own``: a rank's residual has its own entries alone."""
    p = case.xs.shape[1]
    outcome = world.run(called, p, [make] * p, [case] * p)
    if outcome.findings:
        return {finding.kind.value for finding in outcome.findings}
    ys, left = (np.array([[one[i] for one in mine] for mine in outcome.results]).swapaxes(0, 1) for i in (0, 1))
    had = np.concatenate([np.zeros_like(left[:1]), left[:-1]]) + case.xs
    return {what for what, holds in told(ys, left, had, own) if not holds}


def told(ys: Any, left: Any, had: Any, own: bool) -> list[tuple[str, bool]]:
    """The statements on results, residuals and what was there before, each ``(calls, p, n)``, and whether they hold."""
    sums = ys[:, :1]
    cleared = (had != 0) & (left == 0)
    return [
        ("agreement", ys.tobytes() == np.broadcast_to(sums, ys.shape).copy().tobytes()),
        ("mass", np.array_equal(had.sum(1), ys[:, 0] + left.sum(1))),
        ("cleared or kept", not own or bool(((left == had) | (left == 0)).all())),
        ("the sum of what was cleared", not own or np.array_equal(np.where(cleared, had, 0).sum(1), ys[:, 0])),
    ]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FAMILY)
def test_no_mass_is_lost_or_doubled(name, case):
    """In steady calls as in those that find thresholds and bounds anew, for any number of ranks."""

    def make(comm: Any, n: int, k: int) -> Any:
        return made(comm, name, n, k)

    assert {p: faults(make, CASES[case](p), name not in CUT_SUMS) for p in RANKS} == {p: set() for p in RANKS}


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("name", [name for name in FAMILY if not sparring.page(name).composed])
def test_nor_with_another_selector(name, selector):
    """Of each that takes one: it decides what enters, and the rest waits, with what the algorithm cuts itself."""

    def make(comm: Any, n: int, k: int) -> Any:
        return made(comm, name, n, k, selector=selector, **SELECTORS[selector])

    found = {(case, p): faults(make, CASES[case](p), name not in CUT_SUMS) for case in SELECTED for p in (5,)}
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


class Right:
    """The correct twin of what follows: a few lines that no defect is planted in."""

    def __init__(self, comm: Any, n: int, k: int) -> None:
        self.comm, self.n, self.k, self.calls = comm, n, k, 0
        self.residual = np.zeros(n)

    def __call__(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        had, self.calls = self.residual + x, self.calls + 1
        kept = self.select(had)
        mine = np.zeros(self.n)
        mine[kept] = had[kept]
        y = self.total(mine)
        self.residual = self.rest(had, kept, y)
        return y

    def select(self, had: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.argsort(-abs(had), kind="stable")[: self.k]

    def total(self, mine: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        y = np.empty_like(mine)
        self.comm.Allreduce(mine, y)
        return y

    def rest(self, had: Any, kept: Any, y: Any) -> np.ndarray[Any, Any]:
        left = had.copy()
        left[kept] = 0
        return left


class ClearedUnsent(Right):
    """The last of the entries that are cleared is not sent."""

    def total(self, mine: Any) -> Any:
        return super().total(np.where(np.cumsum(mine != 0) == self.k, 0, mine))


class SentAndKept(Right):
    """In each second call nothing is cleared, as where sorted indices were taken for granted."""

    def rest(self, had: Any, kept: Any, y: Any) -> Any:
        return had if self.calls % 2 == 0 else super().rest(had, kept, y)


class ClearedForOthers(Right):
    """What any rank sent is cleared."""

    def rest(self, had: Any, kept: Any, y: Any) -> Any:
        return np.where(y != 0, 0, had)


class TiesByRank(Right):
    """Each rank cuts the sum once more, and of equal magnitudes the odd ones take the last."""

    def total(self, mine: Any) -> Any:
        y = super().total(mine)
        order = np.argsort(-abs(y), kind="stable") if self.comm.rank % 2 == 0 else np.argsort(-abs(y[::-1]))[::-1]
        y[order[self.k :]] = 0
        return y


class RestForgotten(Right):
    """Regions of n // p entries: those after the last are in none."""

    def total(self, mine: Any) -> Any:
        mine[self.n // self.comm.size * self.comm.size :] = 0
        return super().total(mine)


class NoFirstBound(Right):
    """Of no bounds between regions the first is asked for."""

    def total(self, mine: Any) -> Any:
        assert np.arange(1, self.comm.size)[0] == 1
        return super().total(mine)


class NoFirstEntry(Right):
    """Of no entries the first is asked for."""

    def select(self, had: Any) -> Any:
        kept = super().select(had)
        assert had[kept[0]] == had[kept[0]]
        return kept


class SilentWithNothing(Right):
    """A rank without entries leaves the exchange out."""

    def total(self, mine: Any) -> Any:
        return super().total(mine) if mine.any() else mine


class InPlace(Right):
    """The residual is added to the caller's own vector."""

    def __call__(self, x: Any) -> Any:
        x += self.residual
        self.residual[:] = 0
        return super().__call__(x)


DEFECTS = [
    (ClearedUnsent, "n is not divisible", 4, "mass"),
    (ClearedUnsent, "all magnitudes are equal", 3, "mass"),
    (SentAndKept, "n is not divisible", 4, "mass"),
    (ClearedForOthers, "n is not divisible", 4, "mass"),
    (TiesByRank, "all magnitudes are equal", 3, "agreement"),
    (RestForgotten, "n = 11, where 4 ranks leave a rest of 3", 4, "mass"),
    (NoFirstBound, "n is not divisible", 1, "raised"),
    (NoFirstEntry, "k = 0", 3, "raised"),
    (SilentWithNothing, "one rank has zeros", 3, "deadlock"),
    (InPlace, "n is not divisible", 3, "raised"),
]


@pytest.mark.parametrize(("planted", "case", "p", "fault"), DEFECTS)
def test_a_planted_defect_is_found(planted, case, p, fault):
    assert fault in faults(planted, CASES[case](p))


@pytest.mark.parametrize("case", CASES)
def test_the_correct_twin_passes(case):
    """What the defects are planted in."""
    assert {p: faults(Right, CASES[case](p)) for p in RANKS} == {p: set() for p in RANKS}


@pytest.mark.parametrize("name", FAMILY)
def test_a_rank_that_is_refused_takes_all_along(name):
    """A vector of another length on one rank: each rank raises, none is left waiting."""

    def target(comm: Any) -> str:
        reduces = made(comm, name, 8, 2)
        try:
            reduces(np.ones(8 - (comm.rank == 1)))
        except sparring.InputError as error:
            return str(error)
        return ""

    outcome = world.run(target, 3).raise_if_found()

    assert ["7 entries" in told for told in outcome.results] == [False, True, False]
    assert all("rank 1" in outcome.results[r] for r in (0, 2))


def far(reduces: Any) -> tuple[list[int], list[float]]:
    """Where the sum of vectors of 2^25 entries is not zero, and what it is at the odd places that were given."""
    n, last = 2**25 + 10, np.arange(2**25 - 5, 2**25 + 9, 2)
    x = np.zeros(n, np.float32)
    x[last] = 3
    y = reduces(n, 64)(x)
    found = y.dense() if hasattr(y, "dense") else y
    return np.flatnonzero(found).tolist(), found[last].tolist()


FAR = ([*range(2**25 - 5, 2**25 + 9, 2)], [6.0] * 7)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FAMILY[::4])
def test_a_region_beyond_what_float32_counts(name):
    """Odd indices above 2^24, which float32 cannot tell from even ones."""
    outcome = world.run(lambda comm: far(lambda n, k: made(comm, name, n, k)), 2).raise_if_found()

    assert outcome.results == [FAR] * 2


class Float32Indices(Right):
    """Indices travel as float32."""

    def select(self, had: Any) -> Any:
        return np.flatnonzero(had)

    def total(self, mine: Any) -> Any:
        kept = np.flatnonzero(mine)
        y = np.zeros_like(mine)
        np.add.at(y, kept.astype(np.float32).astype(np.int64), mine[kept])
        return super().total(y)


@pytest.mark.slow
@pytest.mark.parametrize(("planted", "right"), [(Float32Indices, False), (Right, True)])
def test_indices_as_float32_are_found(planted, right):
    outcome = world.run(lambda comm: far(lambda n, k: planted(comm, n, k)), 2).raise_if_found()

    assert (outcome.results == [FAR] * 2) == right
