"""The bound on what a coded sum is off: proved, upset by faults, and nearly reached by runs of the page."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import errors, worst
from sparring.proofs.logic import solvers

STATEMENTS = {one.name: one for one in errors.statements()}


@pytest.mark.parametrize("name", STATEMENTS)
def test_both_solvers_prove_it_and_its_fault_upsets_it(name):
    found = errors.answered(STATEMENTS[name])
    assert found.solvers == {"z3": "unsat", "cvc5": "unsat"}
    assert (found.faulty, found.possible) == ("sat", "sat") and found.witness
    assert found.holds


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_hypothesis_that_a_fault_replaces_is_needed(name):
    """Without it the claim does not follow, so that the fault is no hypothesis too many."""
    one = STATEMENTS[name]
    kept = {what: h for what, h in one.hypotheses.items() if what not in one.planted}
    assert solvers.ask_z3(solvers.question([*kept.values()], one.claim)) == "sat"


def test_what_contradicts_itself_does_not_hold():
    """Anything follows from it."""
    one = STATEMENTS["ranges add up"]
    assert not errors.answered(one._replace(hypotheses={**one.hypotheses, "never": errors.S < 0})).holds


@pytest.mark.parametrize(("b1", "b2"), [(8, 8), (4, 4), (4, 8), (8, 4), (2, 2), (3, 5), (5, 6), (6, 2), (2, 7)])
@pytest.mark.parametrize("p", range(2, 9))
def test_the_bound_is_nearly_reached(p, b1, b2):
    """To within a fifth, in exact arithmetic, by the page itself; and never passed."""
    found = worst.reached(sparring.page("flash", b1=b1, b2=b2, g=3), worst.worst(p, b1, b2))
    assert Fraction(4, 5) <= found.part <= 1


def drawn(p, n, seed):
    """Vectors of whole numbers."""
    rng = np.random.default_rng(seed)
    return [[Fraction(int(v)) for v in rng.integers(-50, 51, n)] for _ in range(p)]


@pytest.mark.parametrize("spikes", [0, 1])
@pytest.mark.parametrize("p", [2, 3, 5])
def test_drawn_vectors_keep_the_bound(p, spikes):
    """60 runs in exact arithmetic with a fixed seed, groups that are not full included."""
    for seed in range(60):
        page = sparring.page("flash", b1=1 + seed % 4, b2=1 + seed % 3, g=4, spikes=spikes)
        found = worst.reached(page, drawn(p, 4 * p, seed), 4)
        assert found.part <= 1


def test_a_run_whose_codes_are_cut_off_passes_the_bound(monkeypatch):
    """And with rounding it does not: the check can fail."""
    page, xs = sparring.page("flash", b1=4, b2=4, g=3), worst.worst(4, 4, 4)
    high = [[v if v != int(v) + worst.NEARLY else v + worst.HALF for v in x] for x in xs]
    assert worst.reached(page, high).part <= 1
    monkeypatch.setattr(
        "sparring.spec.codecs.group_quantiser.rounded",
        lambda v, low, step, most: min(int((v - low) / step), most) if step else 0,
    )
    assert worst.reached(page, high).part > 1
