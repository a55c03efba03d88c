"""The exchange ``averaging``: ranks with the same key average, and learn which part each looked after.

Its formulas, which say who sends what to whom and what comes of it, are those of ``spec/exchanges/averaging.py``.  It
knows who is there: a rank that is dead goes on with its text, meets nobody, and gets its own vector back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any, ClassVar, NamedTuple

from sparring.spec.core.exchange_runs import Carried
from sparring.spec.core.exchanges import Exchange, served
from sparring.spec.core.runs import Message
from sparring.spec.core.vectors import Vector
from sparring.spec.library.bandwidth_shares import scores, shares
from sparring.spec.library.counter_rng import permuted


class AtLeast(NamedTuple):
    """What whole numbers may stand in a list, as a parameter."""

    least: int

    @property
    def words(self) -> str:
        return f"a list of whole numbers, {self.least} or more"

    def holds(self, numbers: Sequence[int]) -> bool:
        return all(x >= self.least for x in numbers)


class Ends(NamedTuple):
    """When ranks send no more: a list of ``(rank, t, sent)``; ``t`` is a round, and ``sent`` not below ``least``.

    ``once``: of two, so many of these numbers may not be the same.
    """

    least: int
    once: int

    @property
    def words(self) -> str:
        before = ", or -1" if self.least < 0 else ""
        ends = "a rank once at most" if self.once == 1 else "a rank once a round at most"
        return f"a list of [rank, round from 0, number of messages{before}], {ends}"

    def holds(self, points: Sequence[Sequence[int]]) -> bool:
        seen = sorted(tuple(one[: self.once]) for one in points)
        some = all(len(one) == 3 and all(x >= low for x, low in zip(one, (0, 0, self.least))) for one in points)
        return some and all(a != b for a, b in pairwise(seen))


@dataclass(frozen=True)
class Averaging(Exchange):
    """See :func:`averaging`."""

    brings: ClassVar[tuple[str, ...]] = ("x", "key")
    through: str = "averaging"
    key: Any = 0
    t: Any = 0
    params: Any = None

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, len(self.x), self.t, self.params)

    def carry(self, each: Sequence[Any]) -> Carried:
        xs, keys = [one.x for one in each], {r: one.key for r, one in enumerate(each)}
        chunks = grouped({r: key for r, key in keys.items() if r in present(len(xs), self.t, self.params.dead)}, self)
        met = [meeting(group(one, len(self.x), self), xs, served(self.through).module) for one in chunks]
        index = {r: c for one in chunks for r, c in one.items()}
        later = {r: x for one in met for r, x in one.vectors.items()}
        results = [(later.get(r, x), index.get(r, 0)) for r, x in enumerate(xs)]
        return Carried(results, [in_order(one.copies for one in met), in_order(one.means for one in met)])


def averaging(x: Any, key: Any, t: Any, params: Any) -> Averaging:
    """The mean of those with the same ``key`` and which of its parts, from 0 to ``m - 1``, this rank looked after.

    ``t``: the round, on which draws depend, and who is there.  Of ``params``, these: ``m``, the most that may meet,
    ``chance``, ``weights``, ``bandwidths``, ``dead`` and ``failing``.
    """
    return Averaging(x, key=key, t=t, params=params)


class Group(NamedTuple):
    """By member, in the order of chunk indices: its rank, its part, its vector's weight, what it can still send.

    ``dies``: whether it is gone when that has been sent.
    """

    ranks: Sequence[int]
    parts: Sequence[slice]
    weights: Sequence[int]
    left: Sequence[int]
    dies: Sequence[bool]


class Met(NamedTuple):
    """What came of a group: the messages of its two steps; of those that have a mean, by rank, the vectors."""

    copies: list[Message]
    means: list[Message]
    vectors: Mapping[int, Any]


def present(p: int, t: int, dead: Sequence[Sequence[int]]) -> set[int]:
    """Who of ``p`` ranks is there when groups of round ``t`` are formed."""
    return {*range(p)} - {r for r, when, sent in dead if when < t or (when == t and sent == -1)}


def grouped(keys: Mapping[int, int], e: Averaging) -> list[dict[int, int]]:
    """The groups: by rank, chunk indices; ``keys``: of those who are there."""
    found: dict[int, list[int]] = {}
    for r, key in sorted(keys.items()):
        found.setdefault(key, []).append(r)
    return [dict(zip(ranks, indices(key, e.t, e.params))) for key, ranks in found.items()]


def indices(key: int, t: int, params: Any) -> Sequence[int]:
    """The chunk indices that the members of a group have, in the order of their ranks."""
    return permuted(params.chance, params.m, t, key)


def given(values: Sequence[int], r: int) -> int:
    """Rank ``r``'s weight or bandwidth."""
    return values[r] if r < len(values) else 1


