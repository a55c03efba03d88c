"""How many chunks are sent in the steps of a span, by a rank that sends in all of them.

In each step all, half of them or one; or first half of them, then half of that, down to one, so that one less than all
are sent in the span; or one, then twice as many from step to step, and in the last what is then left of all but one; or
these numbers backwards.  Or those whose numbers are odd multiples of a power of two, of another one in each step: each
number but 0 is an odd multiple of one power.  Or all that are not so sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparring.costs.derivation.confirmation import plausible
from sparring.costs.derivation.leaders import Leader, least
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, during, every, implies, p, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, where


class Bulk(NamedTuple):
    """The chunks that are sent in a span by a rank that sends in all of its steps."""

    first: Int
    end: Int
    chunks: Int
    """The number of chunks, as the solvers read it."""
    product: Int
    """The same number as it is written down."""
    largest: tuple[Int, Int] | None = None
    """The step with the largest message, where messages grow or shrink, and its chunks."""
    once: bool = False
    """Whether a rank acts in one of these steps at most."""

    @property
    def single(self) -> Bulk:
        """The same of a rank that acts in one step, the one with the largest message; raise Undecided without one."""
        if not self.largest:
            raise Undecided("which message is the largest is not found")
        step, chunks = self.largest
        return self._replace(first=step, chunks=chunks, product=chunks, once=True)

    @property
    def counted(self) -> Bulk:
        """The same with messages in the place of chunks."""
        steps = where(p > 1, 1, 0) if self.once else self.end - self.first
        return self._replace(chunks=steps, product=steps)


def bulk(page: Page, first: Int, end: Int, given: Bool, leader: Leader) -> tuple[Bulk, Obligation]:
    """Return what the leader of each step sends in a span, and the obligation that shows it.

    Raises Undecided where messages grow or shrink in another way.
    """
    everything, steps = page.chunks(p), end - first
    inside = every(given, first <= t, t < end, page.active(leader(t), t, p))
    now = page.count(leader(t), t, p)
    half, but_one = everything >> 1, everything - 1
    exact, enough = (implies(given, x) for x in (everything == 1 << steps, everything <= 1 << steps))
    fills, drains, *odd = all_but_one(everything, first, end)
    halved, all_once = where(p > 1, half, 0), where(first < end, everything, 0)
    all_but = steps * everything - but_one
    for chunks, written, largest, also, said in (
        (all_once, steps * everything, None, implies(given, end <= first + 1), now == everything),
        (steps * half, steps * everything >> 1, None, True, 2 * now == everything),
        (but_one, but_one, (first, halved), exact, now == drains),
        (but_one, but_one, (end - 1, halved), exact, now == fills),
        (but_one, but_one, peak(everything, first, end), enough, now == fills),
        *((but_one, but_one, None, enough, now == one) for one in (drains, *odd)),
        (all_but, all_but, None, enough, now == everything - fills),
        (steps, steps, None, True, now == 1),
    ):
        shown = Obligation("chunks in a span", during(page), both(also, implies(inside, said)))
        if plausible(shown):
            return Bulk(first, end, chunks, written, largest), shown
    raise Undecided(
        "how many chunks are in a message is no power of two that halves or doubles from step to step, "
        "nor twice as many and then what is left, nor that backwards, nor the odd multiples of such a power, "
        "nor all but so many, nor always one, half or all of them"
    )


def all_but_one(everything: Int, first: Int, end: Int) -> Iterator[Int]:
    """Yield how many chunks are sent in step ``t``, for each way to send all but one in a span.

    Twice as many in each step, and what is left in the last; or those whose numbers are odd multiples of the power of
    two, of which each number but 0 is an odd multiple of one; each also backwards.
    """
    none: Int = 0
    ways: list[Int] = [where(first <= t, t - first, none), where(t < end, end - 1 - t, none)]
    for e in ways:
        yield least(1 << (e + 1), everything) - least(1 << e, everything)
    for e in ways:
        yield (everything - 1 + (1 << e)) >> (e + 1)


def peak(everything: Int, first: Int, end: Int) -> tuple[Int, Int]:
    """Return the step with the largest message, where messages double but for the last, and its chunks.

    With two ranks there is one step, and ``before`` is no more than the ``rest``, be it rounded or not.
    """
    before, rest = 1 << (end - first) >> 2, everything - (1 << (end - first) >> 1)
    return where(rest <= before, end - 2, end - 1), where(p > 1, where(rest <= before, before, rest), 0)
