"""How fast the ring is beside the MPI library's own allreduce, on float32.

    mpiexec -n 2 python benchmarks/ring.py [--size 10000000] [--pairs 25] [--json]

One after the other, in turns, each on preallocated arrays; a time is that of the slowest rank.
The results are compared with the rigorous bound for sums in any order, and with each other.
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

from sparring.impl import ring

Floats = NDArray[np.float32]
WARMUP = 2


def main() -> None:
    options = arguments()
    comm = MPI.COMM_WORLD
    x = np.random.default_rng(comm.rank).standard_normal(options.size).astype(np.float32)
    theirs, ours = np.empty_like(x), np.empty_like(x)
    rivals = (
        lambda: comm.Allreduce(x, theirs),
        lambda: ring.allreduce(comm, x, out=ours, validate=not options.trust),
    )
    times = np.array([[slowest(comm, f) for f in rivals] for _ in range(options.pairs + WARMUP)])[WARMUP:]
    check(comm, x, theirs, ours)
    if comm.rank == 0:
        report(summary(comm, x, times), options.json)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="the ring beside comm.Allreduce")
    parser.add_argument("--size", type=int, default=10_000_000, help="entries of the float32 vector")
    parser.add_argument("--pairs", type=int, default=25, help="pairs measured, after two for warming up")
    parser.add_argument("--trust", action="store_true", help="leave out the exchange of dtype and length")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args()


def slowest(comm: MPI.Intracomm, call: Callable[[], Any]) -> float:
    """Seconds from a common start until the last rank is through."""
    comm.Barrier()
    start = time.perf_counter()
    call()
    return float(comm.allreduce(time.perf_counter() - start, MPI.MAX))


def check(comm: MPI.Intracomm, x: Floats, theirs: Floats, ours: Floats) -> None:
    """Both are within gamma_{p-1} sum |x| of the exact sum [Higham 2002, section 4.2], and ours is one on all ranks."""
    exact, size = x.astype(np.float64), np.abs(x.astype(np.float64))
    comm.Allreduce(MPI.IN_PLACE, exact)
    comm.Allreduce(MPI.IN_PLACE, size)
    first = ours.copy()
    comm.Bcast(first)
    assert np.array_equal(first.view(np.int32), ours.view(np.int32)), f"rank {comm.rank} has other bits than rank 0"
    for name, y in (("Allreduce", theirs), ("ring", ours)):
        slack = (gamma(comm.size - 1, np.float32) + gamma(comm.size, np.float64)) * size  # "exact" rounds as well
        assert (np.abs(y - exact) <= slack).all(), f"{name} is off by more than rounding allows"


def gamma(k: int, dtype: Any) -> float:
    """The relative error of ``k`` roundings is at most this."""
    u = float(np.finfo(dtype).eps) / 2
    return k * u / (1 - k * u)


def summary(comm: MPI.Intracomm, x: Floats, times: NDArray[np.float64]) -> dict[str, float]:
    """Medians: milliseconds, billions of bytes of the vector a second, and the ratio pair by pair."""
    theirs, ours = np.median(times, axis=0)
    return {
        "ranks": comm.size,
        "size": x.size,
        "pairs": len(times),
        "allreduce_ms": 1e3 * theirs,
        "ring_ms": 1e3 * ours,
        "allreduce_gbs": x.nbytes / theirs / 1e9,
        "ring_gbs": x.nbytes / ours / 1e9,
        "ratio": float(np.median(times[:, 0] / times[:, 1])),
    }


def report(s: dict[str, float], as_json: bool) -> None:
    if as_json:
        print(json.dumps(s))
        return
    print(f"{s['ranks']} ranks, {s['size']} float32, {s['pairs']} pairs, medians")
    print(f"{'':16}{'ms':>10}{'GB/s':>10}")
    print(f"{'comm.Allreduce':16}{s['allreduce_ms']:10.3f}{s['allreduce_gbs']:10.2f}")
    print(f"{'ring':16}{s['ring_ms']:10.3f}{s['ring_gbs']:10.2f}")
    print(f"ring is {s['ratio']:.2f} times as fast")


if __name__ == "__main__":
    main()
