"""Exchanges over links that lose packets: nothing is sent again, and who does not get a packet is told so.

A chunk travels in packets of so many entries, of which each has a version: the number of the call in which it was sent,
from 1 on.  Links give what comes in time of a packet: nothing, it, or what was sent in earlier calls, also more than
once.  Of all that comes the newest is what there is; version 0 says that there is none.

====================  ==================================================================================
``collect(x)``        a chunk's owner gets of each rank its copy of the chunk, as far as it comes
``hand(piece)``       all ranks get the owners' pieces, as far as they come; an owner has its own
====================  ==================================================================================

>>> found = received([Packet(2, "b"), Packet(1, "a")], Packet(0, ""))
>>> found, packets(slice(3, 8), 2)
(Packet(version=2, entries='b'), [slice(3, 5, None), slice(5, 7, None), slice(7, 8, None)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sparring.errors import InputError
from sparring.spec.core.exchange_runs import Carried, bounds, collected, shown, slices
from sparring.spec.core.exchanges import Exchange
from sparring.spec.core.vectors import AtPoint, Vector, each, entrywise, local, said_of_all
from sparring.spec.core.wire_forms import PLAIN
from sparring.spec.library.counter_rng import happens

COLLECTING, HANDING = 0, 1  # the two steps
WHOLE = 1000  # thousandths


class Packet(NamedTuple):
    """Some entries of a chunk, and the number of the call in which they were sent; 0: never."""

    version: int
    entries: Any


Links = Callable[[int, int, int, int, Packet], Sequence[Packet]]
"""``links(step, src, dst, i, sent)``: what the receiver gets in time as packet ``i`` of this step from this rank."""


@dataclass(frozen=True)
class Losing:
    """Each packet arrives once, or is lost: with ``lost`` thousandths' probability, drawn from ``seed``."""

    seed: int
    lost: int

    def __call__(self, step: int, src: int, dst: int, i: int, sent: Packet) -> Sequence[Packet]:
        gone = happens(self.seed, sent.version, step, src, dst, i, thousandths=self.lost)
        return [] if gone else [sent]


def packets(chunk: slice, size: int) -> list[slice]:
    """Where the packets of a chunk lie."""
    return [slice(a, min(a + size, chunk.stop)) for a in range(chunk.start, chunk.stop, size)]


def received(came: Sequence[Packet], nothing: Packet) -> Packet:
    """The newest of these, of equal ones the last."""
    found = nothing
    for one in came:
        found = one if one.version >= found.version else found
    return found


class Collected(NamedTuple):
    """By sender and entry: its version, whether it is the owner's own, and what it is."""

    version: Any
    own: Any
    entries: Any


class Handed(NamedTuple):
    """By entry its version, and what it is; by chunk and packet the versions."""

    version: Any
    entries: Any
    packets: Any


@dataclass(frozen=True)
class Lossy(Exchange):
    """A part in one of these; ``call``: its number, from 1 on; ``packet``: entries of one."""

    links: Any = None
    packet: int = 1
    call: int = 1

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, self.links, self.packet, self.call)

    def came(self, step: int, src: int, dst: int, piece: Vector, *, sure: bool) -> list[Packet]:
        """What the receiver has of the packets of a piece; ``sure``: it needs no link."""
        found = []
        for i, cut in enumerate(packets(slice(0, len(piece)), self.packet)):
            sent, nothing = Packet(self.call, piece[cut]), Packet(0, zeros(piece[cut]))
            found.append(sent if sure else received(self.links(step, src, dst, i, sent), nothing))
        return found


@dataclass(frozen=True)
class Collect(Lossy):
    """See :func:`collect`."""

    kinds: ClassVar[tuple[str, ...]] = ("reduce_scatter",)
    through: str = "direct_reduce_scatter"
    own: bool = True

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, len(self.x), self.own)

    def carry(self, each: Sequence[Exchange]) -> Carried:
        p, cuts = len(each), slices(bounds(len(self.x), len(each)))
        cells = [PLAIN.pieces(one.x, cuts) for one in each]
        _, trace = collected(self.page, cells, PLAIN)

        def owned(r: int) -> Collected:
            rows = [self.came(COLLECTING, q, r, cells[q][r], sure=self.own and q == r) for q in range(p)]
            return Collected([versions(row, self.x.zero) for row in rows], [q == r for q in range(p)],
                             [entries(row, self.x.zero) for row in rows])

        return Carried([owned(r) for r in range(p)], trace)


