"""How fast sparse vectors are summed by the ring allgather, beside the MPI library's dense allreduce, on float32.

    mpiexec -n 2 python benchmarks/ring_allgather.py [--size 10000000] [--density 0.001 0.01 0.1] [--rounds 15] [--json]

For each density every rank keeps its largest entries.  Three things are timed in turns, each on
its own: selecting them from the dense vector, summing given sparse vectors, and ``comm.Allreduce``
of the dense ones.  A time is that of the slowest rank.  The sparse sum is compared with the
library's dense sum of the same entries, within the rigorous bound for sums in any order.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from sparring import Sparse
from sparring.impl import ring_allgather
from sparring.impl.core.selection import top

Floats = NDArray[np.float32]
WARMUP = 2


def main() -> None:
    options = arguments()
    comm = MPI.COMM_WORLD
    x = np.random.default_rng(comm.rank).standard_normal(options.size).astype(np.float32)
    rows = [measured(comm, x, density, options.rounds) for density in options.density]
    if comm.rank == 0:
        report(rows, options.json)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="the ring allgather of sparse vectors beside comm.Allreduce")
    parser.add_argument("--size", type=int, default=10_000_000, help="entries of the dense float32 vector")
    parser.add_argument("--density", type=float, nargs="+", default=[0.001, 0.01, 0.1], help="the part that is kept")
    parser.add_argument("--rounds", type=int, default=15, help="rounds measured, after two for warming up")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args()


def measured(comm: MPI.Intracomm, x: Floats, density: float, rounds: int) -> dict[str, float]:
    """Medians over the rounds, in milliseconds."""
    k = round(density * x.size)
    kept, dense = top(x, k), np.empty_like(x)
    calls = (
        lambda: top(x, k),
        lambda: ring_allgather.allreduce(comm, kept),
        lambda: comm.Allreduce(x, dense),
    )
    times = np.array([[slowest(comm, f) for f in calls] for _ in range(rounds + WARMUP)])[WARMUP:]
    check(comm, kept)
    selection, sparse, allreduce = (1e3 * np.median(times, axis=0)).tolist()
    return {
        "ranks": comm.size, "size": x.size, "density": density, "rounds": rounds,
        "selection_ms": selection, "ring_allgather_ms": sparse, "allreduce_ms": allreduce,
        "ratio": float(np.median(times[:, 2] / times[:, 1])),
        "ratio_with_selection": float(np.median(times[:, 2] / times[:, :2].sum(axis=1))),
    }  # fmt: skip


def slowest(comm: MPI.Intracomm, call: Callable[[], Any]) -> float:
    """Seconds from a common start until the last rank is through."""
    comm.Barrier()
    start = time.perf_counter()
    call()
    return float(comm.allreduce(time.perf_counter() - start, MPI.MAX))


def check(comm: MPI.Intracomm, x: Sparse) -> None:
    """Ours is within gamma_{p-1} sum |x| of the exact sum [Higham 2002, section 4.2], and one on all ranks."""
    ours = ring_allgather.allreduce(comm, x).dense()
    first = ours.copy()
    comm.Bcast(first)
    assert np.array_equal(first.view(np.int32), ours.view(np.int32)), f"rank {comm.rank} has other bits than rank 0"
    exact = x.dense().astype(np.float64)
    size = np.abs(exact)
    comm.Allreduce(MPI.IN_PLACE, exact)
    comm.Allreduce(MPI.IN_PLACE, size)
    slack = (gamma(comm.size - 1, np.float32) + gamma(comm.size, np.float64)) * size  # "exact" rounds as well
    assert (np.abs(ours - exact) <= slack).all(), "the sparse sum is off by more than rounding allows"


def gamma(k: int, dtype: Any) -> float:
    """The relative error of ``k`` roundings is at most this."""
    u = float(np.finfo(dtype).eps) / 2
    return k * u / (1 - k * u)


def report(rows: list[dict[str, float]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows))
        return
    first = rows[0]
    print(f"{first['ranks']} ranks, {first['size']} float32, {first['rounds']} rounds, medians in ms")
    print(f"{'density':>8}{'selection':>12}{'ring_allgather':>16}{'comm.Allreduce':>16}{'times as fast':>15}")
    for row in rows:
        print(
            f"{row['density']:8.3%}{row['selection_ms']:12.2f}{row['ring_allgather_ms']:16.2f}"
            f"{row['allreduce_ms']:16.2f}{row['ratio']:15.2f}"
        )


if __name__ == "__main__":
    main()
