"""Judges whether all ranks end with the same bits: whether they add in the same order.

Sums are numbered by how they were made: two have one number exactly if they are the same contributions, added
in the same order up to ``a + b = b + a``.  Floats keep that law bit for bit (but for what is in a NaN) and not
the other one, ``(a + b) + c = a + (b + c)``.  So ranks whose sums have one number agree on every input, as pages
do whose terms are the same.  Where two numbers differ, some floats tell the two ranks apart: there are three
contributions of which the two ranks add different ones first, since such triples determine a tree.  Let one of
these be 1, which one rank adds to a large number and the other to zero, after the large number has met its negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.schedules.collectives import LISTED, Sums
from sparring.schedules.memory import Places

SHOWN = 4
"""Ranks of a sum that are named in print."""
LARGE = 2**24
"""The first number to which float32 cannot add 1."""
Made = Mapping[int, tuple[int, int]]
"""The two sums of which each sum was made, by number."""


class Example(NamedTuple):
    """Contributions in float32 of which two ranks make different sums; those of all other ranks are 0."""

    inputs: tuple[tuple[int, int], ...]
    """Ranks, each with its contribution."""
    results: tuple[float, float]


class Unequal(NamedTuple):
    """A place of the output whose sum two ranks have added up in different orders."""

    buffer: str
    place: int
    ranks: tuple[int, int]
    orders: tuple[tuple[int, int], tuple[int, int]]
    """For each of the two ranks, how it made the sum in which they first differ.

    That is the two sets of ranks whose sums it added, as the bits of a number.
    """
    example: Example

    def __str__(self) -> str:
        here, there = (" + ".join(map(format_ranks, order)) for order in self.orders)
        (a, b), (inputs, (x, y)) = self.ranks, self.example
        given = ", ".join(f"{value} on rank {r}" for r, value in inputs)
        return (
            f"{self.buffer}[{self.place}]: rank {a} adds what ranks {here} have put in, rank {b} {there}; in float32, "
            f"{given} and 0 on others add up to {x:g} on rank {a} and {y:g} on rank {b}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, for a report."""
        orders = [[list(members(part))[:LISTED] for part in order] for order in self.orders]
        inputs, results = self.example
        return {
            "buffer": self.buffer,
            "index": self.place,
            "ranks": list(self.ranks),
            "orders": orders,
            "example": {"inputs": [list(one) for one in inputs], "results": list(results)},
        }


def unequal(places: Places, sums: Sums, cells: Sequence[int]) -> Unequal | None:
    """Return the first place of an allreduce's output that two ranks have added up in different orders, or None.

    All sums must be right.
    """
    for c in range(places.program.chunks):
        held = [cells[places.cell(r, "o", c)] for r in range(len(places.program.ranks))]
        other = next((r for r, number in enumerate(held) if number != held[0]), None)
        if other is not None:
            made = {number: pair for pair, number in sums.known.items()}
            orders = differing(sums, made, held[0], held[other])
            inputs = tuple(sorted(telling(*orders)))
            results = followed(sums, made, held[0], dict(inputs)), followed(sums, made, held[other], dict(inputs))
            return Unequal("o", c, (0, other), orders, Example(inputs, results))
    return None


def differing(sums: Sums, made: Made, a: int, b: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how two sums of the same contributions are made where they first differ, from the last addition on."""
    while True:
        ours, theirs = parted(sums, made[a]), parted(sums, made[b])
        if ours.keys() != theirs.keys():
            return halves(ours), halves(theirs)
        a, b = next((ours[part], theirs[part]) for part in ours if ours[part] != theirs[part])


def parted(sums: Sums, pair: tuple[int, int]) -> dict[int, int]:
    """Return the two parts of a sum, by the set of ranks in them."""
    return {sums.parts[number][0][1]: number for number in pair}


def halves(parts: dict[int, int]) -> tuple[int, int]:
    """Return the sets of ranks of the two parts; the one with the lowest rank comes first."""
    one, other = sorted(parts, key=lambda part: part & -part)
    return one, other


def telling(ours: tuple[int, int], theirs: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield three ranks, each with a contribution: added in the one order they make 0, in the other 1.

    One part of ``ours`` is cut by ``theirs``.  It adds 1 to LARGE, which is LARGE.  In ``theirs`` LARGE first meets its
    negative, which ``ours`` has in the other part.
    """
    cuts = (
        (part & near, part & far, rest & near)
        for part, rest in (ours, ours[::-1])
        for near, far in (theirs, theirs[::-1])
    )
    for ranks, value in zip(next(cut for cut in cuts if all(cut)), (LARGE, 1, -LARGE)):
        yield next(members(ranks)), value


def followed(sums: Sums, made: Made, number: int, inputs: Mapping[int, int]) -> float:
    """Return a sum in float32, added up as it was made; ranks without an input contribute 0."""
    order, left = [], [number]
    while left:
        order.append(left.pop())
        left += made.get(order[-1], ())
    values: dict[int, np.float32] = {}
    for one in reversed(order):
        if one in made:
            a, b = made[one]
            values[one] = values[a] + values[b]
        else:
            ((_, ranks, _),) = sums.parts[one]
            values[one] = np.float32(inputs.get(next(members(ranks)), 0))
    return float(values[number])


def members(part: int) -> Iterator[int]:
    """Yield the ranks in a set."""
    return (r for r in range(part.bit_length()) if part >> r & 1)


def format_ranks(part: int) -> str:
    """Return a set of ranks as text.

    >>> format_ranks(0b101)
    '(0, 2)'
    """
    ranks = [str(r) for r in members(part)]
    shown = ranks[:SHOWN] + [f"{len(ranks) - SHOWN} more"] * (len(ranks) > SHOWN)
    return f"({', '.join(shown)})"
