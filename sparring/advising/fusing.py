"""Groups layers to reduce together: few enough for backpropagation to go on beside, and not too small."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from sparring.advising.measuring import Measured, Profile, together
from sparring.advising.spending import Derived, Place, Spent, spent

STARTUP = Fraction(1, 10)  # of a bucket's time; our own choice


class Plan(NamedTuple):
    """Layers reduced together, bucket by bucket, in the order in which backpropagation has them ready."""

    buckets: tuple[tuple[str, ...], ...]
    least: int
    """Entries from which on a bucket's start-up is a tenth of its time."""
    time: Fraction
    by_layer: Fraction
    fused: Fraction


def plan(best: Derived, profile: Profile, place: Place, p: int) -> Plan:
    """Group the layers into buckets, for the algorithm that is fastest."""

    def timed(what: Measured) -> Spent:
        in_chunks = best.page.data == "sparse" and best.page.cuts
        full = what.crowding(p) if in_chunks else Fraction(1)
        return spent(best, what, p, profile.width, place, "expected", full)

    def time(what: Measured) -> Fraction:
        return timed(what).time

    layers = profile.layers
    one = together(layers)
    whole, startup = timed(one)
    moving = whole - startup
    least = -(-one.size * startup * (1 - STARTUP) // (STARTUP * moving)) if moving > 0 else one.size
    buckets = packed(layers, min(max(int(least), 1), one.size))
    names = tuple(tuple(layer.name for layer in bucket) for bucket in buckets)
    in_buckets = sum((time(together(bucket)) for bucket in buckets), Fraction(0))
    return Plan(names, int(least), in_buckets, sum(map(time, layers), Fraction(0)), whole)


def packed(layers: Sequence[Measured], least: int) -> list[list[Measured]]:
    """Group neighbouring layers from last to first, as few as have ``least`` entries together; the rest joins."""
    buckets: list[list[Measured]] = [[]]
    for layer in reversed(layers):
        if sum(one.size for one in buckets[-1]) >= least:
            buckets.append([])
        buckets[-1].append(layer)
    if len(buckets) > 1 and sum(one.size for one in buckets[-1]) < least:
        rest = buckets.pop()
        buckets[-1] += rest
    return buckets
