"""Judges whether every rank ends with what the collective promises: each contribution once, in its place.

Out of place, that includes the input, which must end as it began.

A contribution is a token: a rank and a chunk.  Programs are run on sums of tokens, which hold each token never, once or
several times.  Values have no other property, so the finding holds for every input and every addition that is
associative and commutative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.schedules.graph import Graph
from sparring.schedules.memory import Places, Touched
from sparring.schedules.program import USES

KEPT = 2**28
"""About how many bytes the sums may take together."""
LISTED = 100
"""The most wrong places, and contributions to each, that are listed."""

PART = 150  # bytes of a part beside its sets
Part = tuple[int, int, int]
"""A chunk, the ranks whose token it has, and those whose token it has several times: sets, as the bits of a number."""
NOTHING = 0
"""The sum in a place where nothing has been put; a sum with it is nothing, too."""


class Sums:
    """The table of all sums that occur, by number; an addition done once is remembered."""

    def __init__(self) -> None:
        self.parts: list[tuple[Part, ...]] = [()]
        self.known: dict[tuple[int, int], int] = {}
        self.kept = 0

    def token(self, rank: int, chunk: int) -> int:
        """Return the number of one rank's contribution."""
        return self.new(((chunk, 1 << rank, 0),))

    def plus(self, a: int, b: int) -> int:
        """Return the number of the sum of two; nothing plus anything is nothing."""
        if NOTHING in (a, b):
            return NOTHING
        key = (a, b) if a < b else (b, a)
        if key not in self.known:
            self.known[key] = self.new(merged(self.parts[a], self.parts[b]))
        return self.known[key]

    def new(self, parts: tuple[Part, ...]) -> int:
        """Give a new sum its number, and return that."""
        self.kept += sum(PART + (seen.bit_length() + twice.bit_length()) // 8 for _, seen, twice in parts)
        if self.kept > KEPT:
            raise InputError(f"its sums take more than {KEPT} bytes together; at most so many are kept")
        self.parts.append(parts)
        return len(self.parts) - 1


def merged(a: tuple[Part, ...], b: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of both, by ascending chunk."""
    if len(a) == len(b) == 1 and a[0][0] == b[0][0]:
        return (both(a[0], b[0]),)
    found = {part[0]: part for part in a}
    for part in b:
        found[part[0]] = both(found[part[0]], part) if part[0] in found else part
    return tuple(found[chunk] for chunk in sorted(found))


def both(a: Part, b: Part) -> Part:
    """Return two parts of the same chunk as one."""
    return a[0], a[1] | b[1], a[2] | b[2] | (a[1] & b[1])


class Wrong(NamedTuple):
    """A place that ends with something other than it should."""

    rank: int
    buffer: str
    place: int
    missing: list[list[int]]
    """Contributions, rank and chunk, that should be there."""
    twice: list[list[int]]
    """Contributions that are there several times."""
    foreign: list[list[int]]
    """Contributions that should not be there."""
    empty: bool
    """True if nothing was ever put there, or a sum with nothing."""

    def __str__(self) -> str:
        kinds = {"lacks": self.missing, "has several times": self.twice, "has wrongly": self.foreign}
        told = [f"{what} {listed(tokens)}" for what, tokens in kinds.items() if tokens]
        what = "holds nothing" if self.empty else " and ".join(told)
        return f"rank {self.rank} {self.buffer}[{self.place}] {what}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, for a report."""
        return {"index" if name == "place" else name: value for name, value in self._asdict().items()}


def listed(tokens: Sequence[Sequence[int]]) -> str:
    """Return contributions as text."""
    shown = ", ".join(f"rank {r}'s chunk {c}" for r, c in tokens[:3])
    return shown + (f" and {len(tokens) - 3} more" if len(tokens) > 3 else "")


Want = tuple[int, str, int, int, int]
"""A rank, a buffer and the place in it, the chunk that it should hold, and the ranks whose contribution it needs."""


def starts(places: Places) -> Iterator[tuple[int, str, int, int]]:
    """Yield where contributions lie before the first step: rank, buffer, place and chunk."""
    n, share = places.program.chunks, places.share
    for r in range(len(places.program.ranks)):
        if places.kind == "allgather":
            inplace = places.program.inplace
            yield from ((r, "o" if inplace else "i", inplace * r * share + c, r * share + c) for c in range(share))
        else:
            yield from ((r, "i", c, c) for c in range(n))


def wants(places: Places) -> Iterator[Want]:
    """Yield what must lie where after the last step."""
    n, share, p = places.program.chunks, places.share, len(places.program.ranks)
    everybody = (1 << p) - 1
    for r in range(p):
        if places.kind == "allreduce":
            yield from ((r, "o", c, c, everybody) for c in range(n))
        elif places.kind == "allgather":
            yield from ((r, "o", c, c, 1 << c // share) for c in range(n))
        elif places.kind == "alltoall":
            yield from ((r, "o", c, r * share + c % share, 1 << c // share) for c in range(n))
        else:
            inplace = places.program.inplace
            for c in range(share):
                yield r, "i" if inplace else "o", inplace * r * share + c, r * share + c, everybody


def kept(places: Places) -> Iterator[Want]:
    """Yield what must still lie in the input after the last step: out of place, a caller's input is only read."""
    if not places.program.inplace:
        yield from ((r, buffer, at, chunk, 1 << r) for r, buffer, at, chunk in starts(places))


def begun(places: Places) -> tuple[Sums, list[int]]:
    """Return the sum in each cell before the first step."""
    sums = Sums()
    cells = [NOTHING] * places.cells
    for r, buffer, index, chunk in starts(places):
        cells[places.cell(r, buffer, index)] = sums.token(r, chunk)
    for src, dst in places.copies:
        cells[dst] = cells[src]
    return sums, cells


def ended(
    graph: Graph,
    went: Sequence[int],
    touches: Sequence[Touched],
    places: Places,
    carried: dict[int, list[int]] | None = None,
) -> tuple[Sums, list[int]]:
    """Return the sum in each cell after the steps ``went``, carried out in that order.

    ``carried``: is filled with the sums that each step sends.
    """
    sums, cells = begun(places)
    kinds = [step.op for rank in places.program.ranks for block in rank.blocks for step in block.steps]
    brings = {receive: send for send, receive, _ in graph.messages}
    under_way: dict[int, list[int]] = {}
    for node in went:
        uses, touch = USES[kinds[node]], touches[node]
        size = graph.nodes[node].size
        values = [cells[c] for c in touch.src]
        if uses.receives:
            came = under_way.pop(brings[node])
            came = (came + [NOTHING] * size)[:size]
            values = list(map(sums.plus, came, values)) if uses.adds else came
        elif uses.adds:
            values = list(map(sums.plus, values, (cells[c] for c in touch.dst)))
        if uses.writes:
            cells[touch.dst.start : touch.dst.stop] = values
        if uses.sends:
            under_way[node] = values
            if carried is not None:
                carried[node] = values
    return sums, cells


def wrong(places: Places, sums: Sums, cells: Sequence[int]) -> list[Want]:
    """Return the places that do not hold what they should."""
    good: set[tuple[int, int, int]] = set()
    found = []
    for want in chain(wants(places), kept(places)):
        r, buffer, place, chunk, ranks = want
        held = cells[places.cell(r, buffer, place)]
        if (held, chunk, ranks) not in good:
            if sums.parts[held] == ((chunk, ranks, 0),):
                good.add((held, chunk, ranks))
            else:
                found.append(want)
    return found


def explained(want: Want, places: Places, sums: Sums, cells: Sequence[int]) -> Wrong:
    """Return what is wrong with a place."""
    r, buffer, place, chunk, ranks = want
    held = cells[places.cell(r, buffer, place)]
    own = next((part for part in sums.parts[held] if part[0] == chunk), (chunk, 0, 0))
    foreign = bits(chunk, own[1] & ~ranks)
    for other, seen, _ in sums.parts[held]:
        if other != chunk and len(foreign) < LISTED:
            foreign += bits(other, seen)
    return Wrong(r, buffer, place, bits(chunk, ranks & ~own[1]), bits(chunk, own[2]), foreign, empty=held == NOTHING)


def bits(chunk: int, ranks: int) -> list[list[int]]:
    """Return the contributions of these ranks, the first LISTED of them."""
    found = ([r, chunk] for r in range(ranks.bit_length()) if ranks >> r & 1)
    return list(islice(found, LISTED))
