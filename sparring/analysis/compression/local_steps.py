"""Bounds how far ranks drift from their mean between two meetings of local descent, and what they send [S19]_.

A point, as it differs from where ranks met last, is told by its length.  ``b`` is the longest step, the rate times
the longest gradient.  After ``t`` steps a rank is at most ``t b`` away from there, and so is the mean of ``p`` ranks;
by the triangle's inequality a rank is at most ``2 t b`` from the mean.  Since its own part of the mean is at the
rank itself, ``2 (1 - 1/p) t b`` will do; and that is reached by a rank that goes one way while all others go the
other.

.. [S19] S. U. Stich, "Local SGD converges fast and communicates little", ICLR 2019, arXiv:1805.09767.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import z3

from sparring.analysis.compression.reals import Lemma, proved
from sparring.errors import Undecided
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import ring
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.training import local_sgd

b, t, q, p, h = z3.Reals("b t q p h")
way, step, after, total, apart, own, rest = z3.Reals("way step after total apart own rest")
w, slope, rate, slopes = z3.Reals("w slope rate slopes")


def far(stride: Any = None) -> Iterator[Lemma]:
    """Yield the lemmas on the distance from the last meeting, of one rank and of all; ``stride``: the longest step."""
    longest = b if stride is None else stride
    yield Lemma("no step", (b >= 0, way == 0), way <= 0 * b)
    yield Lemma(
        "one step more", (b >= 0, t >= 0, step <= longest, after <= way + step, way <= t * b), after <= (t + 1) * b
    )
    yield Lemma("one rank more", (q >= 0, total <= q * (t * b), way <= t * b), total + way <= (q + 1) * (t * b))


def deviation() -> Iterator[Lemma]:
    """Yield the lemmas on the distance from the mean, ``total / p``, which is at most ``t b`` away, with ``t < h``."""
    yield Lemma("the mean", (p > 0, after * p == total, total <= p * (t * b)), after <= t * b)
    yield Lemma("two ways", (apart <= way + after, way <= t * b, after <= t * b), apart <= 2 * (t * b))
    yield Lemma("fewer steps", (b >= 0, t <= h - 1), t * b <= (h - 1) * b)
    sharper = (p >= 1, way <= t * b, rest <= (p - 1) * (t * b), p * apart <= (p - 1) * way + rest)
    yield Lemma("without its own part", sharper, p * apart <= 2 * ((p - 1) * (t * b)))


def every_step(module: Any = local_sgd) -> Iterator[Lemma]:
    """Yield the lemmas on the sum over ``q`` ranks that start at ``w`` and make one step by the page's function."""
    so_far = (total == q * w - rate * slopes,)
    yield Lemma("of no rank", (total == 0, slopes == 0, q == 0), total == q * w - rate * slopes)
    yield Lemma("with each rank", so_far, total + module.gone(w, slope, rate) == (q + 1) * w - rate * (slopes + slope))
    met = (p > 0, p * after == p * w - rate * slopes, p * slope == slopes)
    yield Lemma("of the mean", met, after == w - rate * slope)


def minibatch() -> Settled:
    """Decide whether local descent with a meeting in every step is descent against the mean gradient."""
    return proved(every_step())


def bounded() -> Settled:
    """Decide whether ranks are at most ``2 b (h - 1)`` from their mean between meetings every ``h`` steps."""
    return proved([*far(), *deviation()])


def reached() -> Settled:
    """Decide whether some rank reaches that bound: none does, but ``1 - 1/p`` of it is reached, and never passed.

    Raises Undecided where that is not so.
    """
    cases = [(many, every) for many in range(1, 7) for every in range(2, 5)]
    shares = [(many, most(many, every) / (2 * (every - 1))) for many, every in cases]
    found = proved([*far(), *deviation()])
    if not found.holds or any(share != 1 - Fraction(1, many) for many, share in shares):
        raise Undecided("how far ranks come is neither this bound nor the sharper one")
    return Settled(False, f"at most 1 - 1/p of it: {found.detail}; so much in {len(cases)} exact runs, p = 1..6")


def most(p: int, every: int) -> Fraction:
    """Return the largest distance of rank 0 from the mean, if it goes up and all others down by one unit each step."""

    def slopes_of(r: int, _: Any) -> list[Fraction]:
        return [Fraction(-1 if r == 0 else 1)]

    walk = local_sgd.descended(summed, p, [Fraction(0)], slopes_of, rate=Fraction(1), every=every, steps=2 * every)
    places: list[list[Fraction]] = [[x for [x] in ws] for ws in walk]
    return max(abs(xs[0] - sum(xs, Fraction(0)) / p) for xs in places)


def summed(ws: list[local_sgd.Point]) -> list[local_sgd.Point]:
    """Return the sum of the ranks' points, on every rank, by the ring."""
    return run(load(ring), ws).results


def volume() -> Settled:
    """Decide by counting whether a meeting in every step sends ``h`` times as much as one every ``h`` steps."""
    cases = [(many, every) for many in range(1, 7) for every in range(1, 5)]
    for many, every in cases:
        sent, in_each = (words(many, meeting) for meeting in (every, 1))
        if in_each != every * sent:
            return Settled(False, f"{many} ranks send {sent} words every {every} steps, and {in_each} in each")
    return Settled(True, f"an allreduce every h steps: counted in {len(cases)} walks, p = 1..6", tested(len(cases)))


def words(p: int, every: int) -> int:
    """Count the words that are sent in 12 steps, for a point of 7 numbers."""
    traces: list[Any] = []

    def counted(ws: list[local_sgd.Point]) -> list[local_sgd.Point]:
        traces.extend(run(load(ring), ws).trace)
        return summed(ws)

    start = [Fraction(0)] * 7
    for _ in local_sgd.descended(counted, p, start, lambda r, w: start, rate=1, every=every, steps=12):
        pass
    return sum(len(m.entries) for wire in traces for m in wire)
