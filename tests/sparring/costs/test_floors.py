"""Lower bounds: no input escapes them, planted ones are beaten, and costs stand above them by what is said."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

import sparring
from sparring.costs import rows
from sparring.costs.formulas import lower_bounds
from sparring.costs.formulas.lower_bounds import ONE_RANK
from sparring.costs.formulas.symbols import exact, k, n, p

SPARSE = sparring.page("ring_sparse")
MODELS = ("identical", "independent", "disjoint", "blocks:3", "zipf:1.1")
LEAST = 2 * k * (p - 1) / p
WRONG = {
    "an allgather's": 2 * k * (p - 1),
    "a little more": LEAST + k / (100 * p),
    "one that forgets what a rank knows": 2 * k,
}


def needed(known, many):
    """Words that the rank which must receive most must receive: pairs that it does not know."""
    return max(2 * (many - one) for one in known)


@pytest.mark.parametrize("name", WRONG)
def test_a_bound_that_is_too_high_is_refuted(name):
    """By z3, with a distribution that is counted here; and by trying all."""
    witness = next(found for ranks in range(2, 17) if (found := lower_bounds.escaping(WRONG[name], ranks)))
    known, many = witness["known"], witness["k"]
    ranks = len(known)
    assert sum(known) <= many and min(known) >= 0
    assert needed(known, many) < exact(WRONG[name], {"p": ranks, "k": many})
    verdict, detail = lower_bounds.found(lower_bounds.Floor("words", WRONG[name], "", ONE_RANK))
    assert str(verdict) == "refuted" and "no rank must receive" in detail


@pytest.mark.parametrize(
    ("name", "model"),
    [
        *(("ring_sparse", model) for model in MODELS),
        *((name, "union") for name in ("ring", "rabenseifner", "recursive_doubling", "ring_allgather", "ring_topk")),
    ],
)
def test_no_cost_is_below_its_bound(name, model):
    """Under each model, and at points where nothing is even."""
    cost, what = sparring.cost(name, support=model), "pairs" if name == "ring_sparse" else "words"
    times = 16 if name == "rabenseifner" else 1  # whose chunks are equal
    for ranks in (*range(1, 9), 16):
        for length, many in ((48, 0), (48, 3), (48, 48), (97, 31), (240, 7)):
            at = {"p": Fraction(ranks), "n": Fraction(length * times), "k": Fraction(many)}
            found, least = cost.at(**at), cost.least(at)
            assert getattr(found, what) >= least[what] >= 0 and found.messages >= least["messages"]


def test_limits_of_logarithms():
    """Rounded or not; none where another letter is left, or a size is rounded."""
    found = {row.quantity: row for row in rows.rows(sparring.cost("recursive_doubling"))}
    assert found["words"].limit == sympy.oo
    assert (found["messages"].ratio, found["messages"].limit) == (1, 1)
    assert rows.towards((p - 1) * n / p) is None and rows.towards(sympy.ceiling(p / 2) / p) is None
    assert rows.towards((3 * p - 1) / p) == 3


def test_a_gap_with_powers_of_p_leads_from_the_bound_to_the_cost():
    """At a point where nothing is rounded, exactly."""
    cost = sparring.cost("ring_sparse", support="independent")
    at = {"p": Fraction(4), "n": Fraction(64), "k": Fraction(8), "alpha": 0, "beta": 0, "gamma": 0, "width": 4}
    (row,) = (row for row in rows.rows(cost) if row.quantity == "pairs")
    assert exact(row.gap, at) + cost.least(at)["pairs"] == cost.at(p=4, n=64, k=8).pairs


@pytest.mark.parametrize("model", ["identical", "independent", "disjoint"])
def test_an_empty_vector_has_a_bound(model):
    """No index is divided by how many there are; the twin has one entry."""
    found = sparring.cost("ring_sparse", support=model)
    for length, least in ((0, 0), (1, {"identical": Fraction(7, 4)}.get(model, 0))):
        at = {letter: Fraction(x) for letter, x in {"p": 8, "n": length, "k": length}.items()}
        assert found.least(at) == {"messages": 3, "pairs": least}
