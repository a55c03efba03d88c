"""How long the exact selection of the largest entries takes, beside ``numpy.argpartition``, on float32.

    python benchmarks/selection.py [--size 10000000] [--k 100000] [--rounds 15]

In turns.  ``argpartition`` is given the magnitudes, and is timed with and without making them; it
leaves ties to chance and its indices unsorted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sparring.impl.core.selection import top


def main() -> None:
    options = arguments()
    x = np.random.default_rng(0).standard_normal(options.size).astype(np.float32)
    size, least = np.abs(x), options.size - options.k
    calls = {
        "top, exact": lambda: top(x, options.k),
        "argpartition": lambda: np.argpartition(size, least),
        "abs and argpartition": lambda: np.argpartition(np.abs(x), least),
    }
    times = np.array([[seconds(call) for call in calls.values()] for _ in range(options.rounds)])
    print(f"{options.k} of {options.size} float32, {options.rounds} rounds, medians")
    for name, median in zip(calls, np.median(times, axis=0)):
        print(f"{name:22}{1e3 * median:8.2f} ms")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="exact top-k selection beside numpy.argpartition")
    parser.add_argument("--size", type=int, default=10_000_000, help="entries of the vector")
    parser.add_argument("--k", type=int, default=100_000, help="entries that are kept")
    parser.add_argument("--rounds", type=int, default=15)
    return parser.parse_args()


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
