"""Small groups that average: who meets whom in a round of Moshpit, and who looks after how much [R21]_.

All of it follows from the number of ranks and a few whole numbers, so every rank works it out for itself.  Among
peers that come and go it takes a distributed hash table and timeouts; here who dies, and when, is given.

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.counter_rng import drawn

Cells = NDArray[np.int64]


class Asked(NamedTuple):
    """The parameters of :func:`sparring.impl.moshpit.allreduce`, all of them whole numbers."""

    m: int = 2
    rounds: int = 0
    chance: int = 0
    weights: Sequence[int] = ()
    bandwidths: Sequence[int] = ()
    dead: Sequence[Sequence[int]] = ()
    failing: Sequence[Sequence[int]] = ()


class Party(NamedTuple):
    """A group by chunk index: members' ranks, where their parts begin and end, weights, and messages left to each.

    ``mortal``: who is gone after these.
    """

    ranks: Sequence[int]
    bounds: Sequence[int]
    weights: Sequence[int]
    left: Sequence[float]
    mortal: Sequence[bool]

    def part(self, i: int) -> slice:
        """Where member ``i``'s part lies."""
        return slice(self.bounds[i], self.bounds[i + 1])


def sides(p: int, m: int) -> int:
    """How many sides of length ``m`` a grid has that is just large enough for ``p`` ranks; one at least."""
    d, cells = 1, m
    while cells < p:
        d, cells = d + 1, cells * m
    return d


def with_digit(z: Cells, c: Cells | int, width: int, m: int) -> Cells:
    """``z`` with ``c`` for the digit that counts ``width`` cells."""
    return z + (c - z // width % m) * width


def chunks(held: Cells, t: int, asked: Asked) -> Cells:
    """Each rank's chunk index in round ``t``; ``held``: the keys, by rank."""
    groups, mine = np.unique(held, return_inverse=True)
    table = np.argsort(drawn(asked.chance, t, groups[:, None], np.arange(asked.m)), axis=1, kind="stable")
    by_group = np.argsort(mine, kind="stable")
    places = np.empty_like(by_group)
    first = np.searchsorted(mine[by_group], mine)
    places[by_group] = np.arange(by_group.size)
    found: Cells = table[mine, places - first].astype(np.int64)
    return found


def fractions(bandwidths: Sequence[int]) -> list[Fraction]:
    """In proportion, how long the members' parts are to be so that the slowest is done as soon as can be.

    A member with the part ``w`` of ``n`` moves ``1 + (n - 2) w`` vectors.  If all are to be done in the time
    ``s``, one with the bandwidth ``b`` can take ``(s b - 1) / (n - 2)``; the least ``s`` is the one in which
    these make 1, or which the slowest needs without a part.
    """
    n, able = len(bandwidths), [b for b in bandwidths if b > 0]
    if n < 3 or not able:
        return [Fraction(int(b > 0)) for b in bandwidths]
    s = max(Fraction(n - 2 + len(able), sum(able)), *(Fraction(1, b) for b in able))
    return [s * b - 1 if b > 0 else Fraction(0) for b in bandwidths]


def apportioned(n: int, wanted: Sequence[Fraction]) -> list[int]:
    """``n`` entries in these proportions; those left over go to the largest quotients, the first of equals."""
    whole = sum(wanted)
    if not whole:
        return [0] * len(wanted)
    seats = [int(n * one / whole) for one in wanted]
    for _ in range(n - sum(seats)):
        quotients = [one / (had + 1) for one, had in zip(wanted, seats)]
        seats[quotients.index(max(quotients))] += 1
    return seats


def dying(t: int, asked: Asked) -> Mapping[int, int]:
    """Who dies in round ``t``, after how many messages."""
    return {r: sent for r, when, sent in asked.dead if when == t}


def stopping(t: int, asked: Asked) -> Mapping[int, int]:
    """Who sends no more in round ``t``, dead or not, after how many messages."""
    return {**{r: sent for r, when, sent in asked.failing if when == t}, **dying(t, asked)}


def party(ranks: Sequence[int], n: int, t: int, asked: Asked) -> Party:
    """The group of these members, ordered by chunk index, in round ``t``; vectors have ``n`` entries."""
    seats = apportioned(n, fractions([told(asked.bandwidths, r) for r in ranks]))
    left, gone = [stopping(t, asked).get(r, np.inf) for r in ranks], [r in dying(t, asked) for r in ranks]
    return Party(ranks, [*accumulate(seats, initial=0)], [told(asked.weights, r) for r in ranks], left, gone)


def meetings(p: int, r: int, n: int, asked: Asked) -> Iterator[Party | None]:
    """Round by round rank ``r``'s group among ``p`` ranks; None once it is dead."""
    d, alive, cells = sides(p, asked.m), np.ones(p, np.bool_), np.arange(p)
    for t in range(asked.rounds or d):
        ends, width = {q: sent for q, sent in dying(t, asked).items() if q < p}, asked.m ** (t % d)
        alive[[q for q, sent in ends.items() if sent < 0]] = False
        living, index = np.flatnonzero(alive), np.empty(p, np.int64)
        held = with_digit(cells, 0, width, asked.m)
        index[living] = chunks(held[living], t, asked)
        mine = living[held[living] == held[r]]
        yield party(mine[np.argsort(index[mine])].tolist(), n, t, asked) if alive[r] else None
        cells[living] = with_digit(cells[living], index[living], width, asked.m)
        alive[[*ends]] = False


def told(values: Sequence[int], r: int) -> int:
    """Rank ``r``'s, or 1."""
    return values[r] if r < len(values) else 1


class Plan(NamedTuple):
    """What becomes of a round: by member, to which members its copies and its mean go, and who lived through both.

    ``up``: who sent all its copies; ``came``: whose copies are in a member's mean, in order, none where there
    is no mean.  A mean goes to those whose copies are in it.
    """

    copies: Sequence[Sequence[int]]
    up: Sequence[bool]
    came: Sequence[Sequence[int]]
    means: Sequence[Sequence[int]]
    lived: Sequence[bool]


def planned(one: Party) -> Plan:
    """Who sends what to whom in a round of this group."""
    n = len(one.ranks)
    turns = [[further(i, k, n) for k in range(1, n)] for i in range(n)]
    filled = [one.bounds[j] < one.bounds[j + 1] for j in range(n)]
    wanted = [[j for j in turns[i] if filled[j]] if one.weights[i] else [] for i in range(n)]
    copies = [to[: least(one.left[i], len(to))] for i, to in enumerate(wanted)]
    up = [len(sent) == len(to) for sent, to in zip(copies, wanted)]
    came = [[i for i in range(n) if one.weights[i] and (i == j or j in copies[i])] if up[j] and filled[j] else []
            for j in range(n)]
    hears = [a or not mortal for a, mortal in zip(up, one.mortal)]
    due = [[k for k in turns[j] if hears[k] and k in came[j]] for j in range(n)]
    means = [to[: least(one.left[j] - len(copies[j]), len(to))] for j, to in enumerate(due)]
    lived = [not one.mortal[i] or (up[i] and len(means[i]) == len(due[i])) for i in range(n)]
    return Plan(copies, up, came, means, lived)


def further(i: int, k: int, n: int) -> int:
    """The member ``k`` further."""
    return (i + k) % n


def least(left: float, many: int) -> int:
    """How many messages of so many are sent with so many left."""
    return int(min(left, many))
