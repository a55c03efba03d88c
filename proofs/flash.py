"""What is proved of Flash Communication, for every number of ranks, whatever the vectors hold.

Schedules and sizes are proved on the page's own formulas.  Its bound on the error is proved in exact
arithmetic, of numbers that are scaled until all are whole: the claims are linear and have no constants, so
that they hold of all rational numbers if they hold of whole ones, and of real ones, too.  ``k`` and ``x``
are what a group's ranges add up to, of the ranks that have been added and of one more; ``a`` and ``b`` what
an entry is off; ``d`` and ``e`` how far apart two entries are; all are made whole by ``2**b1 - 1`` and
``2**b2 - 1``.  That a step is a range's part and codes are rounded is the hypothesis; that the page's
codes keep it is tested on all small vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl import flash
from sparring.impl.core.quantiser import Quantiser
from sparring.proofs.core.obligations import Obligation, c, i, n, p, r, within
from sparring.proofs.core.parts import Bounded, Played
from sparring.proofs.core.rotation import TURN, of_chunks, of_ports, of_waiting, rotation, same_codes
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost import quantised
from sparring.proofs.cost.oktopk import sharing
from sparring.spec.core.groups import levels
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both, where

k, x, a, b, d, e = (Sym.var(name) for name in ("k", "x", "a", "b", "d", "e"))

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"b1": 4, "b2": 1, "g": 3}, {"b1": 3, "b2": 5, "g": 2, "spikes": 1}, {"b1": 1, "b2": 7, "g": 1})
refused = ({"b1": 0}, {"b1": 9}, {"b2": 0}, {"b2": 9}, {"g": 0}, {"spikes": 2}, {"spikes": -1})

faults: Mapping[str, Mapping[str, Any]] = {
    "sends to the next rank but one": {"dst": lambda r, j, p: (r + j + 1) % p},
    "chunks of equal length, the rest dropped": {"bound": lambda c, n, p: c * (n // p)},
    "an owner keeps its sum as it is": {"taken": lambda r, c, total, read: where(r == c, total, read)},
    "a last group that is not full is not told": {
        "octets": lambda c, bits, g, spikes, width: c * bits // 8 + 2 * width * (c // g),
    },
    "all ranks send to the same one": {"dst": lambda r, j, p: j},
}

asked = {
    "bound": lambda c, n, p: 0 <= c <= p,
    "dst": lambda r, j, p: 0 <= r < p and 1 <= j < p,
    "src": lambda r, j, p: 0 <= r < p and 1 <= j < p,
}


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    l1, l2 = levels(page.params["b1"]), levels(page.params["b2"])
    yield Stated(
        "result", "Each chunk is added up once, at its rank, from one message of each other rank. In exact arithmetic, "
        f"where the ranks' entries of a group have ranges that add up to S, an entry is off by at most "
        f"S/2 (1/{l1} + 1/{l2}).", (*rotation(m), *error(l1, l2)), "sends to the next rank but one",
    )  # fmt: skip
    yield Stated(
        "agreement", "Of each chunk all ranks take what is read from the same codes, its own rank included.",
        (*same_codes(m), *rotation(m)), "an owner keeps its sum as it is",
    )  # fmt: skip
    yield of_chunks(m)
    yield of_waiting(m)
    yield of_ports(m)
    yield Stated(
        "volume", "A message of c entries has the bytes of its codes and of what is told of its groups, so that with "
        "n <= p e no rank sends more than p - 1 times the bytes of e entries in a step; exactly so where all are full.",
        volume(page), "a last group that is not full is not told",
    )  # fmt: skip


def at_most(value: Int, most: Int) -> Bool:
    """Twice ``value``, of either sign, is at most so large."""
    return both(2 * value <= most, -most <= 2 * value)


def between(value: Int, most: Int) -> Bool:
    """``value``, of either sign, is at most so large."""
    return both(value <= most, -most <= value)


def error(l1: int, l2: int) -> Iterator[Obligation]:
    """What the codes of each rank's group, and then those of the sum, put an entry off.

    ``l1`` times an entry is off by ``b`` in one rank's codes, by ``a`` in those so far; of the sum as it is
    read two entries are ``d / l1`` apart, and ``l1 * l2`` times the entry is off by ``e`` in its codes.
    """
    ranges = (k >= 0, x >= 0)
    yield Obligation(
        "a code is within half a step", (*ranges, within(a, x + 1), at_most(b - l1 * a, x)), at_most(l1 * a - b, x)
    )
    yield Obligation("errors add up", (*ranges, at_most(a, k), at_most(b, x)), at_most(a + b, k + x))
    yield Obligation("ranges add up", (*ranges, between(d, l1 * k), between(e, l1 * x)), between(d + e, l1 * (k + x)))
    yield Obligation("what is read is in range", (*ranges, within(a, l1 * x + 1), within(b, l1 * x + 1)),
                     between(a - b, l1 * x))  # fmt: skip
    both_steps = (k >= 0, at_most(a, k), d >= 0, d <= l1 * k, at_most(e, d))
    yield Obligation("both steps", both_steps, at_most(l2 * a + e, (l1 + l2) * k))


def volume(page: Page) -> Iterator[Obligation]:
    """How long messages are, of entries of 4 and of 8 bytes, and in both steps."""
    m: Any = page.module
    yield from sharing(m)
    g, spikes = page.params["g"], page.params["spikes"]
    for bits in dict.fromkeys((page.params["b1"], page.params["b2"])):
        for width in WIDTHS:
            yield from sizes(m, bits, g, spikes, width)


def sizes(m: Any, bits: int, g: int, spikes: int, width: int) -> Iterator[Obligation]:
    """The messages of one kind; ``8 g`` entries fill all bytes and groups."""

    def octets(c: Int) -> Int:
        size: Int = m.octets(c, bits, g, spikes, width)
        return size

    what = f"{bits} bits, {width} bytes"
    told = octets(1) - octets(0) - len(planes(bits))  # of a group
    groups = (a + (g - 1)) // g
    yield Obligation(f"none, {what}", (), octets(0) == 0)
    yield Obligation(f"a group is told, {what}", (), told == metadata(g, spikes, width))
    yield Obligation(f"room for all codes, {what}", (a >= 0,), 8 * (octets(a) - told * groups) >= bits * a)
    yield Obligation(f"and no more, {what}", (a >= 0,),
                     8 * (octets(a) - told * groups) <= bits * a + 7 * len(planes(bits)))  # fmt: skip
    yield Obligation(f"fewer entries, {what}", (a >= 0, b >= a), octets(a) <= octets(b))
    yield Obligation(f"full groups, {what}", (e >= 0,), octets(8 * g * e) == (g * bits + 8 * told) * e)


def planes(bits: int) -> Sequence[int]:
    """The widths of a code's parts."""
    return [width for width in (8, 4, 2, 1) if bits & width]


