"""Flash Communication, 1-bit allreduce, THC and QSGD as test-vectors.md tells them: messages of bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from whole import Numbers, Played, Vector, cuts, drawn, everybody, packed

State = dict[str, Any]


# Flash Communication


class Coded(NamedTuple):
    """A message, and what is read from it."""

    octets: bytes
    read: Vector


class Group(NamedTuple):
    """What is told of a group: numbers, and with spikes the places of two; its codes."""

    told: Vector
    places: list[int]
    codes: list[int]


def flash_group(at: Numbers, x: Vector, bits: int, spikes: int) -> Group:
    """A group's codes."""
    most = (1 << bits) - 1
    if not all(map(math.isfinite, x)) or math.isinf(at.sub(max(x), min(x))):
        return Group([math.nan] * (4 if spikes else 2), [0, 0] if spikes else [], [0] * len(x))
    places = [x.index(min(x)), x.index(max(x))] if spikes else []
    kept = [x[i] + 0.0 for i in places]
    coded = [v for i, v in enumerate(x) if i not in places] or kept[:1]
    low, high = min(coded) + 0.0, max(coded) + 0.0
    step = at.div(at.sub(high, low), most)
    codes = [0 if not step or i in places else min(round(at.div(at.sub(v, low), step)), most) for i, v in enumerate(x)]
    return Group([low, step, *kept], places, codes)


def flash_coded(at: Numbers, x: Vector, bits: int, parameters: State) -> Coded:
    """A chunk's message."""
    g, spikes = parameters["g"], parameters["spikes"]
    found = [flash_group(at, x[i : i + g], bits, spikes) for i in range(0, len(x), g)]
    numbers = at.octets([one.told[kind] for kind in range(4 if spikes else 2) for one in found])
    wide = 1 if g <= 256 else 2 if g <= 65536 else 4
    places = b"".join(one.places[kind].to_bytes(wide, "little") for kind in range(2 if spikes else 0) for one in found)
    planes = packed([code for one in found for code in one.codes], bits)
    return Coded(numbers + places + planes, [v for one in found for v in flash_read(at, one)])


def flash_read(at: Numbers, one: Group) -> Iterator[float]:
    """What is read from a group."""
    low, step, *kept = one.told
    told = dict(zip(one.places, kept))  # of one entry that is both, the greatest
    return (told[i] if i in told else at.add(low, at.mul(step, code)) for i, code in enumerate(one.codes))


