"""Measures the memory of an implementation's arrays: the most that they hold at once, in bytes.

Python's own ``tracemalloc`` says which line made an array that is still there.  It is asked whenever
the simulated world goes from one rank to another, hence wherever a rank waits; what counts is what
lines of ``impl`` made on any rank, garbage in cycles included.  Arrays have as many bytes on every
machine, and the world's schedule is always the same, so these are numbers to compare.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import greenlet
import numpy as np

from sparring import impl, sparse_lists
from sparring.refinement.differential import accepted, called, in_place, options
from sparring.refinement.observing import Call
from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.world import simulation

MEASURED = (2, 3, 4)
"""Numbers of ranks."""
N = 102  # entries: so many that a vector outweighs all that ranks tell each other of their arguments
FRAMES = 4  # from numpy's own code back to the line that called it
OURS, NUMPY = (str(Path(str(package.__file__)).parent) for package in (impl, np))


def held(page: Page, target: str, among: Sequence[int] = MEASURED) -> dict[str, int]:
    """Return the most bytes that arrays of ``target``, or of the function beside a class, hold at once, by example.

    ``among``: numbers of ranks.
    """
    function = f"{target.partition(':')[0]}:{page.collective}"
    given = options(page, function)
    calls: dict[str, Call] = {"": called}
    if "out" in accepted(function):
        calls["in place, "] = in_place
    told = "".join(f" {name}={value}" for name, value in given.items())
    return {
        f"{what}p={ranks}{told}, {which}": most(function, xs, partial(call, **given))
        for ranks in among
        for which, xs in inputs(page, ranks).items()
        for what, call in calls.items()
    }


def inputs(page: Page, ranks: int) -> dict[str, list[Any]]:
    """Return vectors for so many ranks, by a description in words."""
    xs = [np.arange(1.0, N + 1) + r for r in range(ranks)]
    if not page.sparse:
        return {f"{N} entries": xs}
    half = N // ranks // 2
    first = [slice(r * half, (r + 1) * half) if r < 2 else slice(0) for r in range(ranks)]
    return {
        f"parts of {N} entries": sparse_lists.page_inputs(page, xs),
        "the first chunk alone": [Sparse(np.arange(N)[s], x[s], N) for s, x in zip(first, xs)],
    }


def most(function: str, xs: list[Any], call: Call) -> int:
    """Return the most bytes held at once in one run; raises RankFailed or Refuted where it ends with a finding."""
    with watched() as samples:
        simulation.run(function, len(xs), xs, call=call).raise_if_found()
    return max(samples)


@contextmanager
def watched() -> Iterator[list[int]]:
    """Append the bytes that arrays of ``impl`` hold to the list, whenever another greenlet goes on."""
    samples: list[int] = []
    before, collecting = greenlet.settrace(lambda *_: samples.append(sum(ours()))), gc.isenabled()
    gc.disable()  # when cycles are looked for depends on what else the process does
    tracemalloc.start(FRAMES)
    try:
        yield samples
    finally:
        greenlet.settrace(before)
        tracemalloc.stop()
        if collecting:
            gc.enable()


def ours() -> Iterator[int]:
    """Yield the bytes of each array that a line of ``impl`` has made."""
    for trace in tracemalloc.take_snapshot().traces:
        if trace.domain == np.lib.tracemalloc_domain:
            lines = (frame.filename for frame in reversed(trace.traceback))  # the last call first
            if next((file for file in lines if not file.startswith(NUMPY)), "").startswith(OURS):
                yield trace.size


def wasted(usual: dict[str, int], now: dict[str, int]) -> Iterator[str]:
    """Yield the examples that take more memory than usual, in words."""
    for what, size in usual.items():
        if now[what] > size:
            yield f"{what}: arrays hold {now[what]} bytes at once, and {size} would do"
