"""How stale replicas get, in closed form, beside the page's states after every sequence of patterns."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy

from sparring.analysis.packet_loss import ages, hypotheses, replicas
from sparring.analysis.packet_loss.hypotheses import LOSS, OWNER, VALUES
from sparring.analysis.packet_loss.identities import induction
from sparring.analysis.packet_loss.patterns import call
from sparring.spec.library.lossy_links import HANDING
from tests.sweeps import third

LOSSES = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


@pytest.mark.parametrize(("q", "calls"), third(product(LOSSES, range(1, 5))))
def test_distances_over_all_sequences_of_patterns(q, calls):
    """Uncorrelated steps have the mean ages, constant ones the mean squares, after any number of calls."""
    weighs = replicas.independent(3, q)
    assert replicas.drift(replicas.uncorrelated(calls), weighs) == (ages.age(q, calls), ages.gap(q, calls))
    assert replicas.drift(replicas.constant(calls), weighs) == (ages.age_squared(q, calls), ages.gap_squared(q, calls))


def test_a_call_moves_ages_as_the_recursions_say():
    """From any two ages, on the page: who loses the packet is one more behind, who gets it not at all."""
    slot = {r: (HANDING, 0, r, 0) for r in (1, 2)}
    xs = [[Fraction(1), Fraction(0), Fraction(0)]] * 3
    for first, second in product(range(4), repeat=2):
        state: Any = None
        for back in range(4, 0, -1):  # the last of these calls is one back
            gone = {slot[r] for r, age in ((1, first), (2, second)) if age >= back}
            state = call(xs, state, replicas.RUNNING, gone)
        assert replicas.ages(state) == [0, first, second]
        for lost in ((), (1,), (2,), (1, 2)):
            after = call(xs, state, replicas.RUNNING, {slot[r] for r in lost})
            assert replicas.ages(after) == [0, *((age + 1) * (r in lost) for r, age in ((1, first), (2, second)))]
            assert [after.replicas[0][0] - y[0] for y in after.replicas] == replicas.ages(after)


q, t = ages.q, ages.t
FALSE = [
    induction("a stale one is one behind", "", ages.gap(q, t), t, sympy.Integer(0),
              q**2 * ages.gap(q, t) + 2 * q * (1 - q)),
    induction("both lose it together", "", ages.gap(q, t), t, sympy.Integer(0),
              q * ages.gap(q, t) + 2 * q * (1 - q) * (1 + ages.age(q, t))),
    induction("the limit at once", "", ages.age_limit(q), t, sympy.Integer(0), q * (1 + ages.age_limit(q))),
]  # fmt: skip


@pytest.mark.parametrize("one", FALSE, ids=lambda one: one.name)
def test_false_recursions_do_not(one):
    assert not one.holds


def test_the_simplified_limit_is_passed_after_a_few_calls():
    """At a loss of one half two replicas are farther apart, already after two calls."""
    half = Fraction(1, 2)
    assert ages.behind_by_one(half) == Fraction(2, 3)
    assert replicas.drift(replicas.uncorrelated(2), replicas.independent(3, half)).pair > Fraction(2, 3)
    assert ages.gap_limit(half) == Fraction(4, 3)


@pytest.mark.parametrize("one", [*hypotheses.hypotheses()], ids=lambda one: one.name)
def test_each_hypothesis_is_needed(one):
    """With it the closed form is what is; without it another thing is, and the page shows it."""
    says, true = one.kept()
    assert says == true
    says, true = one.broken()
    assert says != true
    assert one.words and one.breaks


def test_what_the_witnesses_say():
    """In numbers that can be checked by hand."""
    shown = {one.name: one.broken().true for one in hypotheses.hypotheses()}
    assert shown["nothing late"] == 3  # back to the first of four calls
    assert shown["no copy twice"] == 2 * sum(VALUES) / 3 + 0 * VALUES[OWNER] - VALUES[OWNER] / 3
    assert shown["independent ranks"] == LOSS / (1 - LOSS) * (VALUES[0] + VALUES[1]) ** 2 / 9
    assert shown["known rate"] == (VALUES[2] + Fraction(9, 7) * (VALUES[0] + VALUES[1])) / 3
    assert shown["independent calls"] == sum(Fraction(9, 10) ** k for k in range(4)) / 2
