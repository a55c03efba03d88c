"""The advice as a picture: a bar an algorithm, as long as its time, with its range."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Rectangle

import sparring
from sparring.present.advice import plot

RINGS = ("ring", "ring_allgather", "ring_sparse", "ring_topk")


@pytest.fixture(scope="module")
def advice():
    vectors = np.random.default_rng(2).standard_normal((3, 500))
    return sparring.advise({"w": vectors}, "ib-hdr", [3, 20], algorithms=RINGS)


def bars(axes):
    return [one for one in axes.patches if isinstance(one, Rectangle)]


def test_bars_are_times(advice):
    """In the order of the answer; the line goes from the least to the most."""
    panels = plot.figure(advice).axes

    assert [axes.get_title(loc="left") for axes in panels] == ["3 ranks", "20 ranks"]
    for axes, answer in zip(panels, advice.answers):
        assert [label.get_text() for label in axes.get_yticklabels()] == [one.algorithm for one in answer.options]
        assert [bar.get_width() for bar in bars(axes)] == [float(one.time.expected) for one in answer.options]
        assert [np.asarray(line.get_xdata()).tolist() for line in axes.lines] == [
            [float(one.time.low), float(one.time.high)] for one in answer.options
        ]


def test_what_is_summed_is_told_without_colour(advice):
    """Hatched, open or filled."""
    (axes, _), answer = plot.figure(advice).axes, advice.answers[0]
    looks = {
        one.result: (bar.get_hatch(), bar.get_facecolor() == (1, 1, 1, 1))
        for one, bar in zip(answer.options, bars(axes))
    }

    assert looks == {"all": (None, False), "kept": ("////", True), "cut": (None, True)}
