"""Lists what a round of Moshpit may leave when ranks die or fail in it, entry by entry.

``before`` and ``after`` are all ranks' vectors, of exact numbers; groups are worked out as implementations do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

from sparring.impl.core.averaging_groups import Asked, Party, dying, meetings, stopping

Vectors = Sequence[Sequence[Any]]


def groups(p: int, n: int, t: int, asked: Asked) -> list[Party]:
    """Return all groups of round ``t``."""
    found = [next(one for i, one in enumerate(meetings(p, r, n, asked)) if i == t) for r in range(p)]
    return [one for r, one in enumerate(found) if one is not None and one.ranks[0] == r]


def wrong(before: Vectors, after: Vectors, t: int, asked: Asked) -> Iterator[str]:
    """Yield in words each fault in ``after`` that no round ``t`` may leave; ``asked.rounds`` is more than ``t``."""
    p, n = len(before), len(before[0])
    met = groups(p, n, t, asked)
    apart = {*range(p)} - {r for one in met for r in one.ranks}
    yield from (f"rank {r} is dead and has another vector" for r in apart if [*before[r]] != [*after[r]])
    for one in met:
        yield from unlike(one, before, after, {r for r in one.ranks if r in stopping(t, asked)})
        if not any(sent > 0 for r, sent in dying(t, asked).items() if r in one.ranks):
            yield from lost(one, before, after)


def unlike(one: Party, before: Vectors, after: Vectors, ended: set[int]) -> Iterator[str]:
    """Yield in words the entries of a group that are neither an allowed mean nor what was there before.

    ``ended`` are the members that die or fail.  An allowed mean is that of all copies but some of theirs.  If the
    part's owner is not in ``ended``, all members not in ``ended`` have one such mean.  If it is, each member has such a
    mean, the same for all that have one, or its old entry.  So does each member in ``ended``.
    """
    for j, owner in enumerate(one.ranks):
        for e in range(*one.part(j).indices(len(before[0]))):
            may, took = {*may_be(one, before, e, ended)}, set()
            for r, weight in zip(one.ranks, one.weights):
                x, y = before[r][e], after[r][e]
                if x == y and (not weight or r in ended or owner in ended):
                    continue
                took.add(y)
                if not weight or y not in may:
                    yield f"rank {r} has {y} at {e}: it had {x}, and means are {', '.join(map(str, sorted(may)))}"
            if len(took) > 1:
                yield f"members of {one.ranks} have several means at {e}: {', '.join(map(str, sorted(took)))}"


def may_be(one: Party, before: Vectors, e: int, ended: set[int]) -> Iterator[Fraction]:
    """Yield each mean that entry ``e`` of the group may have, without the copies of some members that die or fail."""
    copies = [(r, w) for r, w in zip(one.ranks, one.weights) if w]
    gone = [r for r, _ in copies if r in ended]
    for some in chain.from_iterable(combinations(gone, k) for k in range(len(gone) + 1)):
        left = [(before[r][e], w) for r, w in copies if r not in some]
        if left:
            yield Fraction(sum(x * w for x, w in left)) / sum(w for _, w in left)


def lost(one: Party, before: Vectors, after: Vectors) -> Iterator[str]:
    """Yield in words the entries whose weighted sum over the group changes though no member died midway.

    The sum is kept also if members failed, but for the part of a member that failed when all its copies were sent.
    """
    for j, left in enumerate(one.left):
        if left < copies(one, j) or left >= copies(one, j) + len(one.ranks) - 1:
            for e in range(*one.part(j).indices(len(before[0]))):
                had, have = (sum(w * x[r][e] for r, w in zip(one.ranks, one.weights)) for x in (before, after))
                if had != have:
                    yield f"members of {one.ranks} have {have} together at {e}: they had {had}"


def copies(one: Party, i: int) -> int:
    """Return how many copies member ``i`` has to send."""
    return sum(one.bounds[j] < one.bounds[j + 1] for j in range(len(one.ranks)) if j != i) if one.weights[i] else 0
