"""DropCompute's rules and its choice of tau: runs against formulas, by hand, and on every small input."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from sparring.spec.training import drop_threshold
from sparring.spec.training.drop_compute import RULES, Micro, counted, mean, worked

PASSES = [Micro(*times) for times in product(range(3), repeat=2)]


@pytest.mark.parametrize("name", RULES)
def test_each_rule_counts_what_its_formula_says(name):
    """For all of up to three micro-batches whose passes take 0, 1 or 2; never less with a larger tau."""
    for many in range(4):
        for micros in product(PASSES, repeat=many):
            works = [worked(RULES[name], micros, tau) for tau in range(14)]
            assert [work.completed for work in works] == [counted(name, micros, tau) for tau in range(14)]
            assert all(0 <= work.completed <= many for work in works)
            assert all(a.completed <= b.completed and a.now <= b.now for a, b in pairwise(works))


def test_when_computing_ends():
    """At tau; after the micro-batch in which it passes; after the pass."""
    micros = [Micro(Fraction(1), Fraction(2))] * 3
    now = {name: [worked(rule, micros, tau).now for tau in (2, Fraction(7, 2), 5, 20)] for name, rule in RULES.items()}
    assert now == {
        "analytic": [2, Fraction(7, 2), 5, 9],
        "after_backward": [3, 6, 6, 9],
        "between_passes": [3, 4, 6, 9],
    }


def test_both_normalisers():
    """The fixed mean is that of what was completed times the part that was; nothing at all is no update."""
    sums, counts = [[Fraction(6), Fraction(-3)], [Fraction(1), Fraction(5)], [Fraction(0)] * 2], [3, 1, 0]
    fixed, completed = mean(sums, counts, 4, "fixed"), mean(sums, counts, 4, "completed")
    assert completed == [Fraction(7, 4), Fraction(2, 4)] and completed is not None
    assert fixed == [Fraction(sum(counts), 3 * 4) * v for v in completed]
    assert mean([[0], [0]], [0, 0], 4, "fixed") == [0]
    assert mean([[0], [0]], [0, 0], 4, "completed") is None


def test_the_choice_by_hand():
    """Two ranks, one iteration of 26: the best is to keep what is over by 6, 9 of 12 micro-batches in 8 of 26."""
    quick, slow = [1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 20, 24]
    ends = [[quick], [slow]]
    assert drop_threshold.gained([list(map(Fraction, quick)), list(map(Fraction, slow))], Fraction(26), 9) == (
        Fraction(10, 12) * Fraction(26, 26 - 24 + 8) - 1
    )
    tau = drop_threshold.best(ends, 26)
    assert 6 < tau <= 8
    assert drop_threshold.effective(ends, 26, tau) == Fraction(9, 12) * Fraction(26, 8) - 1
    assert drop_threshold.grid(ends, 4) == [6, 12, 18, 24]


def test_it_is_the_effective_speedup_with_the_last_end_for_tau():
    """What is gained: (part completed) (T + rest) / (last end before tau + rest), the paper's with that for tau."""
    now, rest = [[Fraction(i * s) for i in range(1, 8)] for s in (1, 2, 3)], Fraction(5)
    for tau in range(1, 22):
        kept = [end for rank in now for end in rank if end < tau]
        wanted = Fraction(len(kept), 21) * (21 + rest) / (max(kept) + rest) if kept else 0
        assert drop_threshold.gained(now, 21 + rest, tau) == wanted - 1
