"""Two costs as curves: what is drawn are the costs, and a picture is the same whenever it is drawn."""

import pytest

import sparring
from sparring.present import crossing

POINT = {"alpha": "10us", "beta": "25Gbit/s"}


@pytest.fixture(scope="module")
def over_n():
    """Ring against recursive doubling at 8 ranks."""
    return sparring.crossover("ring", "recursive_doubling", "n", p=8, **POINT)


@pytest.fixture(scope="module")
def over_p():
    """The same over the number of ranks."""
    return sparring.crossover("ring", "recursive_doubling", "p", n=5000, end=12, **POINT)


def test_curves_are_the_costs(over_p):
    """At every number of ranks, what ``cost`` says."""
    for curve in crossing.curves(over_p):
        right = [float(sparring.cost(curve.name).at(p=p, n=5000, **POINT).time) for p in range(2, 13)]
        assert list(curve.xs) == [*range(2, 13)] and curve.ys == pytest.approx(right, rel=1e-12)


def test_curves_over_n_reach_from_end_to_end_and_cross_where_told(over_n):
    ring, doubling = crossing.curves(over_n)
    assert ring.xs[0] == 1 and ring.xs[-1] == pytest.approx(1e12)
    place = float(over_n.crossings[0].low)
    assert [a < b for a, b in zip(ring.ys, doubling.ys)] == [x > place for x in ring.xs]


def test_every_curve_and_crossing_is_drawn(over_n):
    (axes,) = crossing.figure(over_n).axes
    legend = axes.get_legend()
    assert legend and [text.get_text() for text in legend.get_texts()] == ["ring", "recursive_doubling"]
    assert len(axes.lines) == 3 and [text.get_text() for text in axes.texts] == ["68750"]
    assert "$" not in "".join(label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels()))
