"""Closed forms of what aggregators make on average, beside the page's own results over all patterns of losses."""

from fractions import Fraction
from itertools import product

import pytest
import sympy

from sparring.analysis.packet_loss import identities, weights
from sparring.analysis.packet_loss.identities import Identity, induction, vanishes
from sparring.analysis.packet_loss.patterns import call, entries, patterns, slots
from sparring.impl.lossy_two_shot import AGGREGATORS
from sparring.spec.library.lossy_links import COLLECTING, HANDING
from sparring.spec.lossy_two_shot import Params

LOSS = Fraction(3, 10)


def vectors(p, n):
    """Fractions without a pattern."""
    return [[Fraction((7 * r * r + 3 * e * e + 5 * r * e) % 11 - 4, 3) for e in range(n)] for r in range(p)]


@pytest.mark.parametrize(("p", "aggregator"), [*product(range(1, 5), AGGREGATORS)])
def test_means_and_variances_over_all_patterns(p, aggregator):
    """Of each shard's owner; another rank has the same with 1 - q, and what it had, here zero, with q."""
    xs, params = vectors(p, p), Params(aggregator, lost=300, packet=1)
    for c in range(p):
        found, values = entries(xs, params, LOSS, c), [x[c] for x in xs]
        mean, variance = found[c, c]
        assert mean == weights.mean(aggregator, values, c, LOSS)
        assert variance == weights.variance(aggregator, values, c, LOSS)
        for r in range(p):
            if r != c:
                assert found[r, c].mean == (1 - LOSS) * mean
                assert found[r, c].variance == (1 - LOSS) * (variance + mean**2) - found[r, c].mean ** 2


def test_all_patterns_of_all_shards_together():
    """So that shards may be looked at one by one: on three ranks, of the first step, 2^6 of them; and of both, 2^4."""
    xs, params = vectors(3, 3), Params("ht", lost=300, packet=1)
    some = slots(params, 3, 3, (COLLECTING,), range(3))
    every = [(chance, call(xs, None, params, lost).replicas) for chance, lost in patterns(some, LOSS)]
    assert len(every) == 2**6 and sum(chance for chance, _ in every) == 1
    for c in range(3):
        mean = sum(chance * held[c][c] for chance, held in every)
        assert mean == entries(xs, params, LOSS, c)[c, c].mean == sum(x[c] for x in xs) / 3
    both = slots(params, 2, 2, (COLLECTING, HANDING), range(2))
    pair = [x[:2] for x in xs[:2]]
    every = [(chance, call(pair, None, params, lost).replicas) for chance, lost in patterns(both, LOSS)]
    assert len(every) == 2**4
    for r, c in product(range(2), repeat=2):
        assert sum(chance * held[r][c] for chance, held in every) == entries(pair, params, LOSS, c)[r, c].mean


q, p, m = weights.q, weights.p, weights.m
FALSE = [
    Identity("own weight as if unbiased", "", (weights.AVERAGE["ratio"](p, q).own - 1 / p,)),
    Identity("an absorption one off", "", (sympy.binomial(p - 1, m) / m - sympy.binomial(p, m) / p,)),
    induction("1 - q^p begins at 1", "", 1 - q**p, p, sympy.Integer(1), 1 - q ** (p + 1)),
    induction("a power too few", "", 1 - q**p, p, sympy.Integer(0), 1 - q**p),
    Identity("true at p = 1 alone", "", (q**p - q,)),
    Identity("true at p = 1, 2 and 3", "", ((p - 1) * (p - 2) * (p - 3) * q,)),
]


@pytest.mark.parametrize("one", FALSE, ids=lambda one: one.name)
def test_false_identities_do_not(one):
    assert not one.holds


def test_what_is_shown_of_several_is_of_all():
    holds, words = identities.shown(weights.identities())
    assert holds and "ratio0, variance" in words
    assert identities.shown([*weights.by_ratio(), FALSE[0]]) == (False, "own weight as if unbiased does not hold: ")


def test_an_identity_is_all_of_its_expressions():
    assert not Identity("one of two", "", (sympy.Integer(0), q)).holds
    assert vanishes((1 - q**2) / (1 - q) - 1 - q)
    assert identities.vanishes(sympy.binomial(p, m) - sympy.binomial(p, p - m))
