"""The curves of union growth carry what was measured, are drawn the same every time, and need matplotlib."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from sparring import InputError, MissingExtra, Sparse, union_growth
from sparring.inputs import digits
from sparring.present import growth

MODELS = {"identical", "independent", "disjoint"}


@pytest.fixture(scope="module")
def panels():
    """Two densities of two snapshots; needs the extra 'plots'."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'sparring[plots]'")
    return {
        f"{share} %": {key: union_growth(digits(8, key), density=Fraction(share, 100)) for key in ("step0", "step300")}
        for share in (1, 30)
    }


def drawn(panels) -> Any:
    """The figure; what its parts are asked for has many types."""
    return growth.figure(panels)


def test_the_curves_are_the_numbers(panels):
    """In each panel, of each measure the means, and of each model its sizes, in percent of n."""
    sheet = drawn(panels)
    assert [axes.get_title(loc="left") for axes in sheet.axes] == [*panels]
    for axes, curves in zip(sheet.axes, panels.values()):
        lines = {line.get_label(): line for line in axes.get_lines()}
        assert lines.keys() == MODELS | curves.keys()
        one = curves["step0"]
        expected = {name: getattr(one, name)() for name in MODELS} | {name: g.mean for name, g in curves.items()}
        for name, line in lines.items():
            assert [*line.get_xdata()] == [*range(1, 9)]
            assert [*line.get_ydata()] == [float(100 * Fraction(size) / 9610) for size in expected[name]]


def test_the_bands_are_least_and_largest(panels):
    """At each s the band's edges are low and high."""
    for axes, curves in zip(drawn(panels).axes, panels.values()):
        bands = {band.get_label(): band for band in axes.collections}
        assert bands.keys() == curves.keys()
        for name, g in curves.items():
            edges = bands[name].get_paths()[0].vertices
            for s, low, high in zip(range(1, 9), g.low, g.high):
                heights = edges[edges[:, 0] == s, 1]
                assert (heights.min(), heights.max()) == (100 * low / 9610, 100 * high / 9610)


def test_every_curve_has_its_name_beside_it(panels):
    """Once, at the curve's right end; in the curves' order, and none upon another."""
    sheet = drawn(panels)
    sheet.draw_without_rendering()
    for axes, curves in zip(sheet.axes, panels.values()):
        ends = {line.get_label(): line.get_ydata()[-1] for line in axes.get_lines()}
        names = sorted(axes.texts, key=lambda text: ends[text.get_text()])
        assert {text.get_text() for text in names} == MODELS | curves.keys()
        boxes = [text.get_window_extent() for text in names]
        assert all(below.y1 <= above.y0 + 1 for below, above in pairwise(boxes))
        assert all(box.x1 <= sheet.bbox.x1 for box in boxes)


def test_measures_differ_in_more_than_colour(panels):
    """Each has its marker, no model has one, and the models' dashes differ."""
    lines = drawn(panels).axes[0].get_lines()
    markers = {line.get_label(): line.get_marker() for line in lines}
    assert len({markers[name] for name in ("step0", "step300")} - {"None"}) == 2
    assert {markers[name] for name in MODELS} == {"None"}
    colours = [np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for colour, _ in growth.PENS]
    greys = sorted(float(colour @ [0.299, 0.587, 0.114]) for colour in colours[:3])
    assert all(above - below > 25 for below, above in pairwise(greys))


def test_the_document_is_the_same_every_time(panels):
    """SVG and PNG are, bit by bit, whatever settings the user has; the SVG has no date."""
    import matplotlib as mpl

    first = growth.svg(panels), growth.png(panels)
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.hashsalt": None, "axes.facecolor": "red"}):
        assert (growth.svg(panels), growth.png(panels)) == first
        assert mpl.rcParams["font.size"] == 30
    text, picture = first
    assert ET.fromstring(text).tag.endswith("svg")
    assert "date" not in text and "matplotlib.org" not in text
    assert picture.startswith(b"\x89PNG")


def test_one_rank_and_many(panels):
    """From one rank to dozens, and names with signs that matplotlib would read as formulas."""
    for p in (1, 2, 40):
        vectors = [Sparse([r, r + 1], [1.0, 1.0], 50) for r in range(p)]
        assert growth.svg({r"$\frac{$": {r"$\sqrt$": union_growth(vectors)}}).startswith("<?xml")


@pytest.mark.parametrize(
    ("curves", "why"),
    [
        ({}, "panel 'x' has 0 measures: right is 1 to 4"),
        ({str(i): (4, 2, 3) for i in range(5)}, "panel 'x' has 5 measures: right is 1 to 4"),
        ({"a": (4, 2, 3), "b": (5, 2, 3)}, "panel 'x': 'a' and 'b' have n=4 and 5; right is one for all"),
        ({"a": (4, 2, 3), "b": (4, 1, 2)}, "panel 'x': 'a' and 'b' have k=2 and 1, p=3 and 2; right is one for all"),
        ({"a": (0, 0, 1)}, "panel 'x': 'a' is of vectors without entries; there is nothing to draw"),
    ],
)
def test_a_panel_that_cannot_be_drawn_is_refused(curves, why):
    """In a sentence; each measure here is made of n, k and p."""
    made = {name: union_growth(np.ones((p, n)), k=k) for name, (n, k, p) in curves.items()}
    with pytest.raises(InputError) as raised:
        growth.figure({"x": made})
    assert str(raised.value) == why
    with pytest.raises(InputError, match="there is no panel to draw: right is at least one, with its measures by name"):
        growth.figure({})


def test_without_matplotlib_there_is_a_sentence(panels, monkeypatch):
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra) as raised:
        growth.svg(panels)
    assert str(raised.value) == 'curves need matplotlib; to install it: pip install "sparring[plots]"'
