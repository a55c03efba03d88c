"""Faults that a page may share with its implementation: numpy's sum finds each, and no text of a page is asked.

What is planted is what people get wrong in both: a rank's vector left out, a part never delivered, the smallest kept.
"""

from __future__ import annotations

import numpy as np
import pytest

from sparring import page_runs
from sparring.proofs import thc
from sparring.refinement import sums
from sparring.refinement.looks import summing
from sparring.refinement.runtime_faults import unharmed
from sparring.spec.core import runner
from tests.algorithms import ALGORITHMS
from tests.impl.algorithms import PAGES, SELECTING, TARGETS, planted

RANKS = (1, 2, 3, 4, 8)


def found(name):
    """What numpy's sum finds."""
    return (flaw for trial in summing(PAGES[name], TARGETS[name], RANKS) for flaw in trial.flaws(unharmed))


@pytest.fixture(autouse=True)
def no_text_is_asked(monkeypatch):
    """A page that is wrong alike would not change a thing."""
    for module in (runner, page_runs):  # which has it by its own name
        monkeypatch.setattr(module, "run", lambda *_, **__: pytest.fail("the page ran"))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_is_wrong_alike_is_found(name):
    """By numpy alone."""
    _, old, new = ALGORITHMS[name].alike
    with planted(name, (old, new)):
        flaw = next(found(name))
    assert flaw.property == sums.SUM
    assert "numpy's" in flaw.detail or "did not come at once" in flaw.detail, flaw.detail


@pytest.mark.parametrize("name", SELECTING)
def test_the_smallest_are_no_sum(name):
    """Nor is what comes of them later: the zeros that ranks end with are smaller still."""
    with planted("core.selection", ("else largest(size, k)", "else largest(~size, k)")):
        assert next(found(name)).property == sums.SUM


def test_codes_may_not_be_off_by_as_much_as_a_rank_has(monkeypatch):
    """A proof module that allows everything is found out."""
    monkeypatch.setattr(thc, "off", lambda xs, params: np.inf)  # as modules have it

    assert "rank 0's vector could be missing" in next(found("thc")).detail
