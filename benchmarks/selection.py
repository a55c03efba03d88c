"""How long the selectors take, beside ``numpy.sort`` and ``numpy.argpartition`` of the magnitudes, on float32.

    python benchmarks/selection.py [--size 10000000] [--k 100000] [--rounds 15]

In turns; beside the medians stands the median of the ratios to the sort of the same round.
``argpartition`` is timed with and without making the magnitudes; it leaves ties to chance and its
indices unsorted, and a sort of values has no indices at all.  A threshold is timed where it is
evaluated and where it is reused.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sparring.impl.selectors import gaussian, sampled, threshold, topk

SORT = "sort of magnitudes"


def main() -> None:
    options = arguments()
    x = np.random.default_rng(0).standard_normal(options.size).astype(np.float32)
    calls = contenders(x, options.k)
    for call in calls.values():
        call()
    times = np.array([[seconds(call) for call in calls.values()] for _ in range(options.rounds)])
    ratios = times / times[:, [list(calls).index(SORT)]]
    print(f"{options.k} of {options.size} float32, {options.rounds} rounds, medians")
    for name, median, ratio in zip(calls, np.median(times, axis=0), np.median(ratios, axis=0)):
        print(f"{name:24}{1e3 * median:8.2f} ms{ratio:8.2f} of the sort")


def contenders(x: np.ndarray[Any, np.dtype[np.float32]], k: int) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    size, least = np.abs(x), max(0, x.size - k)
    reused = threshold.Selector(k=k, period=1 << 62)
    calls: dict[str, Callable[[], Any]] = {
        SORT: lambda: np.sort(np.abs(x)),
        "argpartition": lambda: np.argpartition(size, least),
        "abs and argpartition": lambda: np.argpartition(np.abs(x), least),
        "topk": lambda: topk.Selector(k=k)(x),
        "threshold, evaluated": lambda: threshold.Selector(k=k)(x),
        "threshold, reused": lambda: reused(x),
        "sampled": lambda: sampled.Selector(k=k)(x),
        "gaussian": lambda: gaussian.Selector(k=k)(x),
    }
    return calls


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="selectors beside numpy.sort and numpy.argpartition")
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
