"""Union growth: the models are between their bounds, and the measure agrees with supports made to fit them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import sympy
from hypothesis import given
from hypothesis import strategies as st

from sparring.spec.library.support_models import MODELS, disjoint, identical, independent, measured

sizes = st.integers(0, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@st.composite
def equal_supports(draw):
    """``n``, ``k``, and the supports of 1 to 7 ranks, ``k`` of ``n`` indices each."""
    n, k = draw(sizes)
    one = st.permutations(range(n)).map(lambda order: frozenset(order[:k]))
    return n, k, draw(st.lists(one, min_size=1, max_size=7))


@given(sizes, st.integers(1, 12))
def test_the_models_stand_in_order(size, s):
    """k = identical <= independent <= disjoint = min(s k, n), exactly."""
    n, k = size
    assert k == identical(s, n, k) <= independent(s, n, k) <= disjoint(s, n, k) == min(s * k, n)


@given(st.integers(1, 4), st.integers(1, 3))
def test_independent_is_the_mean_over_all_supports(n, s):
    """For every choice of supports once, the mean of the unions is the model's number."""
    subsets = [frozenset(i for i in range(n) if bits >> i & 1) for bits in range(2**n)]
    for k in range(n + 1):
        unions = {frozenset[int](): 1}
        choices = [x for x in subsets if len(x) == k]
        for _ in range(s):
            counts: dict[frozenset[int], int] = {}
            for union, ways in unions.items():
                for x in choices:
                    counts[union | x] = counts.get(union | x, 0) + ways
            unions = counts
        total = sum(len(union) * ways for union, ways in unions.items())
        assert independent(s, n, k) == Fraction(total, sum(unions.values()))


@given(equal_supports())
def test_a_measure_is_within_the_bounds(made):
    """k <= low <= mean <= high <= min(s k, n); all grow with s, and all ranks together have one union."""
    n, k, supports = made
    spreads = measured(supports)
    assert len(spreads) == len(supports)
    for s, u in enumerate(spreads, 1):
        assert identical(s, n, k) <= u.low <= u.mean <= u.high <= disjoint(s, n, k)
    for u, following in pairwise(spreads):
        assert all(a <= b for a, b in zip(u, following))
    assert set(spreads[-1]) == {len(frozenset().union(*supports))}


def test_neighbours_go_around_the_ring():
    """Of four ranks only the last and the first share anything: of the four pairs one is smaller."""
    pair = measured([{0, 1}, {2, 3}, {4, 5}, {1, 6}])[1]
    assert pair == (3, Fraction(15, 4), 4)


def test_the_models_run_on_sympys_terms():
    """What they give there is, at a point, what they give on numbers."""
    s, n, k = sympy.symbols("s n k", integer=True, positive=True)
    for u in MODELS.values():
        for point in ((1, 10, 3), (3, 10, 4), (7, 12, 12)):
            term = sympy.sympify(u(s, n, k)).subs(dict(zip((s, n, k), point)))
            number = Fraction(u(*point))
            assert term == sympy.Rational(number.numerator, number.denominator)