@dataclass(frozen=True)
class Hand(Lossy):
    """See :func:`hand`."""

    kinds: ClassVar[tuple[str, ...]] = ("allgather",)
    through: str = "direct_allgather"

    def carry(self, each: Sequence[Exchange]) -> Carried:
        p = len(each)
        _, trace = shown(self.page, [one.x for one in each], PLAIN)

        def held(r: int) -> Handed:
            rows = [self.came(HANDING, c, r, each[c].x, sure=c == r) for c in range(p)]
            flat, zero = [one for row in rows for one in row], self.x.zero
            return Handed(versions(flat, zero), entries(flat, zero), [[one.version for one in row] for row in rows])

        return Carried([held(r) for r in range(p)], trace)


def versions(row: Sequence[Packet], zero: Any) -> Vector:
    """By entry."""
    return Vector([one.version for one in row for _ in one.entries], zero)


def entries(row: Sequence[Packet], zero: Any) -> Vector:
    return Vector([v for one in row for v in one.entries], zero)


def collect(x: Any, links: Any, packet: int, call: int, *, own: bool = True) -> Exchange:
    """A chunk's owner gets of each rank its copy of the chunk, as far as it comes; ``own``: it has its own anyway."""
    return Collect(x, links=links, packet=packet, call=call, own=own)


def hand(piece: Any, links: Any, packet: int, call: int) -> Exchange:
    """All ranks get the owners' pieces, as far as they come; an owner has its own."""
    return Hand(piece, links=links, packet=packet, call=call)


def over_senders(formula: Callable[..., Any], *args: Any) -> Any:
    """The sum over the senders of the formula, in their order; lists have an argument for each sender."""
    if any(isinstance(a, AtPoint) for a in args):
        return formula(*args).over_senders()
    p = next(len(a) for a in args if isinstance(a, list))
    rows = [[a[q] if isinstance(a, list) else a for a in args] for q in range(p)]
    found = zeros(next(a for a in rows[0] if isinstance(a, Vector)))
    for row in rows:
        found = found + each(formula, *row)
    return found


def zeros(x: Any) -> Any:
    """Nothing in all entries, of the vector's kind."""
    return 0 if isinstance(x, AtPoint) else x.having([x.zero] * len(x))


def came(x: Any, to: str, links: Any, packet: int, call: int, *, own: bool = True) -> Any:
    """Whether a rank's packet comes in time to the ``owner``, or the owner's to the ``rank``: of ``ensures`` alone."""
    said_of_all("came")
    return x.comes(to, links, packet, call, own)


def versions_held(x: Any, links: Any, packet: int, call: int) -> Any:
    """By chunk and packet which versions of the owners' come to a rank: of ``leaves`` alone."""
    said_of_all("versions_held")
    return x.versions_held(links, packet, call)


def owns(x: Any) -> Any:
    """Whether the rank is the owner of the index: of ``ensures`` alone."""
    said_of_all("owns")
    return x.owns()


@local
def newest(held: Any, came: Sequence[Sequence[int]], call: int) -> list[list[int]]:
    """By chunk and packet the version that a rank holds, once these have come."""
    old = held or [[0] * len(row) for row in came]
    return [[new if new == call else one for one, new in zip(*rows)] for rows in zip(old, came)]


def checked(params: Any) -> None:
    """Raises InputError where what arrives has no weight."""
    if params.aggregator == "ht" and params.lost == WHOLE:
        raise InputError(f"lost = {WHOLE} with aggregator ht: what never arrives has no weight; right is less")


@entrywise
def weighed(v: Any, lost: int) -> Any:
    """An entry over the probability with which it comes."""
    return v * ((type(v)(0) + WHOLE) / (WHOLE - lost)) if v else v


@entrywise
def over(sums: Any, many: Any) -> Any:
    """The mean of so many, 0 of none."""
    return sums / many if many else sums
