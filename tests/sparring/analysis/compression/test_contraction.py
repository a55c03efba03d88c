"""What kept rows hold: lemmas and their faults; all draws of small sketches, through the page's own selection."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import z3

from sparring.analysis.compression import contraction, differences
from sparring.analysis.compression.reals import Lemma, proved, refuted
from sparring.errors import Undecided
from sparring.spec.library.matrices import dot, first

SIGNS = ((-1, Fraction(1, 2)), (1, Fraction(1, 2)))
FEW_BITS = tuple((v, Fraction(c, 16)) for v, c in ((-2, 1), (-1, 4), (0, 6), (1, 4), (2, 1)))
"""Ones among four bits, less two: variance 1."""


@pytest.mark.parametrize(
    ("lemmas", "wrong"),
    [
        (contraction.largest(z3.BoolVal(True)), "one more is left"),
        (contraction.moments(4), "one entry more"),
        (contraction.averaged(contraction.r + 3), "one r less"),
        (differences.lemmas(differences.q * differences.q), "both"),
    ],
)
def test_each_statement_needs_what_it_says(lemmas, wrong):
    """That what is left is below what is kept; a fourth moment of at most 3; no more than r (r + 2).

    Of an estimate's distance q, not q^2.
    """
    found = proved(lemmas)
    assert not found.holds and found.detail.startswith(f"{wrong}: it fails at ")


def test_more_than_the_share_is_refuted():
    """``(k + 1) / m`` of all is too much."""
    good = contraction.sizes(4, 2)
    assert not refuted(good)
    numbers = z3.Reals("w0 w1 w2 w3")
    more = Lemma("3 of 4", good.hypotheses, 4 * sum(numbers[:2]) >= 3 * sum(numbers))
    assert "it fails at" in refuted(more)


def test_hypotheses_that_nothing_satisfies_prove_nothing():
    x = z3.Real("x")
    with pytest.raises(Undecided, match="contradict each other"):
        refuted(Lemma("empty", (x > 0, x < 0), x == 7))


def held(rows, k, r, entries):
    """The exact expected part of the squared length that the page keeps, over all draws of the sketching matrix."""
    n, total, found = len(rows[0]), sum(v * v for row in rows for v in row), Fraction(0)
    for draw in product(entries, repeat=n * r):
        columns = [[z for z, _ in draw[s * n : (s + 1) * n]] for s in range(r)]
        near = [[dot(row, column) for column in columns] for row in rows]
        kept = first([dot(row, row) for row in near], k)
        chance = np.prod(np.array([q for _, q in draw], object))
        found += chance * sum(v * v for i in kept for v in rows[i]) / total
    return found


def matrices(seed, m, n):
    rng = np.random.default_rng(seed)
    return [[Fraction(int(v)) for v in row] for row in rng.integers(-5, 6, (m, n))]


@pytest.mark.parametrize("entries", [SIGNS, FEW_BITS], ids=["signs", "bits"])
@pytest.mark.parametrize(("m", "n", "r"), [(3, 2, 1), (4, 2, 2), (5, 3, 1)])
def test_the_bound_holds_for_every_draw_together(entries, m, n, r):
    """Exact expectations, of random matrices and of those made to be hard."""
    hard = [[Fraction(1), *[Fraction(0)] * (n - 1)]] * (m - 1) + [[*[Fraction(0)] * (n - 1), Fraction(9, 10)]]
    for rows, k in product([matrices(seed, m, n) for seed in range(3)] + [hard], range(1, m)):
        assert held(rows, k, r, entries) >= Fraction(k, m) ** 2 * Fraction(r, r + 2)


def test_the_constant_of_top_k_fails_for_ones_among_bits_too():
    """The three rows, and entries with four bits: less than a third is kept; exact lengths keep more."""
    rows = [[Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(19, 20)]]
    fewer = [rows[2], rows[0], rows[1]]  # ties go to the shorter row
    assert held(fewer, 1, 1, FEW_BITS) < Fraction(1, 3)
    lengths = [sum(v * v for v in row) for row in rows]
    (kept,) = first(lengths, 1)
    assert lengths[kept] * 3 >= sum(lengths)


def test_equal_rows_are_no_counterexample(monkeypatch):
    """With a third row as short as 1/9 the longer are kept often enough."""
    monkeypatch.setattr(contraction, "SHORTER", Fraction(1, 9))
    with pytest.raises(Undecided, match="no counterexample"):
        contraction.constant_fails()
