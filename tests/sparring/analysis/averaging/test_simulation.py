"""A million ranks beside the exact expectation: means of eight runs with fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.analysis.averaging import simulation
from tests.sweeps import third

T_999 = 5.408  # Student's t with 7 degrees of freedom, two-sided 99.9 %
RUNS = 8


@pytest.mark.parametrize("kind", third(simulation.KINDS))
@pytest.mark.parametrize(("m", "d", "dies"), [(100, 3, 0.05), (10, 6, 0.1)])
def test_the_variance_falls_as_expected(kind, m, d, dies):
    """Within 99.9 % intervals of the mean of runs, round by round, up to 10^6 ranks."""
    runs = RUNS if m**d > 100 else 4000
    found = simulation.drawn(kind, m, d, dies, 4, [(m, d, i) for i in range(runs)])
    assert (abs(found.mean - 1) <= T_999 * found.error).all()
    assert found.error[0] < 0.05


def test_a_wrong_factor_is_told():
    """The published factor, where it is not the exact one: 16 ranks in 2 groups."""
    found = simulation.drawn("random groups", 8, 1, 0.0, 1, range(10))
    assert (found.found < 1e-30).all() and (found.expected == 0).all()
    pairs = simulation.drawn("random groups", 2, 2, 0.0, 1, range(8000))
    published = ((2 - 1) / 4 + 2 / 16) * (1 - 1 / 4)
    mean, error = pairs.found.mean(), pairs.found.std(ddof=1) / np.sqrt(len(pairs.found))
    assert abs(mean - pairs.expected[0, 0]) <= 3.3 * error < abs(mean - published)


def test_without_dropouts_a_torus_is_exact():
    found = simulation.drawn("torus", 10, 3, 0.0, 3, [1])
    assert found.found[0, 2] < 1e-28 < found.found[0, 1]
