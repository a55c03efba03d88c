"""Replicas over several calls: the page's own states after every sequence of patterns, in rationals.

Shard 0 of a few ranks is looked at, whose owner is rank 0 and whose mean is told; packets to the others may
be lost, those to the owner are not, so that the shard moves as the vectors say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from sparring.analysis.packet_loss.patterns import Pattern, Vector, call, patterns, slots
from sparring.spec.core.compositions import Memory
from sparring.spec.library.lossy_links import HANDING
from sparring.spec.lossy_two_shot import Params

RUNNING = Params(aggregator="ratio", lost=0, packet=10**6, running=1)
"""A shard that moves by its mean, in one packet."""
Steps: TypeAlias = Sequence[Vector]
"""The moves of shard 0, by call."""


class Walk(NamedTuple):
    """A sequence of patterns: its probability, and the page's state at its end."""

    probability: Fraction
    state: Any


def uncorrelated(calls: int) -> Steps:
    """Steps of length 1, at right angles: distances are those of uncorrelated ones of mean square 1, on average."""
    return [[Fraction(int(e == s)) for e in range(calls)] for s in range(calls)]


def constant(calls: int) -> Steps:
    """Steps of length 1, all alike: the farthest that bounded ones go."""
    return [[Fraction(1)]] * calls


Weighing = Callable[[Pattern | None, Pattern], Fraction]
"""The probability of a call's pattern, given that of the call before: None before the first."""


def independent(ranks: int, q: Fraction) -> Weighing:
    """Weigh patterns in which each packet is lost independently, in every call anew."""
    return lambda before, lost: q ** len(lost) * (1 - q) ** (ranks - 1 - len(lost))


def walks(steps: Steps, ranks: int, weighs: Weighing, params: Params = RUNNING) -> Iterator[Walk]:
    """Yield a Walk for each sequence of patterns of the packets from rank 0 to the others."""
    width = len(steps[0])
    some = slots(params, width * ranks, ranks, (HANDING,), [0])

    def onwards(walk: Walk, before: Pattern | None, left: Steps) -> Iterator[Walk]:
        if not left:
            yield walk
            return
        xs = [[*left[0], *[Fraction(0)] * (width * (ranks - 1))]] * ranks
        for _, lost in patterns(some, Fraction(1, 2)):
            probability = walk.probability * weighs(before, lost)
            yield from onwards(Walk(probability, call(xs, walk.state, params, lost)), lost, left[1:])

    return onwards(Walk(Fraction(1), None), None, steps)


def squared(state: Memory, i: int, j: int, width: int) -> Fraction:
    """Return the squared distance between two ranks' replicas of shard 0."""
    one, other = (state.replicas[r][:width] for r in (i, j))
    return sum(((x - y) ** 2 for x, y in zip(one, other)), Fraction(0))


class Drift(NamedTuple):
    """The mean squared distances after all calls: between a replica and its owner's shard, and between two replicas."""

    owner: Fraction
    pair: Fraction


def drift(steps: Steps, weighs: Weighing, ranks: int = 3) -> Drift:
    """Return the drift of ranks 0, 1 and 2, over all sequences of patterns."""
    found, width = [*walks(steps, ranks, weighs)], len(steps[0])
    owner, pair = (
        sum((one.probability * squared(one.state, *ends, width) for one in found), Fraction(0))
        for ends in ((0, 1), (1, 2))
    )
    return Drift(owner, pair)


def ages(state: Memory) -> list[int]:
    """Return how many calls old each rank's replica of shard 0 is, by rank."""
    return [state.call - rank[0][0] for rank in state.versions]
