"""Runs the page in rationals over all patterns of losses, and averages what comes of them.

A *slot* is a place in which one packet of a call arrives, or does not: ``(step, src, dst, i)``.  A pattern
is the set of slots whose packets are lost.  With loss ``q``, each by itself, a pattern of ``k`` of ``m``
slots has the probability ``q^k (1 - q)^(m - k)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from sparring.spec import lossy_two_shot
from sparring.spec.core.compositions import Memory, played
from sparring.spec.core.loading import load
from sparring.spec.core.model import bound
from sparring.spec.core.vectors import Vector as Entries
from sparring.spec.library.lossy_links import COLLECTING, HANDING, Links, Packet, packets
from sparring.spec.lossy_two_shot import Params, State, over_links

PAGE = load(lossy_two_shot)

Slot: TypeAlias = tuple[int, int, int, int]
Pattern: TypeAlias = frozenset[Slot]
Vector: TypeAlias = Sequence[Fraction]


class Moments(NamedTuple):
    """The mean and the variance of an entry."""

    mean: Fraction
    variance: Fraction


def without(lost: Collection[Slot]) -> Links:
    """Return links that lose the packets of these slots, and no others."""

    def arriving(step: int, src: int, dst: int, i: int, sent: Packet) -> Sequence[Packet]:
        return [] if (step, src, dst, i) in lost else [sent]

    return arriving


def slots(params: Params, n: int, p: int, steps: Collection[int], shards: Collection[int]) -> list[Slot]:
    """List the slots in which packets of these shards may be lost in these steps."""
    found: list[Slot] = []
    for c in shards:
        many = range(len(packets(slice(bound(c, n, p), bound(c + 1, n, p)), params.packet)))
        senders = [q for q in range(p) if q != c or params.aggregator == "ratio0"]
        found += [(COLLECTING, q, c, i) for q in senders for i in many if COLLECTING in steps]
        found += [(HANDING, c, r, i) for r in range(p) if r != c for i in many if HANDING in steps]
    return found


def patterns(some: Sequence[Slot], q: Fraction) -> Iterator[tuple[Fraction, Pattern]]:
    """Yield every pattern of these slots, with its probability."""
    for which in product((False, True), repeat=len(some)):
        many = sum(which)
        yield q**many * (1 - q) ** (len(some) - many), frozenset(s for s, lost in zip(some, which) if lost)


def over(links: Links, xs: Sequence[Any], state: Memory | None, params: Params) -> Memory:
    """Return the page's state after a call over these links; ``state``: None before the first."""
    p, before = len(xs), state or Memory(0, [State()] * len(xs))
    texts = [over_links(links, Entries.of(x), r, p, before.call, before.ranks[r], params) for r, x in enumerate(xs)]
    return Memory(before.call + 1, [after for _, after in played(PAGE, texts)[0]])


def call(xs: Sequence[Vector], state: Memory | None, params: Params, lost: Collection[Slot]) -> Memory:
    """Return the page's state after a call in which the packets ``lost`` do not arrive."""
    return over(without(lost), xs, state, params)


def entries(xs: Sequence[Vector], params: Params, q: Fraction, shard: int) -> Mapping[tuple[int, int], Moments]:
    """Return the moments of a shard's entries after a first call, by rank and entry, over all patterns of its packets.

    What is lost of one shard changes no other.  The loss that ``ht`` weighs with is ``params.lost``, that
    of the patterns ``q``: they are the same where its hypothesis holds.
    """
    p, n = len(xs), len(xs[0])
    start, end = bound(shard, n, p), bound(shard + 1, n, p)
    cells = [(r, e) for r in range(p) for e in range(start, end)]
    first, second = dict.fromkeys(cells, Fraction(0)), dict.fromkeys(cells, Fraction(0))
    for probability, lost in patterns(slots(params, n, p, (COLLECTING, HANDING), [shard]), q):
        held = call(xs, None, params, lost).replicas
        for r, e in cells:
            first[r, e] += probability * held[r][e]
            second[r, e] += probability * held[r][e] ** 2
    return {cell: Moments(first[cell], second[cell] - first[cell] ** 2) for cell in cells}
