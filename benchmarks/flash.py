"""Flash Communication beside ``comm.Allreduce``, and how fast a core codes and reads, on float32.

    mpiexec -n 4 python benchmarks/flash.py [--size 10000000] [--rounds 15]
    python benchmarks/flash.py

In turns: beside the medians stands the median of the ratios to the Allreduce of the same round, and how many
bytes a rank sends, beside those of a ring.  On one rank, where nothing is sent, it is timed how fast that
core codes and reads, in bytes of the vector.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from mpi4py import MPI

from sparring.impl import flash
from sparring.impl.codecs.group_quantiser import Quantiser

LIBRARY = "comm.Allreduce"
WAYS: Mapping[str, Mapping[str, int]] = {
    "8 bits": {},
    "4 and 8 bits": {"b1": 4},
    "4 bits": {"b1": 4, "b2": 4},
    "6 bits": {"b1": 6, "b2": 6},
    "2 bits, spikes, g=32": {"b1": 2, "b2": 2, "g": 32, "spikes": 1},
}


def main() -> None:
    options, comm = arguments(), MPI.COMM_WORLD
    x = np.random.default_rng(comm.rank).standard_normal(options.size).astype(np.float32)
    if comm.size == 1:
        for name, way in WAYS.items():
            coding, reading = rates(x, way, options.rounds)
            print(f"{name:22}{coding:9.2f} GB/s coding{reading:9.2f} GB/s reading")
        return
    calls = contenders(comm, x)
    for call in calls.values():
        call()
    times = np.array([[seconds(comm, call) for call in calls.values()] for _ in range(options.rounds)])
    if comm.rank == 0:
        ratios = times / times[:, [list(calls).index(LIBRARY)]]
        print(f"{options.size} float32, p = {comm.size}, {options.rounds} rounds, medians")
        for name, median, ratio in zip(calls, np.median(times, axis=0), np.median(ratios, axis=0)):
            size = sent(comm.size, x, WAYS.get(name))
            print(f"{name:22}{1e3 * median:9.1f} ms{ratio:7.2f} of {LIBRARY}{size / 1e6:9.2f} MB a rank")


def contenders(comm: MPI.Intracomm, x: np.ndarray[Any, np.dtype[np.float32]]) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    y = np.empty_like(x)
    calls: dict[str, Callable[[], Any]] = {LIBRARY: lambda: comm.Allreduce(x, y)}
    for name, way in WAYS.items():
        calls[name] = lambda way=way: flash.allreduce(comm, x, out=y, **way)
    return calls


def made(x: np.ndarray[Any, np.dtype[np.float32]], way: Mapping[str, int], bits: str) -> Quantiser:
    """The quantiser of the step with this parameter."""
    return Quantiser(x.dtype, bits=way.get(bits, 8), g=way.get("g", 128), spikes=bool(way.get("spikes", 0)))


def sent(p: int, x: np.ndarray[Any, np.dtype[np.float32]], way: Mapping[str, int] | None) -> int:
    """How many bytes rank 0 sends, of chunks of one length; by the library those of a ring."""
    c = x.size // p
    if way is None:
        return 2 * (p - 1) * c * x.itemsize
    return (p - 1) * sum(made(x, way, bits).size(c) for bits in ("b1", "b2"))


def rates(x: np.ndarray[Any, np.dtype[np.float32]], way: Mapping[str, int], rounds: int) -> tuple[float, float]:
    """Coding and reading, in GB/s of the vector: of all rounds the median."""
    first = made(x, way, "b1")
    message, y = np.empty(first.size(x.size), np.uint8), np.empty_like(x)
    times = [(timed(lambda: first.encode(x, message)), timed(lambda: first.decode(message, y))) for _ in range(rounds)]
    coding, reading = np.median(times, axis=0)
    return x.nbytes / coding / 1e9, x.nbytes / reading / 1e9


def seconds(comm: MPI.Intracomm, call: Callable[[], Any]) -> float:
    """From when all ranks are there until all are done."""
    comm.Barrier()
    start = time.perf_counter()
    call()
    comm.Barrier()
    return time.perf_counter() - start


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Flash Communication beside the library's allreduce")
    parser.add_argument("--size", type=int, default=10_000_000, help="entries of the vector")
    parser.add_argument("--rounds", type=int, default=15)
    return parser.parse_args()


if __name__ == "__main__":
    main()
