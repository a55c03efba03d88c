"""sparring.union_growth: equal to the reference, on vectors and on sparse ones, and clear about what it refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparring
from sparring import InputError, Sparse
from sparring.inputs import digits
from sparring.spec.core import top_k
from sparring.spec.library.support_models import disjoint, identical, independent, measured

KEYS = ("step0", "step30", "step300")

supports = st.lists(st.frozensets(st.integers(0, 20), max_size=12), min_size=1, max_size=7)
rows = st.integers(0, 9).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0, 1, -1, 2, -2, 3]), min_size=n, max_size=n), min_size=1, max_size=6)
)


def sparse(support, n=21, dtype="int64"):
    """A sparse vector with that support; all its values are zero, and are there all the same."""
    at = np.array(sorted(support), dtype)
    return Sparse(at, np.zeros(at.size), n)


def spreads(growth):
    """The measure, ``s`` by ``s``."""
    return [*zip(growth.low, growth.mean, growth.high)]


@given(supports, st.sampled_from(["int32", "int64"]))
def test_sparse_vectors_have_their_supports(sets, dtype):
    """Supports of any sizes, empty ones included: the measure is the reference's, exactly."""
    growth = sparring.union_growth([sparse(x, dtype=dtype) for x in sets])
    assert spreads(growth) == measured(sets)
    assert (growth.n, growth.k, growth.ranks) == (21, tuple(map(len, sets)), len(sets))


@given(rows, st.integers(0, 11), st.sampled_from(["float32", "float64", "int32", "int64"]))
def test_dense_vectors_keep_their_largest(values, k, dtype):
    """Ties included, of k the reference selects the same; rows of one array are as good as a list."""
    expected = measured([top_k.top(row, k) for row in values])
    vectors = np.array(values, dtype).reshape(len(values), -1)
    assert spreads(sparring.union_growth(vectors, k=k)) == expected
    assert sparring.union_growth([*vectors], k=k) == sparring.union_growth(vectors, k=k)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("share", [1, 10, 100, 300])
def test_the_shipped_gradients(key, share):
    """At each density and snapshot of the documentation: the reference's numbers, and all of them within the models."""
    vectors, density = digits(8, key), Fraction(share, 1000)
    growth = sparring.union_growth(vectors, density=density)
    k = round(density * 9610)
    assert growth.k == (k,) * 8
    assert spreads(growth) == measured([top_k.top(x.tolist(), k) for x in vectors])
    assert all(a <= low for a, low in zip(growth.identical(), growth.low))
    assert all(high <= b for high, b in zip(growth.high, growth.disjoint()))


def test_what_the_documentation_says_of_the_gradients():
    """A third to seven tenths of independent supports; smaller after 30 steps, larger after 300; a fifth is zero."""
    for share in (1, 10, 100, 300):
        first, soon, late = (sparring.union_growth(digits(8, key), density=share / 1000) for key in KEYS)
        assert soon.mean[-1] < first.mean[-1] < late.mean[-1]
        for growth in (first, soon, late):
            assert Fraction(1, 3) < growth.mean[-1] / growth.independent()[-1] < Fraction(7, 10)
    for key in KEYS:
        assert np.mean(~np.any(digits(8, key), axis=0)) == pytest.approx(0.2, abs=0.02)


def test_the_models_are_the_pages():
    """With the ranks' mean size, where sizes differ."""
    growth = sparring.union_growth([sparse(range(2)), sparse(range(3, 8))])
    assert growth.typical == Fraction(7, 2)
    for u, sizes in ((identical, growth.identical()), (disjoint, growth.disjoint())):
        assert sizes == (u(1, 21, Fraction(7, 2)), u(2, 21, Fraction(7, 2)))
    assert growth.independent() == (Fraction(7, 2), independent(2, 21, Fraction(7, 2)))


def test_the_table():
    """A line for each s; only columns with broken numbers show a digit behind the point."""
    growth = sparring.union_growth([sparse({0, 1}), sparse({1, 2}), sparse({5, 6})])
    assert growth.table().splitlines() == [
        "s  identical  low  mean  high  independent  disjoint",
        "1          2    2   2.0     2          2.0         2",
        "2          2    3   3.7     4          3.8         4",
        "3          2    5   5.0     5          5.4         6",
    ]


@pytest.mark.parametrize(
    ("density", "k"), [(0, 0), (0.001, 10), (0.01, 96), (np.float32(0.3), 2883), (Fraction(1, 2), 4805), (1, 9610)]
)
def test_a_density_is_rounded(density, k):
    """To the nearest whole number of entries; where it says a half, to the even one of the two."""
    assert sparring.union_growth(digits(2), density=density).k == (k, k)


one, three = np.ones(1), np.ones(3)


@pytest.mark.parametrize(
    ("vectors", "asked", "why"),
    [
        ([], {"k": 1}, "there are no vectors: right is one a rank, and at least one"),
        (three, {"k": 1}, "vectors are one 1-D array: right is a sequence of vectors, one a rank"),
        (sparse({1}), {}, "vectors are a Sparse: right is a sequence of vectors, one a rank"),
        (None, {}, "vectors are a NoneType: right is a sequence of vectors, one a rank"),
        ([three, [1.0]], {"k": 1}, "vectors[1] is a list: it must be a numpy array"),
        ([three, np.ones((1, 3))], {"k": 1}, "vectors[1] has 2 dimensions: it must have 1"),
        ([three, three.astype("float16")], {"k": 1}, "vectors[1] has dtype float16: it must be float32, "),
        ([three, sparse({1}, 3)], {"k": 1}, "vectors[0] is not Sparse, others are: all ranks need one kind"),
        ([three, one], {"k": 1}, "vectors[1] has 1 entries, vectors[0] has 3: all ranks need one length"),
        ([sparse({1}, 3), sparse({1}, 4)], {}, "vectors[1] has 4 entries, vectors[0] has 3: all ranks need one length"),
        ([sparse({1})], {"k": 1}, "k is given: sparse vectors have their supports already; leave it out"),
        ([sparse({1})], {"density": 0.5}, "density is given: sparse vectors have their supports already; leave it out"),
        ([three], {}, "neither k nor density is given: of a dense vector each rank keeps k entries, or the share"),
        ([three], {"k": 1, "density": 0.1}, "both k and density are given: of a dense vector each rank keeps k"),
        ([three], {"k": -1}, "k = -1: it must be a whole number, 0 or more"),
        ([three], {"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ([three], {"density": 1.5}, "density = 1.5: it must be a number from 0 to 1, the share of entries that are"),
        ([three], {"density": float("nan")}, "density = nan: it must be a number from 0 to 1, the share of entries"),
        ([three], {"density": "1%"}, "density = '1%': it must be a number from 0 to 1, the share of entries"),
    ],
)
def test_bad_input_gets_a_sentence(vectors, asked, why):
    """That says what is wrong, where, and what would be right."""
    with pytest.raises(InputError) as raised:
        sparring.union_growth(vectors, **asked)
    assert str(raised.value).startswith(why)
    assert "\n" not in str(raised.value)