def group(chunks: Mapping[int, int], n: int, e: Averaging) -> Group:
    """A group that averages ``n`` entries; ``chunks``: by rank, its chunk index."""
    ranks, params = sorted(chunks, key=lambda r: chunks[r]), e.params
    rounded = served(e.through).module.rounded
    ends = accumulate(shares(n, scores([given(params.bandwidths, r) for r in ranks]), rounded), initial=0)
    dying = ending(e.t, params.dead)
    left, weights = ending(e.t, params.failing) | dying, [given(params.weights, r) for r in ranks]
    any_number = 2 * len(ranks)
    return Group(
        ranks, [slice(*cut) for cut in pairwise(ends)], weights, [left.get(r, any_number) for r in ranks],
        [r in dying for r in ranks],
    )


def ending(t: int, points: Sequence[Sequence[int]]) -> dict[int, int]:
    """Of those who die, or fail, who does in round ``t``, and after how many of its messages."""
    return {rank: sent for rank, when, sent in points if when == t}


def meeting(one: Group, xs: Sequence[Any], f: Any) -> Met:
    """What is sent in a group's two steps, and what comes of it, by the formulas ``f``."""
    n, weights, left, dies = len(one.ranks), one.weights, one.left, one.dies
    turns = [[f.dst(i, 0, j, n) for j in range(n - 1)] for i in range(n)]
    full = [part.start < part.stop for part in one.parts]
    wants = [[j for j in turns[i] if f.copies(weights[i], full[j])] for i in range(n)]
    sent = [going(f, to, left[i]) for i, to in enumerate(wants)]
    up = [f.complete(len(to), left[i]) for i, to in enumerate(wants)]
    made = [f.made(full[j], up[j]) for j in range(n)]
    came = [[i for i in range(n) if f.counted(i == j, j in sent[i], weights[i], made[j])] for j in range(n)]
    due = [[i for i in turns[j] if f.due(i in came[j], f.hears(dies[i], up[i]))] for j in range(n)]
    rest = [m - len(to) for m, to in zip(left, sent)]
    told = [going(f, to, rest[j]) for j, to in enumerate(due)]
    lives = [f.lives(dies[i], up[i], f.complete(len(due[i]), rest[i])) for i in range(n)]
    means = [
        mean([xs[one.ranks[i]][part] for i in who], [weights[i] for i in who], f) for who, part in zip(came, one.parts)
    ]
    taken = [[j for j in range(n) if f.takes(i == j, i in told[j], i in came[j], lives[i])] for i in range(n)]
    return Met(
        [Message(r, one.ranks[j], [*xs[r][one.parts[j]]]) for r, to in zip(one.ranks, sent) for j in to],
        [Message(r, one.ranks[i], [*means[j]]) for j, r in enumerate(one.ranks) for i in told[j]],
        {r: replaced(xs[r], {one.parts[j].start: means[j] for j in taken[i]}) for i, r in enumerate(one.ranks)},
    )


def going(f: Any, to: Sequence[int], left: int) -> list[int]:
    """To whom of these messages go, of a member that has so many left."""
    return [j for number, j in enumerate(to) if f.sent(number, left)]


def mean(parts: Sequence[Any], weights: Sequence[int], f: Any) -> Any:
    """The sum of these times their weights, in this order, over the sum of weights; of one, that; None of none."""
    if len(parts) < 2:
        return next(iter(parts), None)
    return reduce(lambda a, b: a + b, (f.weighed(x, w) for w, x in zip(weights, parts))) / sum(weights)


def replaced(x: Vector, pieces: Mapping[int, Any]) -> Vector:
    """A vector with pieces where these begin."""
    entries = [*x]
    for at, piece in pieces.items():
        entries[at : at + len(piece)] = piece
    return x.having(entries)


def in_order(messages: Iterable[list[Message]]) -> list[Message]:
    """All groups' messages of a step, by sender."""
    return sorted(every(messages), key=lambda message: message.src)


def every(messages: Iterable[list[Message]]) -> Iterator[Message]:
    return (message for each in messages for message in each)
