"""What is claimed of Flash Communication beyond its text: how far off the result is.

In exact arithmetic, of numbers that are scaled until all are whole: the claims are linear and have no constants.  ``k``
and ``x`` are what a group's ranges add up to, of the ranks that have been added and of one more; ``a`` and ``b`` what
an entry is off; ``d`` and ``e`` how far apart two entries are; all are made whole by ``2**b1 - 1`` and ``2**b2 - 1``.
That a step is a range's part and codes are rounded is the hypothesis; that the quantiser keeps it is tested on all
small vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl import flash
from sparring.impl.codecs.group_quantiser import Quantiser
from sparring.proofs.logic.obligations import Obligation, within
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both

k, x, a, b, d, e = (Sym.var(name) for name in ("k", "x", "a", "b", "d", "e"))

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"b1": 4, "b2": 1, "g": 3}, {"b1": 3, "b2": 5, "g": 2, "spikes": 1}, {"b1": 1, "b2": 7, "g": 1},
          {"b1": 5, "b2": 2, "g": 5, "spikes": 1})  # fmt: skip
long: Sequence[Mapping[str, int]] = ({}, {"g": 70_000, "spikes": 1})
refused = ({"b1": 0}, {"b1": 9}, {"b2": 0}, {"b2": 9}, {"g": 0}, {"spikes": 2}, {"spikes": -1})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: many codes and few, in several groups."""
    return [{}, {"b1": 4, "g": 3}, {"b1": 5, "b2": 5, "g": 4, "spikes": 1}]


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return what the theorem on the error says, of a group that has all entries."""
    ranges = np.ptp(np.stack(xs), axis=2).sum()
    return float(ranges / 2 * sum(1 / (2 ** params[b] - 1) for b in ("b1", "b2")))


def theorems(page: Page) -> Iterator[Stated]:
    """State how far off an entry is."""
    widths = page.params["b1"], page.params["b2"]
    l1, l2 = (page.module.Grouped(bits, page.params["g"], 0).most for bits in widths)
    yield Stated(
        "error",
        "If codes are rounded to the nearest, and the ranks' entries of a group have ranges that add up to S, an entry "
        f"of the result is off by at most S/2 (1/{l1} + 1/{l2}).",
        (*steps(widths, (l1, l2)), *error(l1, l2)),
    )


def steps(widths: Sequence[int], greatest: Sequence[int]) -> Iterator[Obligation]:
    """State that a range has as many steps as its codes' bits can count."""
    for bits, most in dict.fromkeys(zip(widths, greatest)):
        yield Obligation(f"steps of {bits} bits", (), most == 2**bits - 1)


def at_most(value: Int, most: Int) -> Bool:
    """Return whether twice ``value``, of either sign, is at most so large."""
    return both(2 * value <= most, -most <= 2 * value)


def between(value: Int, most: Int) -> Bool:
    """Return whether ``value``, of either sign, is at most so large."""
    return both(value <= most, -most <= value)


def error(l1: int, l2: int) -> Iterator[Obligation]:
    """Return what the codes of each rank's group, and then those of the sum, put an entry off.

    ``l1`` times an entry is off by ``b`` in one rank's codes, by ``a`` in those so far; of the sum as it is
    read two entries are ``d / l1`` apart, and ``l1 * l2`` times the entry is off by ``e`` in its codes.
    """
    ranges = (k >= 0, x >= 0)
    yield Obligation(
        "a code is within half a step", (*ranges, within(a, x + 1), at_most(b - l1 * a, x)), at_most(l1 * a - b, x)
    )
    yield Obligation("errors add up", (*ranges, at_most(a, k), at_most(b, x)), at_most(a + b, k + x))
    yield Obligation("ranges add up", (*ranges, between(d, l1 * k), between(e, l1 * x)), between(d + e, l1 * (k + x)))
    yield Obligation(
        "what is read is in range", (*ranges, within(a, l1 * x + 1), within(b, l1 * x + 1)), between(a - b, l1 * x)
    )
    both_steps = (k >= 0, at_most(a, k), d >= 0, d <= l1 * k, at_most(e, d))
    yield Obligation("both steps", both_steps, at_most(l2 * a + e, (l1 + l2) * k))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/flash.py``; it and its quantiser have neighbours, blocks and sizes of their own."""
    impl: Any = flash
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.cut)
    g, spikes = page.params["g"], page.params["spikes"]
    for bits in dict.fromkeys((page.params["b1"], page.params["b2"])):
        for width in WIDTHS:
            made: Any = Quantiser(np.dtype(f"f{width}"), bits=bits, g=g, spikes=bool(spikes))
            yield Obligation(
                f"sizes, {bits} bits, {width} bytes",
                (a >= 0,),
                made.size(a) == page.module.Grouped(bits, g, spikes).octets(a, width),
            )
