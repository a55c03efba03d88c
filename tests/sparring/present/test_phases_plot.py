"""The diagram as a picture: a rectangle for each stretch, a name in each region, one picture for one diagram."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.costs import regions
from sparring.errors import InputError
from sparring.present import crossing
from sparring.present import phases as picture

NAMES = ("ring", "ring_allgather", "ring_sparse")
WITHIN = Fraction(1, 20)


@pytest.fixture(scope="module")
def costs():
    return [sparring.cost(name, support="independent") for name in NAMES]


@pytest.fixture(scope="module")
def found(costs):
    return regions.phases(costs, ("rho", "p"), {"n": 4000}, end=("1", "5"))


def test_each_region_is_drawn_and_named(costs, found):
    """Rectangles are stretches and pale cells; the band is two lines."""
    bands = regions.bands(costs, found, 4)
    sheet = picture.figure({"one": found, "two": found}, WITHIN, bands)
    first, second = sheet.axes
    stretches = sum(len(found.runs(j)) for j in range(len(found.up)))
    pale = sum(len(found.close(j, i, WITHIN)) > 1 for j in range(len(found.up)) for i in range(len(found.along)))
    assert len(first.patches) == stretches + pale and pale > 0
    assert [text.get_text() for text in second.texts] == [*NAMES]
    dashed = [line for line in first.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2 and len(first.lines) == len(second.lines) + 2
    assert len({patch.get_hatch() for patch in first.patches if patch.get_alpha() is None}) == len(NAMES)


def test_more_than_can_be_told_apart(found, costs):
    many = regions.phases([costs[0]] * 8, ("rho", "p"), {"n": 10}, end=("1", "3"))
    with pytest.raises(InputError, match="8 algorithms: in a picture at most 6 can be told apart"):
        picture.figure({"one": many}, WITHIN, {})
    course = regions.courses([costs[0]] * 8, "p", {"n": 10}, end="3")
    with pytest.raises(InputError, match="8 algorithms: in a picture at most 7 can be told apart"):
        crossing.several(course)


def test_several_curves_and_where_the_cheapest_changes(costs):
    course = regions.courses(costs, "rho", {"p": 8, "n": 10_000})
    (axes,) = crossing.several(course).axes
    curves = [line for line in axes.lines if line.get_label() in NAMES]
    assert [line.get_label() for line in curves] == [*NAMES]
    assert np.asarray(curves[2].get_ydata()).tolist() == [float(cost) for cost in course.costs[2] if cost is not None]
    assert [text.get_text() for text in axes.texts] == [crossing.percent(float(t.place)) for t in course.turns]
    assert [turn.then for turn in course.turns] == ["ring_sparse", "ring"]
