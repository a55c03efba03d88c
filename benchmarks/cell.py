"""One cell of the benchmark, on each rank; ``allreduce.py`` starts it and says what is to be measured.

All are timed in turns, in an order that is shuffled anew for each round.  A time runs from a
barrier until the slowest rank is through.  A class gets a new vector in each call; it is timed once
more without other ranks, which is what adding to its residual and selecting take.

In the end each result of the last round is compared with the sum of what its algorithm was given,
within the rigorous bound for sums in any order.
"""

from __future__ import annotations

import inspect
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from sparring.checks.ranks import target as targets
from sparring.errors import Refuted
from sparring.impl.core.selection import top
from sparring.sparse import Sparse

Call = Callable[[], Any]
ALLREDUCE, SELECTION = "comm.Allreduce", "selection"
ALONE = " alone"
"""So ends the name of a class that is timed without other ranks."""
WARMUP, LEAST = 2, 3
"""Rounds that are thrown away, and the fewest that are kept."""
SETTLED = 96
"""Calls after which thresholds and residuals have come to terms, where a class keeps thresholds for some calls."""
APART, WINDOWS = 11, 4096
"""So many vectors are cut out of one, each beginning so many entries after the one before."""


class Input(NamedTuple):
    """What this rank has: a dense vector, the largest entries of it, and a longer one that it is the beginning of."""

    dense: NDArray[np.float32]
    kept: Sparse
    more: NDArray[np.float32]

    @classmethod
    def drawn(cls, rank: int, n: int, density: float) -> Input:
        """Independent normal numbers."""
        more = np.random.default_rng(rank).standard_normal(n + APART * WINDOWS, np.float32)
        return cls(more[:n], top(more[:n], max(1, round(density * n))), more)

    def windows(self) -> Iterator[NDArray[np.float32]]:
        """Vectors that differ from call to call at each index."""
        return (self.more[i : i + self.dense.size] for i in cycle(range(0, APART * WINDOWS, APART)))


class Rival(NamedTuple):
    """A target: a function of the dense vector or, ``sparse``, of its largest entries; or a class."""

    name: str
    target: Any
    sparse: bool

    @property
    def stateful(self) -> bool:
        """Whether it is a class, ``T(comm, n, k=…)``, that selects by itself and keeps what it leaves out."""
        return isinstance(self.target, type)

    def reduces(self, given: Input) -> NDArray[np.float32] | Sparse:
        """What it is called with."""
        return given.kept if self.sparse and not self.stateful else given.dense

    def call(self, comm: MPI.Intracomm, given: Input) -> Call:
        """What is timed; where the target takes ``out``, memory is there beforehand, as for ``comm.Allreduce``."""
        if self.stateful:
            return self.again(comm, given)
        x = self.reduces(given)
        outside = isinstance(x, np.ndarray) and "out" in inspect.signature(self.target).parameters
        return partial(self.target, comm, x, **({"out": np.empty_like(x)} if outside else {}))

    def again(self, comm: MPI.Intracomm, given: Input) -> Call:
        """An instance that is called with one vector after the other, and has settled."""
        instance, windows = self.made(comm, given), given.windows()

        def call() -> Any:
            return instance(next(windows))

        for _ in range(SETTLED if "tau_prime" in inspect.signature(self.target).parameters else 0):
            call()
        return call

    def made(self, comm: MPI.Intracomm, given: Input) -> Any:
        """A new instance of a class."""
        return self.target(comm, given.dense.size, k=len(given.kept))

    def compare(self, comm: MPI.Intracomm, given: Input, result: Any) -> None:
        """Raises Refuted unless ``result`` is right.

        A class has a past, so a new instance is called once; what it left out of its result lies
        in the ranks' ``residual``, and with that it must come to the sum of the dense vectors.
        """
        rest = None
        if self.stateful:
            fresh = self.made(comm, given)
            result = fresh(given.dense)
            rest = getattr(fresh, "residual", None)
        compare(comm, self.name, array(self.reduces(given)), array(result), rest)


def main() -> None:
    comm = MPI.COMM_WORLD
    job = json.loads(sys.argv[1])
    given = Input.drawn(comm.rank, job["size"], job["density"])
    x = given.dense
    rivals = [Rival(one["name"], targets.load(one["target"]), one["sparse"]) for one in job["algorithms"]]
    calls: dict[str, Call] = {ALLREDUCE: library(comm, x), SELECTION: partial(top, x, len(given.kept))}
    calls |= {rival.name: rival.call(comm, given) for rival in rivals}
    calls |= {rival.name + ALONE: rival.again(MPI.COMM_SELF, given) for rival in rivals if rival.stateful}
    times, results = timed(comm, calls, job["seconds"], job["rounds"])
    compare(comm, ALLREDUCE, x, results[ALLREDUCE])
    for rival in rivals:
        rival.compare(comm, given, results[rival.name])
    if comm.rank == 0:
        Path(job["out"]).write_text(json.dumps(summary([*calls], times)), encoding="utf-8")


