"""Ok-Topk as test-vectors.md tells it: who sends what follows from thresholds, regions and the vectors.

`replay.py` reads files and judges; this plays a call.  A vector is a mapping from index to number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Vector = dict[int, Any]
Place = tuple[bool, Any]  # of two numbers that with the lesser place is the larger; NaN has the least
ALL, NONE = (True, 0), (False, -1)  # thresholds that all numbers reach, and that none does


@dataclass
class Kept:
    """What is kept from call to call."""

    calls: int = 0
    local: list[Place] = field(default_factory=list)
    least: Place = NONE
    bounds: list[int] = field(default_factory=list)


def place(v: Any) -> Place:
    """Where a number stands."""
    return (False, 0) if math.isnan(v) else (True, -abs(v))


def threshold(numbers: list[Any], k: int) -> Place:
    """The place of the k-th largest; that which all reach, if there are fewer."""
    if k == 0:
        return NONE
    return sorted(map(place, numbers))[k - 1] if k <= len(numbers) else ALL


def reaching(x: Vector, least: Place) -> Vector:
    """The numbers that reach a threshold and are not zero."""
    return {i: v for i, v in x.items() if v != 0 and place(v) <= least}


def followed(least: Place, found: int, parameters: dict[str, int], rounded: Callable[[float], float]) -> Place:
    """A threshold that so many have reached, as it is in the next call; NaN, or what none reaches, stays."""
    k, over, by = parameters["k"], 1000, 1000
    if 3 * found > 4 * k:
        by += parameters["gain"]
    elif 3 * found < 2 * k:
        over += parameters["gain"]
    if not least[0] or by == over:
        return least
    size = -least[1]
    return (True, -(size * by // over if isinstance(size, int) else rounded(rounded(size / over) * by)))


def even(indices: list[int], n: int, p: int) -> list[int]:
    """Where regions begin, but for the first, if they cut one rank's entries evenly, or, of none, all places."""
    m = len(indices)
    return [indices[c * m // p] if m else c * n // p for c in range(1, p)]


def uneven(lists: list[Vector], trigger: int) -> bool:
    """Whether one has more than so many times the mean."""
    sizes = [len(x) for x in lists]
    return max(sizes) * len(sizes) > trigger * sum(sizes)


class Play:
    """One call on these vectors; `steps`: by step (source, destination, entries) of each message."""

    def __init__(
        self,
        kept: Kept,
        parameters: dict[str, int],
        n: int,
        xs: list[Vector],
        add: Callable[[list[Vector]], Vector],
        rounded: Callable[[float], float],
    ) -> None:
        self.p, self.n, self.add, self.kept, self.parameters = len(xs), n, add, kept, parameters
        self.steps: list[list[tuple[int, int, int]]] = []
        mine = self.selected(xs)
        sums = self.split(mine)
        if self.anew("tau_prime"):
            every = self.gathered(sums)
            kept.least = threshold([*every.values()], parameters["k"])
        stay = [reaching(x, kept.least) for x in sums]
        if uneven(stay, parameters["trigger"]):
            stay = self.dealt(stay)
        self.result = self.gathered(stay)
        self.residuals = [
            {i: 0 if i in sent and i in self.result else v for i, v in x.items()} for x, sent in zip(xs, mine)
        ]
        kept.local = [followed(one, len(sent), parameters, rounded) for one, sent in zip(kept.local, mine)]
        kept.least = followed(kept.least, len(self.result), parameters, rounded)
        kept.calls += 1

    def anew(self, period: str) -> bool:
        """Whether this call finds thresholds, or regions, anew."""
        return self.kept.calls % self.parameters[period] == 0

    def selected(self, xs: list[Vector]) -> list[Vector]:
        """What each rank sends, by its threshold; and the regions."""
        if self.anew("tau_prime"):
            self.kept.local = [threshold([*x.values()], self.parameters["k"]) for x in xs]
        mine = [reaching(x, least) for x, least in zip(xs, self.kept.local)]
        if self.anew("tau"):
            proposals = [even(sorted(x), self.n, self.p) for x in mine]
            self.kept.bounds = [0, *(sum(one) // self.p for one in zip(*proposals)), self.n]
        return mine

    def split(self, mine: list[Vector]) -> list[Vector]:
        """Each rank adds its region up: its own entries, then those of the ranks before it, in turn."""
        p, cuts, bucket = self.p, self.kept.bounds, self.parameters["bucket"]
        pieces = [[{i: v for i, v in x.items() if a <= i < b} for a, b in pairwise(cuts)] for x in mine]
        for first in range(1, p, bucket):
            turns = range(first, min(first + bucket, p))
            self.steps.append([(r, (r + i) % p, len(pieces[r][(r + i) % p])) for r in range(p) for i in turns])
        return [self.add([pieces[(c - i) % p][c] for i in range(p)]) for c in range(p)]

    def dealt(self, stay: list[Vector]) -> list[Vector]:
        """Of all entries, in the order of ranks, each rank gets an equal share; a message that is empty is none."""
        p, row = self.p, [(r, i, v) for r, x in enumerate(stay) for i, v in sorted(x.items())]
        shares = [row[len(row) * r // p : len(row) * (r + 1) // p] for r in range(p)]
        moved = [(q, r, sum(owner == q for owner, _, _ in shares[r])) for q in range(p) for r in range(p) if q != r]
        if p > 1:
            self.steps.append([one for one in moved if one[2]])
        return [{i: v for _, i, v in share} for share in shares]

    def gathered(self, lists: list[Vector]) -> Vector:
        """All ranks' lists, by Bruck's algorithm: with d of them a rank sends the first d, or what is lacking."""
        p, d = self.p, 1
        while d < p:
            sent = min(d, p - d)
            sizes = [sum(len(lists[(r + i) % p]) for i in range(sent)) for r in range(p)]
            self.steps.append([(r, (r - d) % p, size) for r, size in enumerate(sizes)])
            d += sent
        return {i: v for x in lists for i, v in sorted(x.items())}
