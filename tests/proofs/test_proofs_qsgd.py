"""QSGD's theorems: its published bounds are judged, and smaller ones refuted."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.proofs.compression import levels
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.verdicts import PROVED

PAGE = sparring.page("qsgd")
PROPERTIES = ["result", "agreement", "deadlock", "contention", "volume", "peers"]


@pytest.mark.parametrize("params", [{}, {"levels": 40}, {"levels": 16000}])
def test_all_are_proved_for_every_p(params):
    found = list(kernel.prove(sparring.page("qsgd", **params)))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_claims_are_judged():
    """All three bounds hold; with the greatest magnitude the last does not."""
    assert all(claim().holds for claim in (levels.unbiased, levels.variance, levels.sparse))
    found = levels.sparse_by_max()
    assert not found.holds and "of 9 equal entries and 1 level 9 are not 0, more than 4" in found.detail


def test_biased_levels_are_found(monkeypatch):
    """Always up, always down, and signs that get lost."""
    good = levels.module.level
    for wrong in (lambda v, unit, most, chance: good(v, unit, most, 0),
                  lambda v, unit, most, chance: good(v, unit, most, (1 << levels.module.FINE) - 1)):  # fmt: skip
        monkeypatch.setattr(levels.module, "level", wrong)
        assert not levels.unbiased().holds
    monkeypatch.setattr(levels.module, "level", good)
    monkeypatch.setattr(levels.module, "read", lambda one: [one.unit * q for q in one.levels])
    assert not levels.unbiased().holds


def test_smaller_bounds_are_refuted():
    """Without the squares a level that is not 0 is counted too rarely; losses are not below half of what lies above."""
    (rare,) = (one for one in levels.entry() if one.name == "a level above 0")
    assert refuted(rare._replace(hypotheses=rare.hypotheses[1:], claim=levels.chance <= levels.t / 2))
    (less,) = (one for one in levels.entry() if one.name == "no more than what is above a level")
    assert refuted(less._replace(claim=levels.f * (1 - levels.f) <= levels.t / 2))
    params = levels.module.Params(1)
    assert levels.moments((1, 1, 1, 1), params) == ([1] * 4, Fraction(4), Fraction(2))
