"""Where a claim is false for a few ranks is found by evaluating it, at what points the formulas say."""

from __future__ import annotations

import numpy as np
import pytest

from sparring import page
from sparring.proofs.kernel.kernel import readable
from sparring.proofs.logic import small_points
from sparring.proofs.logic.obligations import Obligation, p, r, within
from sparring.proofs.logic.queries import counterexample
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.numbers import Sym, evaluate, variables
from tests.proofs.planted import MUTATIONS

radix = Sym.var("radix")


def claims(name, mutation=lambda whole: whole):
    """What is to be shown of the page's result."""
    return next(readable(mutation(subject(page(name)).general))).obligations


@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "rabenseifner", "recursive_multiplying"])
def test_values_are_the_formulas_own(name):
    """At points that satisfy the hypotheses, each claim has the value that it has when evaluated one by one."""
    for claim in claims(name):
        names = sorted(variables(claim.claim).union(*map(variables, claim.hypotheses)) - {"p"})
        rng = np.random.default_rng(0)
        points = {v: rng.integers(0, 5, 2000) + 2 * (v == "radix") for v in names} | {"p": rng.integers(2, 6, 2000)}
        read = small_points.Sampler(points)
        with np.errstate(all="ignore"):
            true = [np.full(2000, True) & read(h) for h in (*claim.hypotheses, claim.claim)]
        for at in np.flatnonzero(np.all(true[:-1], axis=0))[:5]:
            values = {v: int(x[at]) for v, x in points.items()}
            assert bool(evaluate(claim.claim, **values)) == bool(true[-1][at])


@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "recursive_multiplying"])
def test_what_is_true_is_never_called_false(name):
    assert not any(small_points.false_at(claim) for claim in claims(name))


def test_a_planted_fault_is_found():
    """By the obligation that it breaks; which ranks and parameters, and nothing else, is told."""
    wrong = claims("recursive_multiplying", MUTATIONS["wrong neighbour"])
    found = next(filter(None, map(small_points.false_at, wrong)))

    assert found.keys() == {"p", "radix"}


def test_the_fewest_ranks():
    claim = Obligation("fewer than three above", (p >= 1, within(r)), r < 3)

    assert small_points.false_at(claim) == {"p": 4}
    assert counterexample(claim, {"p": 4, "r": 3})
    assert small_points.false_at(Obligation("in range", (p >= 1, within(r)), r < p)) == {}
