"""Models of supports with a parameter: sizes are those of every case counted once, and faults are caught."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import sparring
from sparring import InputError, Undecided
from sparring.costs.formulas.interval import interval
from sparring.costs.supports import models, zipf
from sparring.costs.union_cost import derive
from sparring.spec.core.sparse import SparseVector
from sparring.spec.library.support_models import disjoint, identical, independent

PAGE = sparring.page("ring_sparse")
NAMES = ["identical", "independent", "disjoint", "blocks:1", "blocks:7", "zipf:0.5", "zipf:1.1", "zipf:3"]
BLOCKS = [(2, 8, 2, 2), (2, 12, 3, 2), (2, 12, 3, 1), (3, 6, 2, 1), (3, 6, 2, 2), (3, 9, 3, 1), (2, 7, 1, 3)]
"""Ranks, entries, entries of a block, blocks of a rank."""


def supports(length, block, many):
    """Every support of so many whole blocks."""
    cut = [range(i, min(i + block, length)) for i in range(0, length, block)]
    return [sorted(x for one in some for x in one) for some in combinations(cut, many)]


def mean(numbers):
    """Exact."""
    numbers = [*numbers]
    return Fraction(sum(numbers), len(numbers))


@pytest.mark.parametrize(("ranks", "length", "block", "many"), BLOCKS)
def test_blocks_are_the_mean_of_all_runs(ranks, length, block, many):
    """The page is run on every choice of blocks; on average its messages have the entries that the model says."""
    kept = many * block
    choices = product(supports(length, block, many), repeat=ranks)
    entries = mean(sum(len(msg.indices) for _, _, msg in sent(chosen, length)) for chosen in choices)
    cost = derive(PAGE, f"blocks:{block}")
    found = cost.at(p=ranks, n=length, k=kept).pairs * ranks / 2
    if length % ranks == 0:
        assert entries == found
    assert entries <= found  # all chunks are taken to be as long as the longest


def sent(chosen, length):
    """All messages of a run on these supports."""
    xs = [SparseVector(tuple(at), (1,) * len(at), length) for at in chosen]
    return [message for _, wire, _ in sparring.run(PAGE, xs) for message in wire]


@pytest.mark.parametrize(("ranks", "length", "block", "many"), BLOCKS)
@pytest.mark.parametrize("start", [0, 1])
def test_a_chunk_has_its_part_of_blocks(ranks, length, block, many, start):
    """Wherever it begins and ends; and its variance is at most what is said, but more than without the block."""
    size = length // 2
    choices = product(supports(length, block, many), repeat=ranks)
    there = [len({x for at in chosen for x in at if start <= x < start + size}) for chosen in choices]
    model = models.find(f"blocks:{block}")
    kept = many * block
    assert mean(there) == model.union(ranks, length, kept) * size / length
    variance = mean(x * x for x in there) - mean(there) ** 2
    most = model.variance(ranks, length, kept, size)
    assert most is not None and variance <= most


@given(
    st.sampled_from(NAMES),
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.integers(1, 12),
)
def test_models_lie_between_the_best_and_the_worst(name, size, s):
    """Identical and disjoint; popular indices make a union no larger than independent ones; more ranks no smaller."""
    n, k = size
    found = models.find(name).union(s, n, k)
    assert identical(s, n, k) <= found <= disjoint(s, n, k)
    assert found <= models.find(name).union(s + 1, n, k)
    assert models.find(name).union(1, n, k) == k
    if name.startswith("zipf"):
        assert zipf.curve(n, Fraction(k), models.find(name).exponent).between(s)[0] <= independent(s, n, k)


@cache
def precisely(n, k, a):
    """The chances for any exponent, in 60 digits: certain ones by trying."""
    mp.dps = 60
    each = [mp.mpf(j) ** (-mp.mpf(a.numerator) / a.denominator) for j in range(1, n + 1)]
    rest = [*accumulate(reversed(each))][::-1]
    certain = next(m for m in range(k + 1) if (k - m) * each[m] <= rest[m])
    c = (k - certain) / rest[certain]
    return [mp.mpf(1)] * certain + [c * w for w in each[certain:]]


@pytest.mark.parametrize("a", ["0.01", "0.7", "1", "1.1", "1.37", "2.5", "15.9"])
@pytest.mark.parametrize("k", [1, 40, 1490])
def test_zipf_encloses_what_is_precise(a, k):
    """In another arithmetic; and no wider than is said."""
    n, a = 1500, Fraction(a)
    for s in (2, 7, 64):
        low, high = zipf.curve(n, Fraction(k), a).between(s)
        assert high - low <= 2 * (s + 1) * zipf.EXACT * high and zipf.union(s, n, k, a) == high
        value = sum(1 - (1 - chance) ** s for chance in precisely(n, k, a))
        assert mp.mpf(low.numerator) / low.denominator <= value <= mp.mpf(high.numerator) / high.denominator


FAULTS = {
    "chances above 1": ("chances", lambda n, k, a: zipf.weights(n, a) * float(k) / zipf.weights(n, a).sum()),
    "a root too few": ("BITS", 12),
    "a scale that is hardly sought": ("LEFT", 0.01),
    "an error that is too small": ("EXACT", Fraction(1, 1 << 80)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_sum_is_caught(name, monkeypatch):
    """What is exact, or precise, then lies outside."""
    monkeypatch.setattr(zipf, *FAULTS[name])
    zipf.weights.cache_clear()
    zipf.curve.cache_clear()
    with pytest.raises(AssertionError):
        test_zipf_encloses_what_is_precise("0.7", 1490)
    zipf.weights.cache_clear()
    zipf.curve.cache_clear()


def test_zipf_encloses_itself_in_formulas():
    """For a range of k, what it is at each k within; for a range of n it does not know."""
    enclosed = models.find("zipf:1.1").function.enclosed
    found = enclosed([interval(3), interval(100), interval(10, 20)])
    for kept in (10, Fraction(31, 2), 20):
        low, high = zipf.curve(100, Fraction(kept), Fraction(11, 10)).between(3)
        assert found.a <= float(low) <= float(high) <= found.b
    with pytest.raises(Undecided, match="compare over rho or p"):
        enclosed([interval(3), interval(100, 200), interval(10)])


BAD = {
    "zipf": "the exponent is a number above 0, at most 16, such as zipf:1.1",
    "zipf:0": "the exponent is a number above 0",
    "zipf:-1": "the exponent is a number above 0",
    "zipf:17": "at most 16",
    "zipf:x": "the exponent is a number",
    "blocks": "a block has a whole number of entries, 1 or more, such as blocks:64",
    "blocks:0": "a whole number of entries, 1 or more",
    "blocks:1.5": "a whole number of entries",
    "blocks:٣": "a whole number of entries",
    "independent:2": "there are union, identical, independent, disjoint, blocks:LENGTH, zipf:EXPONENT",
    "even": "there are union",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_model_is_one_sentence(text):
    """It says what would be right."""
    with pytest.raises(InputError, match=BAD[text]) as error:
        sparring.cost("ring_sparse", support=text)
    assert "\n" not in str(error.value)


def test_too_many_indices_are_refused():
    """They are summed one by one."""
    with pytest.raises(InputError, match="summed one by one, at most 16777216"):
        derive(PAGE, "zipf:1.1").at(p=2, n=10**9, k=1)
    with pytest.raises(InputError, match="a rank has 0 to n=4 entries"):
        zipf.curve(4, Fraction(5), Fraction(1))