def flash(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, chunks = len(xs), cuts(len(xs[0]), len(xs))
    if p == 1:
        return Played([], [[v + 0.0 for v in xs[0]]], state)
    copies = [[flash_coded(at, x[cut], parameters["b1"], parameters) for cut in chunks] for x in xs]
    sums = [[at.total(vs) for vs in zip(*(row[c].read for row in copies))] for c in range(p)]
    told = [flash_coded(at, y, parameters["b2"], parameters) for y in sums]
    steps = [everybody(p, lambda r, d: copies[r][d].octets), everybody(p, lambda r, d: told[r].octets)]
    return Played(steps, [[v for one in told for v in one.read]] * p, state)


# 1-bit allreduce


class Signs(NamedTuple):
    """A scale, and for each entry whether it is not below 0."""

    scale: float
    plus: list[bool]

    def octets(self, at: Numbers, cut: slice) -> bytes:
        return at.octets([self.scale]) + packed([int(one) for one in self.plus[cut]], 1)

    def read(self) -> Vector:
        return [self.scale if one else -self.scale for one in self.plus]


def one_bit_signs(at: Numbers, x: Vector, norm: int) -> Signs:
    """A vector's codes."""
    double = Numbers("float64")
    found = double.halved([abs(v) if norm == 1 else v * v for v in x]) / len(x) if x else 0.0
    scale = math.sqrt(found) if norm == 2 else found
    return Signs(at.rounded(scale) if math.isfinite(scale) else math.nan, [v >= 0 for v in x])


def one_bit(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, n, norm = len(xs), len(xs[0]), parameters["norm"]
    chunks = cuts(n, p)
    workers = state.get("worker", [[0.0] * n] * p)
    servers = state.get("server", [[0.0] * len(x) for x in (xs[0][cut] for cut in chunks)])
    ms = [[*map(at.add, x, error)] for x, error in zip(xs, workers)]
    told = [one_bit_signs(at, m, norm) for m in ms]
    reads = [one.read() for one in told]
    means = [[at.div(at.total(vs), p) for vs in zip(*(read[cut] for read in reads))] for cut in chunks]
    ys = [[*map(at.add, mean, error)] for mean, error in zip(means, servers)]
    sums = [one_bit_signs(at, y, norm) for y in ys]
    steps = [
        everybody(p, lambda r, d: told[r].octets(at, chunks[d])),
        everybody(p, lambda r, d: sums[r].octets(at, slice(None))),
    ]
    after = {"worker": [left(at, *one) for one in zip(ms, told)], "server": [left(at, *one) for one in zip(ys, sums)]}
    return Played(steps if p > 1 else [], [[v + 0.0 for one in sums for v in one.read()]] * p, after)


def left(at: Numbers, m: Vector, one: Signs) -> Vector:
    """What codes leave out; nothing, where the scale is NaN."""
    return [0.0] * len(m) if math.isnan(one.scale) else [*map(at.sub, m, one.read())]


# THC


def by_chance(t: float, chance: int, most: int) -> int:
    """A whole number that is not far from t; chance: 53 bits."""
    return min(math.floor(t) + (chance < (t - math.floor(t)) * 2.0**53), most)


def thc(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, bits, call, chunks = len(xs), parameters["bits"], state.get("call", 0), cuts(len(xs[0]), len(xs))
    ends = [thc_ends(x) for x in xs]
    low, high = min(one[0] for one in ends), max(one[1] for one in ends)
    most, step = (1 << bits) - 1, at.div(at.sub(high, low), (1 << bits) - 1)
    if any(math.isnan(one[0]) for one in ends) or not math.isfinite(at.sub(high, low)):
        low = step = math.nan

    def code(v: float, r: int, i: int) -> int:
        if not step > 0:
            return 0
        return by_chance(at.div(at.sub(v, low), step), drawn(parameters["seed"], call, r, i) >> 11, most)

    mine = [[code(v, r, i) for i, v in enumerate(x)] for r, x in enumerate(xs)]
    sums = [sum(qs) for qs in zip(*mine)]
    wide = bits + (p - 1).bit_length()
    steps = [
        everybody(p, lambda r, d: at.octets(ends[r])),
        everybody(p, lambda r, d: packed(mine[r][chunks[d]], bits)),
        everybody(p, lambda r, d: packed(sums[chunks[r]], wide)),
    ]
    result = [at.add(at.mul(low, p), at.mul(step, q)) for q in sums]
    return Played(steps if p > 1 else [], [result] * p, {"call": call + 1})


def thc_ends(x: Vector) -> Vector:
    """A rank's least and greatest entry."""
    if not all(map(math.isfinite, x)):
        return [math.nan, math.nan]
    return [min(x) + 0.0, max(x) + 0.0] if x else [0.0, 0.0]


# QSGD


def qsgd(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, call = len(xs), state.get("call", 0)
    codes = [qsgd_coded(at, parameters, x, call, r) for r, x in enumerate(xs)]
    result = [at.total(vs) + 0.0 for vs in zip(*(one.read for one in codes))]
    steps = [everybody(p, lambda r, d: codes[r].octets)] if p > 1 else []
    return Played(steps, [result] * p, {"call": call + 1})


def qsgd_coded(at: Numbers, parameters: State, x: Vector, *counters: int) -> Coded:
    """A vector's message."""
    levels, one = parameters["levels"], qsgd_unit(at, parameters, x)
    chances = [drawn(parameters["seed"], *counters, i) >> 11 for i in range(len(x))]
    found = [by_chance(at.div(abs(v), one), u, levels) if one > 0 else 0 for v, u in zip(x, chances)]
    sign = levels.bit_length()
    octets = at.octets([one]) + packed([q | (v < 0) << sign for q, v in zip(found, x)], sign + 1)
    sizes = [at.mul(one, q) for q in found]
    return Coded(octets, [-size if v < 0 else size for size, v in zip(sizes, x)])


def qsgd_unit(at: Numbers, parameters: State, x: Vector) -> float:
    """A level."""
    if not x or not all(map(math.isfinite, x)):
        return math.nan if x else 0.0
    double = Numbers("float64")
    norm = max(map(abs, x)) if parameters["by_max"] else math.sqrt(double.halved([v * v for v in x]))
    unit = at.rounded(norm / parameters["levels"])
    return unit if math.isfinite(unit) else math.nan
