"""Finds how much MPI must buffer for a run to come to its end.

Where one does with synchronous sends, it does with any buffers, as proved in ``proofs/coq``.  Where
it deadlocks then, the smallest depth of buffers that saves it says how unsafe it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sparring.world import simulation
from sparring.world.core.findings import Kind, Outcome
from sparring.world.targets import Target

HANGS = (Kind.DEADLOCK, Kind.LIVELOCK, Kind.BUDGET)


def smallest_depth(target: Target, p: int, *per_rank_args: Sequence[Any], **options: Any) -> int | None:
    """Return how many messages of each channel MPI must copy so that ``target`` comes to its end.

    0: it needs no buffers at all; None: it hangs with any.  A channel is a source, a destination
    and a communicator.  Arguments are those of ``run``, but for ``buffers``; they must not be changed
    by the target.  Where MPI leaves the program a choice, this holds for the run of that schedule.

    >>> import numpy as np
    >>> def twice(comm):
    ...     for _ in range(2):
    ...         comm.Send(np.zeros(1), 1 - comm.rank)
    ...     for _ in range(2):
    ...         comm.Recv(np.zeros(1), 1 - comm.rank)
    >>> smallest_depth(twice, 2)
    2
    """

    def outcome(buffers: str | int) -> Outcome:
        return simulation.run(target, p, *per_rank_args, buffers=buffers, **options)

    buffered = outcome("unbounded")
    if hangs(buffered):
        return None
    return smallest(lambda depth: not hangs(outcome(depth)), fullest(buffered))


def hangs(outcome: Outcome) -> bool:
    """Return whether the run came to no end."""
    return any(finding.kind in HANGS for finding in outcome.findings)


def fullest(outcome: Outcome) -> int:
    """Return the most messages of any channel: a depth that is as good as no limit."""
    return max(Counter((sent.src, sent.dst, sent.context) for sent in outcome.messages).values(), default=0)


def smallest(ends: Callable[[int], bool], enough: int) -> int:
    """Return the smallest depth at which a run ``ends``; it ends at every larger depth, and with ``enough``."""
    return bisect_left(range(enough), x=True, key=ends)
