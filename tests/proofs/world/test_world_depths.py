"""How much buffering a program needs, and the schedule that gives it the least that it may expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring.proofs.world.constants import ANY_SOURCE
from sparring.world import Kind, run, smallest_depth


def ahead(comm: Any, sends: list[int]) -> None:
    """Rank ``r`` sends ``sends[r]`` messages to the other of two ranks before it receives anything."""
    other = 1 - comm.rank
    for _ in range(sends[comm.rank]):
        comm.Send(np.zeros(1), other)
    for _ in range(sends[other]):
        comm.Recv(np.zeros(1), other)


def never(comm: Any) -> None:
    """Each of two ranks waits for the other."""
    comm.Recv(np.zeros(1), 1 - comm.rank)


@pytest.mark.parametrize(("sends", "depth"), [([0, 0], 0), ([0, 7], 0), ([1, 1], 1), ([3, 2], 2), ([5, 9], 5)])
def test_the_smallest_depth_is_the_smallest(sends: list[int], depth: int) -> None:
    """The rank with fewer messages ahead needs them buffered; one less is a deadlock, and any more is none."""
    assert smallest_depth(ahead, 2, [sends] * 2) == depth
    for tried in range(10):
        kinds = [finding.kind for finding in run(ahead, 2, [sends] * 2, buffers=tried).findings]
        assert kinds == ([Kind.DEADLOCK] if tried < depth else [])


def test_what_no_buffer_saves() -> None:
    """Two ranks that wait for each other's message hang however much MPI buffers."""
    assert smallest_depth(never, 2) is None


def first_heard(comm: Any) -> Any:
    """Rank 0 tells from whom it hears first."""
    if comm.rank:
        return comm.Send(np.full(1, float(comm.rank)), 0)
    heard = [np.zeros(1) for _ in range(comm.size - 1)]
    for y in heard:
        comm.Recv(y, ANY_SOURCE)
    return [int(y[0]) for y in heard]


def patient(comm: Any) -> int:
    """Rank 0 tells how often it has asked in vain for the message of rank 1."""
    if comm.rank:
        comm.Send(np.zeros(1), 0)
        return 0
    asked = 0
    while not comm.Iprobe(1):
        asked += 1
    comm.Recv(np.zeros(1), 1)
    return asked


def test_the_adversary_gives_what_is_least_expected() -> None:
    """Messages come in the reverse of the ranks' order, and a test returns nothing although there is a message."""
    usual, adverse = (run(first_heard, 4, scheduler=name).results[0] for name in ("round-robin", "adversarial"))
    assert (usual, adverse) == ([1, 2, 3], [3, 2, 1])
    usual, adverse = (run(patient, 2, scheduler=name).results[0] for name in ("round-robin", "adversarial"))
    assert usual == 0 < adverse
