"""SIDCo's thresholds, beside a few lines of numpy; and what its authors' rule for stages does not find."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.analysis.compression import exponential_tails
from sparring.spec.core.selectors import Series, find
from sparring.spec.selectors import sidco


def by_numpy(x, shares):
    """The same in one line a stage: the quantile of an exponential distribution, over the threshold before."""
    t = 0.0
    for share in shares:
        if (left := x[x > t]).size or not t:
            t -= (left.mean() - t if t else x.mean()) * np.log(share)
    return t


@given(st.lists(st.floats(1e-3, 9), min_size=2, max_size=200), st.integers(1, 6), st.data())
def test_a_threshold_is_that_of_numpy(x, stages, data):
    k = data.draw(st.integers(1, len(x) - 1))
    shares = sidco.parts(k, len(x), stages, 250)
    assert math.prod(shares) == pytest.approx(k / len(x))
    assert sidco.threshold(x, shares) == pytest.approx(by_numpy(np.array(x), shares))


def test_one_stage_lets_its_part_pass():
    """Of many exponential numbers, to within the deviation of such a count."""
    x = np.random.default_rng(1).exponential(3.0, 40_000)
    t = sidco.threshold(x.tolist(), [0.01])
    assert abs((x > t).sum() - 400) < 4 * math.sqrt(400)


def test_stages_follow_what_is_found():
    """Too few in a call is a stage more, too many one less, near enough none; up to as many as halve the vector."""
    now = sidco.State(calls=2, stages=2)
    assert [sidco.followed(now._replace(found=many), 5, 100, 2, 200).stages for many in (7, 8, 12, 13)] == [3, 2, 2, 1]
    assert sidco.followed(now._replace(found=7), 5, 100, 3, 200) == now._replace(found=7)
    assert sidco.followed(now._replace(found=0, stages=5), 5, 100, 2, 200).stages == 5
    assert sidco.followed(now._replace(found=99, stages=1), 5, 100, 2, 200).stages == 1


def test_a_vector_of_zeros_is_not_sent():
    series = Series(find("sidco", k=2))
    assert len(series([0.0] * 9).indices) == 0
    assert len(series([0.0] * 8 + [float("nan")]).indices) == 1


def test_long_tails_would_be_met_by_the_opposite_rule(monkeypatch):
    """That entries are far too many there is the rule's doing, and not that of stages; short tails need the rule."""
    assert exponential_tails.short_tails().holds and not exponential_tails.long_tails().holds
    followed = sidco.followed

    def opposite(state, k, n, calls, off):
        after = followed(state._replace(found=2 * k * calls - state.found), k, n, calls, off)
        return after if state.calls >= calls else state

    monkeypatch.setattr(sidco, "followed", opposite)
    assert exponential_tails.long_tails().holds and not exponential_tails.short_tails().holds


def test_wrong_formulas_show():
    """Of the statements that sympy decides, and of the parts of stages."""
    assert exponential_tails.quantile().holds and exponential_tails.excess().holds
    m, d = exponential_tails.m, exponential_tails.d
    assert not exponential_tails.alike(exponential_tails.TAIL.subs(exponential_tails.t, m * d), d, "").holds


def test_stages_that_let_more_pass_show(monkeypatch):
    assert exponential_tails.together().holds
    monkeypatch.setattr(exponential_tails, "parts", lambda k, n, stages, first: [k / n] * stages)
    assert not exponential_tails.together().holds