def metadata(g: int, spikes: int, width: int) -> int:
    """Bytes of a group's step and zero; with spikes of two more numbers and of two places in the group."""
    place = next(octets for octets in (1, 2, 4) if g <= 256**octets)
    return 4 * width + 2 * place if spikes else 2 * width


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take."""
    m: Any = page.module
    params = m.Params(**page.params)
    m.checked(params)

    def sizes(bits: int) -> quantised.Sizes:
        return lambda c: m.octets(c, bits, params.g, params.spikes, quantised.width)

    return quantised.bounded(
        quantised.of_chunks(m, quantised.COPIES, 0, sizes(params.b1)),
        quantised.of_chunks(m, quantised.SUMS, 1, sizes(params.b2)),
    )


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls that are counted beside it."""
    return quantised.calls(page, ranks, (quantised.COPIES, quantised.SUMS))


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/flash.py`` and its quantiser have neighbours, blocks and sizes of their own."""
    impl: Any = flash
    m: Any = page.module
    yield Obligation("to whom", TURN, impl.above(r, i, p) == m.dst(r, i, p))
    yield Obligation("from whom", TURN, impl.below(r, i, p) == m.src(r, i, p))
    yield Obligation("blocks", (p >= 1, n >= 0, within(c)), impl.cut(c, n, p) == m.bound(c, n, p))
    g, spikes = page.params["g"], page.params["spikes"]
    for bits in dict.fromkeys((page.params["b1"], page.params["b2"])):
        for width in WIDTHS:
            made: Any = Quantiser(np.dtype(f"f{width}"), bits=bits, g=g, spikes=bool(spikes))
            yield Obligation(f"sizes, {bits} bits, {width} bytes", (a >= 0,),
                             made.size(a) == m.octets(a, bits, g, spikes, width))  # fmt: skip
