"""The mean square of what a coded sum is off: Flash Communication beside a ring that codes anew at each hop.

Of a code with steps of ``s`` an entry is off by a number that is uniform between ``-s/2`` and ``s/2``, with the
mean square ``s^2 / 12``, where the places of entries between two codes are uniform; and where each rank's are
so whatever the others', the errors of several codes are independent, and their mean squares add up.  Both
are exact on whole numbers, for steps that are odd, with ``(s^2 - 1) / 12`` (:func:`enumerated`); but in
Flash Communication, which adds up multiples of the first step alone, only if the last has no divisor with it.

The sum of ``h`` alike and independent ranks' entries has ``sqrt(h)`` times the spread of one, and in groups that are
large enough ``sqrt(h)`` times its range, so that its steps have ``h`` times the square.  Under this hypothesis
a ring codes sums of 1, 2, ..., N ranks, one after the other, and Flash Communication N vectors, and one
sum of N.  For two ranks the ring is off by less, for three by as much, for more by more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

N = sympy.Symbol("N", integer=True, positive=True)
SQUARE = sympy.Symbol("s", positive=True) ** 2 / 12
"""The mean square of what one rank's codes are off."""


def in_ring() -> Any:
    """Of a ring that codes what it passes on, hop by hop, and in the end the sum."""
    h = sympy.Symbol("h", integer=True, positive=True)
    return sympy.summation(h * SQUARE, (h, 1, N))


def in_flash() -> Any:
    """Of the two steps: all ranks' vectors, and the sum."""
    return N * SQUARE + N * SQUARE


def ratio() -> Any:
    """How many times as much in the ring."""
    return sympy.simplify(in_ring() / in_flash())


def nearest(x: int, step: int) -> int:
    """The nearest multiple of an odd step."""
    return (x + step // 2) // step * step


def ring(xs: Sequence[int], steps: Sequence[int]) -> int:
    """What is read in the end where the sum of ``h`` entries is coded with ``steps[h - 1]``."""
    total = 0
    for x, step in zip(xs, steps):
        total = nearest(total + x, step)
    return total


def flash(xs: Sequence[int], steps: Sequence[int]) -> int:
    """The same where entries are coded with the first step, their sum with the last."""
    return nearest(sum(nearest(x, steps[0]) for x in xs), steps[-1])


def enumerated(read: Callable[[Sequence[int], Sequence[int]], int], steps: Sequence[int], period: int) -> Fraction:
    """The mean square over all entries below ``period``, which all steps divide, of each of as many ranks as steps."""
    every = product(range(period), repeat=len(steps))
    return Fraction(sum((read(xs, steps) - sum(xs)) ** 2 for xs in every), period ** len(steps))


def expected(steps: Sequence[int]) -> Fraction:
    """Of codes with these steps, one after the other, where what they are off is independent."""
    return sum((Fraction(step * step - 1, 12) for step in steps), Fraction(0))


def coded(steps: Sequence[int]) -> Iterator[tuple[Callable[[Sequence[int], Sequence[int]], int], Sequence[int]]]:
    """Both, each with the steps of all its codes."""
    yield ring, steps
    yield flash, [steps[0]] * len(steps) + [steps[-1]]
