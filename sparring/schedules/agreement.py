"""Judges whether all ranks end with the same bits: whether they add in the same order.

Sums are numbered by how they were made: two have one number exactly if they are the same contributions, added
in the same order up to ``a + b = b + a``.  Floats keep that law bit for bit (but for what is in a NaN) and not
the other one, ``(a + b) + c = a + (b + c)``.  So ranks whose sums have one number agree on every input, as pages
do whose terms are the same.  Where two numbers differ, some floats tell the two ranks apart: there are three
contributions of which the two ranks add different ones first, since such triples determine a tree; let one of
these be 1, the others half of its last bit, and all else 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sparring.schedules.collectives import LISTED, Sums
from sparring.schedules.memory import Places

SHOWN = 4
"""Ranks of a sum that are named in print."""


class Unequal(NamedTuple):
    """A place of the output whose sum two ranks have added up in different orders."""

    buffer: str
    place: int
    ranks: tuple[int, int]
    orders: tuple[tuple[int, int], tuple[int, int]]
    """For each of the two ranks, how it made the sum in which they first differ.

    That is the two sets of ranks whose sums it added, as the bits of a number.
    """

    def __str__(self) -> str:
        here, there = (" + ".join(map(format_ranks, order)) for order in self.orders)
        a, b = self.ranks
        return f"{self.buffer}[{self.place}]: rank {a} adds what ranks {here} have put in, rank {b} {there}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, for a report."""
        orders = [[list(members(part))[:LISTED] for part in order] for order in self.orders]
        return {"buffer": self.buffer, "index": self.place, "ranks": list(self.ranks), "orders": orders}


def unequal(places: Places, sums: Sums, cells: Sequence[int]) -> Unequal | None:
    """Return the first place of an allreduce's output that two ranks have added up in different orders, or None.

    All sums must be right.
    """
    for c in range(places.program.chunks):
        held = [cells[places.cell(r, "o", c)] for r in range(len(places.program.ranks))]
        other = next((r for r, number in enumerate(held) if number != held[0]), None)
        if other is not None:
            return Unequal("o", c, (0, other), differing(sums, held[0], held[other]))
    return None


def differing(sums: Sums, a: int, b: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how two sums of the same contributions are made where they first differ, from the last addition on."""
    made = {number: pair for pair, number in sums.known.items()}
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
