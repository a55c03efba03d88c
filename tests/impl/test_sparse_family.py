"""What no run of one algorithm on short vectors shows: several instances in turns, and sums of indices beyond 32 bits.

A lossless one gets its entries from a selector, and what is not selected waits (error feedback); one
that selects by itself keeps its own residual.  Each planted defect is one that published code has.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl import oktopk
from sparring.verification.algorithm import find_target

FAMILY = [
    page.name
    for page in map(sparring.page, sparring.pages())
    if page.listed and page.collective == "allreduce" and find_target(page)
]
PERIODS = {"tau": 3, "tau_prime": 2}
"""Where thresholds and bounds are kept for some calls: short ones, so that calls of all kinds are among the first."""


def impl(name: str) -> Any:
    """A module, imported by the rank that is running: each has its own."""
    return import_module(f"sparring.impl.{name}")


def made(comm: Any, name: str, n: int, k: int) -> Any:
    """The algorithm as what all of them are here: a class that is called with vectors and keeps a residual."""
    page = sparring.page(name)
    if not page.stateful:
        return impl("error_feedback").ErrorFeedback(comm, n, k=k, allreduce=name)
    periods = {letter: calls for letter, calls in PERIODS.items() if letter in page.params}
    return impl(name).Allreduce(comm, n, k=k, **periods)


def dense(y: Any) -> Any:
    return y.dense() if hasattr(y, "dense") else y


SIZES = ((53, 9), (30, 4))
"""Entries of the vectors of two layers, and how many are sent."""


def told(target: Any, rank: int, n: int, call: int) -> bytes:
    """What comes of a call with a vector of whole numbers, and what waits after it."""
    x = np.random.default_rng([rank, n, call]).integers(-(2**40), 2**40, n).astype(float)
    return dense(target(x)).tobytes() + target.residual.tobytes()


def in_turns(comm: Any, make: Any) -> list[list[bytes]]:
    """What two instances return and keep that are called in turns."""
    targets = [(make(comm, n, k), n) for n, k in SIZES]
    calls = [[told(target, comm.rank, n, i) for target, n in targets] for i in range(4)]
    return [[*one] for one in zip(*calls)]


def one_by_one(comm: Any, make: Any) -> list[list[bytes]]:
    """The same, where the second begins after the first has ended."""
    ended = []
    for n, k in SIZES:
        target = make(comm, n, k)
        ended.append([told(target, comm.rank, n, i) for i in range(4)])
    return ended


def alike(make: Any) -> bool:
    """Whether both ways come to the same bits."""
    ran = [world.run(way, 3, [make] * 3).raise_if_found().results for way in (in_turns, one_by_one)]
    return ran[0] == ran[1]


@pytest.mark.parametrize("name", FAMILY)
def test_several_vectors_do_not_meet(name):
    """Gradients of two layers, each with a target of its own on one communicator."""
    assert alike(lambda comm, n, k: made(comm, name, n, k))


def test_a_residual_that_is_shared_is_seen():
    """One list for all instances of a rank, as a variable of a class is."""

    def make(comm: Any, n: int, k: int) -> Any:
        ring, kept = made(comm, "ring_topk", n, k), comm.__dict__.setdefault("kept", [0.0])

        class Counting:
            residual = property(lambda self: ring.residual)

            def __call__(self, x: Any) -> Any:
                kept[0] += 1
                return ring(x * kept[0])

        return Counting()

    assert not alike(make)


FAR = 2**31 - 5
"""Four such indices add up to more than 32 bits hold."""


def bounds(comm: Any, agreed: Any) -> list[int]:
    at = np.array([FAR - 8 + comm.rank, FAR - 4, FAR, FAR + 1], np.int64)
    return list(agreed(comm, at, 2**31))


def narrow(comm: Any, at: Any, n: int) -> Any:
    """Planted: the sum of the bounds in 32 bits, as published code has it."""
    p = comm.Get_size()
    proposed = at[[oktopk.share(c, at.size, p) for c in range(1, p)]].astype(np.int32)
    summed = np.empty_like(proposed)
    comm.Allreduce(proposed, summed)
    return np.concatenate([[0], summed // p, [n]])


def test_bounds_beyond_32_bits_are_the_means():
    right = [0, FAR - 4, FAR, FAR + 1, 2**31]

    def ours(comm: Any) -> list[int]:
        return bounds(comm, impl("oktopk").agreed)

    assert world.run(ours, 4).raise_if_found().results == [right] * 4
    assert world.run(lambda comm: bounds(comm, narrow), 4).raise_if_found().results != [right] * 4
