"""The crossing of the ring that sends pairs, and the band in which the cheapest encoding pays."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

import sparring
from sparring import InputError, Undecided
from sparring.costs.formulas.symbols import k, n, p
from sparring.costs.supports.break_even import ONE, band, comparison
from sparring.costs.union_cost import derive
from sparring.spec import ring_sparse

PAGE = sparring.page("ring_sparse")
EDGE = Fraction(31, 32)
FIGURES = {8: ("0.043", "1.33"), 32: ("0.010", "1.58"), 256: ("0.0012", "1.60")}
"""Where the band begins, and the largest factor, as the project's design has them."""


def pairs(ranks, density):
    """Words per place that a rank sends in the ring, summed message by message."""
    union = [1 - (1 - density) ** many for many in range(ranks + 1)]
    return Fraction(2, ranks) * (sum(union[1:ranks]) + (ranks - 1) * union[ranks])


x = sympy.Symbol("x", positive=True)


def ring(cost):
    """Words per place, for independent supports of density ``x > 0``."""
    return sympy.expand(cost.under("independent").simplify("p | n").words.subs(k, x * n) / n)


def test_pairs_cross_the_allgather_where_both_cost_two_words():
    """For every p >= 3 at density x* = 1 / (p - 1); so a ring of pairs is nowhere shorter than both others.

    It is concave and 0 at 0: up to x* it lies above its chord, the allgather; and it does not fall, so that from there
    on it is 2 or more, the dense ring less.  For it is a sum of terms 1 - (1 - x)^s, whose slopes have these signs.
    """
    meeting, s = 1 / (p - 1), sympy.Symbol("s", integer=True, positive=True)
    assert sympy.simplify(ring(derive(PAGE)).subs(x, meeting) - 2) == 0 == sympy.simplify(2 * (p - 1) * meeting - 2)
    term, left = 1 - (1 - x) ** s, 1 - x
    assert sympy.simplify(sympy.diff(term, x) / left ** (s - 1)) == s
    assert sympy.simplify(sympy.diff(term, x, 2) / left ** (s - 2) + s * (s - 1)) == 0


@pytest.fixture(scope="module")
def words():
    """Per place, in closed form."""
    return ring(derive(PAGE))


@pytest.mark.parametrize("ranks", range(3, 65))
def test_the_crossing_at_rationals(ranks, words):
    """Exactly 2 at the crossing; below, the allgather sends no more, above, the dense ring sends less."""
    meeting, dense = Fraction(1, ranks - 1), Fraction(2 * (ranks - 1), ranks)
    assert pairs(ranks, meeting) == 2 * (ranks - 1) * meeting == 2
    for step in (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)):
        assert pairs(ranks, step * meeting) > 2 * (ranks - 1) * step * meeting
        assert pairs(ranks, meeting + step * (1 - meeting)) > 2 > dense
    assert words.subs({p: ranks, x: Fraction(1, 7)}) == pairs(ranks, Fraction(1, 7))


def sent(ranks, density):
    """What sparse ring and the better of the others send per place, in fractions."""

    def least(d):
        return min(Fraction(4), 8 * d, 6 * d + Fraction(4, 2**16), 4 * d + Fraction(1, 8))

    union = [1 - (1 - density) ** many for many in range(ranks + 1)]
    ours = (sum(map(least, union[1:ranks])) + (ranks - 1) * least(union[ranks])) / ranks
    return ours, min((ranks - 1) * least(density), Fraction(8 * (ranks - 1), ranks))


@pytest.mark.parametrize("density", [Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), EDGE, Fraction(1)])
@pytest.mark.parametrize("ranks", [2, 3, 8, 17])
def test_bounds_hold_the_exact_value(ranks, density):
    """Rounded down and up, for densities that are no binary fractions too."""
    compared = comparison(PAGE, ranks)
    unit = ranks * compared.scale * ONE
    at = density * ONE // 1
    ours, others = sent(ranks, Fraction(at, ONE))
    down, up = compared.sent(at, 0), compared.sent(at, 1)
    assert down.ring <= ours * unit <= up.ring
    assert up.ring - down.ring <= 16 * ranks**2 * compared.scale
    assert down.other == up.other == others * unit
    assert compared.factor(density).low <= others / ours <= compared.factor(density).high


@pytest.mark.parametrize("ranks", FIGURES)
def test_the_band_is_the_one_that_was_found(ranks):
    """To the digits that are printed; the bounds are checked again in fractions where these are small."""
    begins, factor = FIGURES[ranks]
    found = band(PAGE, ranks)
    assert found
    digits = len(begins) - 2
    assert [f"{float(bound):.{digits}f}" for bound in found.begins] == [begins] * 2
    assert [f"{float(bound):.2f}" for bound in found.factor] == [factor] * 2
    assert found.ends.low < EDGE < found.ends.high
    for density, pays in ((found.begins.low, False), (found.begins.high, True), (found.best, True)):
        ours, others = sent(ranks, density)
        assert (others > ours) is pays
    assert found.factor.low <= others / ours <= found.factor.high


def test_two_ranks_have_no_band():
    """Pages whose messages have no encodings to choose from, or fall as they fill up, are not compared."""
    assert band(PAGE, 2) is None
    header = replace(PAGE, octets=lambda m, size, w: size * w + 8)
    with pytest.raises(Undecided, match="no header and the least of several encodings"):
        band(header, 8)
    falling = replace(PAGE, octets=lambda m, size, w: ring_sparse.least(size * w, 2 * size * w - 5 * m))
    with pytest.raises(Undecided, match="bytes fall as entries or places grow"):
        band(falling, 8)


@pytest.mark.parametrize(("ranks", "times"), [(1, Fraction(1)), (8, Fraction(1, 2))])
def test_bad_numbers(ranks, times):
    """One sentence."""
    with pytest.raises(InputError, match="right is 2 ranks or more"):
        band(PAGE, ranks, times=times)
