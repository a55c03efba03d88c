"""What decides published statements about Moshpit, and that each decides the other way where it has to."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.analysis.averaging import factors, shown
from sparring.spec import moshpit
from sparring.spec.library import group_average


def test_were_it_the_factor_it_would_be_found_so(monkeypatch):
    monkeypatch.setattr(factors, "published", lambda n, r: factors.of_blocks(r, n))
    assert shown.published_factor()[0]


def test_another_factor_is_refuted(monkeypatch):
    monkeypatch.setattr(factors, "of_blocks", Fraction)
    assert shown.exact_factor() == (False, "not at p=2 with groups of 2")


@pytest.mark.slow
def test_another_algorithm_is_refuted(monkeypatch):
    """Nobody moves, so it is not that algorithm; of each copy nothing is left out, so more is sent."""
    monkeypatch.setattr(moshpit, "moved", lambda z, e, c, m: z)
    assert not shown.exact()[0]
    monkeypatch.setattr(group_average, "shares", lambda n, wanted, rounded: [n, *[0] * (len(wanted) - 1)])
    assert not shown.volume()[0]


def test_shapes_are_all():
    """Numbers of partitions of 0 to 7."""
    assert [sum(1 for _ in shown.shapes(n, n)) for n in range(8)] == [1, 1, 2, 3, 5, 7, 11, 15]
    assert "moshpit" in sparring.pages()