def library(comm: MPI.Intracomm, x: NDArray[np.float32]) -> Call:
    """The MPI library's allreduce, as a function that returns its result."""
    out = np.empty_like(x)

    def call() -> NDArray[np.float32]:
        comm.Allreduce(x, out)
        return out

    return call


def timed(
    comm: MPI.Intracomm, calls: Mapping[str, Call], seconds: float, most: int
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Seconds until the slowest rank was through, a row a round and a column a call, and the last results.

    At most ``most`` rounds, fewer when ``seconds`` are over, but at least ``LEAST`` where ``most`` allows.
    """
    shuffle = np.random.default_rng(0)  # the same on all ranks, so that all call in one order
    results: dict[str, Any] = {}
    rows: list[list[float]] = []
    for _ in range(WARMUP):
        one_round(comm, calls, shuffle, results)
    end = time.monotonic() + seconds
    while comm.bcast(len(rows) < most and (len(rows) < LEAST or time.monotonic() < end)):
        rows.append(one_round(comm, calls, shuffle, results))
    times = np.array(rows)
    comm.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
    return times, results


def one_round(
    comm: MPI.Intracomm, calls: Mapping[str, Call], shuffle: np.random.Generator, results: dict[str, Any]
) -> list[float]:
    """This rank's seconds for each call from a common start; what they return goes to ``results``."""
    names, seconds = [*calls], dict.fromkeys(calls, 0.0)
    for i in shuffle.permutation(len(names)):
        name = names[i]
        comm.Barrier()
        start = time.perf_counter()
        result = calls[name]()
        seconds[name] = time.perf_counter() - start
        results[name] = result
    return [*seconds.values()]


def compare(comm: MPI.Intracomm, name: str, x: NDArray[Any], y: NDArray[Any], rest: Any = None) -> None:
    """Raises Refuted unless ``y`` is the sum of all ranks' ``x``, the same bits on every rank.

    With a ``rest`` on each rank, ``y`` and all rests together are.  Within gamma_{p-1} sum |x| of
    the exact sum, which is right for any order of adding [Higham 2002, section 4.2].
    """
    if (y.shape, y.dtype) != (x.shape, x.dtype):
        raise Refuted(f"{name}: rank {comm.rank} got {y.dtype} of shape {y.shape}, not {x.dtype} of {x.shape}")
    first = y.copy()
    comm.Bcast(first)
    if not np.array_equal(first.view(np.int32), y.view(np.int32)):
        raise Refuted(f"{name}: rank {comm.rank} has other bits than rank 0")
    exact = x.astype(np.float64)
    size = np.abs(exact)
    if rest is not None:
        exact -= array(rest)
    comm.Allreduce(MPI.IN_PLACE, exact)
    comm.Allreduce(MPI.IN_PLACE, size)
    slack = (gamma(comm.size - 1, np.float32) + gamma(2 * comm.size + 2, np.float64)) * size  # "exact" rounds as well
    off = ~(np.abs(y - exact) <= slack)  # NaN is off as well
    if off.any():
        at = int(off.argmax())
        raise Refuted(f"{name}: entry {at} is {y[at]!r} where {exact[at]!r} is right, more than rounding explains")


def array(y: Any) -> NDArray[Any]:
    """A result, dense or sparse, as a dense array."""
    return y.dense() if isinstance(y, Sparse) else np.asarray(y)


def gamma(k: int, dtype: Any) -> float:
    """The relative error of ``k`` roundings is at most this."""
    u = float(np.finfo(dtype).eps) / 2
    return k * u / (1 - k * u)


def summary(names: list[str], times: NDArray[np.float64]) -> dict[str, Any]:
    """Quartiles over the rounds: seconds, and how many times as fast as the library in the same round."""
    every = dict(zip(names, times.T))
    alone = {name.removesuffix(ALONE): column for name, column in every.items() if name.endswith(ALONE)}
    seconds = {name: column for name, column in every.items() if not name.endswith(ALONE)}
    ratios = {name: seconds[ALLREDUCE] / column for name, column in seconds.items() if name != SELECTION}
    vendor, release = MPI.get_vendor()
    return {
        "mpi": f"{vendor} {'.'.join(map(str, release))}",
        "rounds": len(times),
        "seconds": {name: quartiles(column) for name, column in seconds.items()},
        "alone": {name: quartiles(column) for name, column in alone.items()},
        "ratios": {name: quartiles(column) for name, column in ratios.items()},
    }


def quartiles(values: NDArray[np.float64]) -> list[float]:
    """The lower quartile, the median and the upper quartile, to four digits."""
    return [float(f"{value:.4g}") for value in np.percentile(values, [25, 50, 75])]


if __name__ == "__main__":
    main()
