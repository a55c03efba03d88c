"""What waits: it is shown and not to be written to, comes back in the next call, and is where it was cut."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.proofs.core.iterations import iterate
from tests.impl.algorithms import PAGES, RANKS, SELECTING, TARGETS, planted, simulated
from tests.impl.faults import FAULTS


@pytest.mark.parametrize(
    ("name", "params"),
    [*((name, {"k": 1}) for name in (*SELECTING, "error_feedback")), ("oktopk", {"k": 1, "tau_prime": 1})],
)
def test_the_residual_cannot_be_written_to(name, params):
    """It is None before the first call, then a view that follows the calls."""
    seen = simulated(f"{RANKS}:look", [None], name=name, **params)
    assert seen == [(None, [1.0, 0.0, 2.0, 0.0], [1.0, 0.0, 0.0, 0.0], False)]


@pytest.mark.parametrize("params", [{}, {"k": 0}, {"k": 3}, {"k": 99}], ids=str)
@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.stateful])
def test_one_call_is_a_function(name, params):
    """``allreduce`` does what a new class does first."""
    if params and "k" not in PAGES[name].params:
        params = {}
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    ys = simulated(f"{RANKS}:once", xs, name=name, **params)
    first = simulated(f"{RANKS}:made", xs, name=name, **params)
    assert [y.tobytes() for y in ys] == [y.tobytes() for y in first]


def test_what_spardl_dropped_comes_back():
    """SparDL's rank 0 has 3, which loses against rank 1's 9, so it has it again, and sends it in the next call."""
    xs = [np.array([[0.0, 0.0, 0.0, 3.0], [0.0] * 4]), np.array([[0.0, 0.0, 9.0, 0.0], [0.0] * 4])]
    first, second = simulated(TARGETS["spardl"], xs, call=iterate, k=1)
    assert [one.residual.tolist() for one in first] == [[0.0, 0.0, 0.0, 3.0], [0.0] * 4]
    assert [one.residual.tolist() for one in second] == [[0.0] * 4] * 2
    assert [one.result.dense().tolist() for one in first] == [[0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 0.0, 3.0]]


def test_gtopk_is_not_the_top_of_the_sum():
    """A small entry of all ranks never gets through a half of the tree."""
    xs = [np.array([[3, 4 * (r % 2), 0, 4 * (1 - r % 2)]]) for r in range(4)]
    assert [calls[0].result.indices.tolist() for calls in simulated(TARGETS["gtopk"], xs, call=iterate, k=1)] == [
        [1]
    ] * 4
    assert np.sum(xs, axis=0)[0].tolist() == [12, 8, 0, 8]


def balance():
    """What comes out of gTop-k, and what stays behind at each rank: one half of the tree brings what the other cut."""
    xs = [np.array([x]) for x in ([0, 5, 0, 0], [0, 0, 6, 0], [0, 9, 0, 0], [0, 0, 0, 1])]
    ran = simulated(TARGETS["gtopk"], xs, call=iterate, k=1)
    return ran[0][0].result.dense().tolist(), [calls[0].residual.tolist() for calls in ran]


def test_the_published_residual_of_gtopk_loses_mass():
    """Of 21 in all, 9 are in the result, and 7 stay behind: rank 0's 5 is nowhere.  Here it stays where it was cut."""
    (published,) = (one for one in FAULTS if one.name.startswith("the published residual"))
    zeros, result = [0, 0, 0, 0], [0, 9, 0, 0]
    assert balance() == (result, [[0, 5, 6, 0], zeros, [0, 0, 0, 1], zeros])
    with planted("gtopk", *(text[1:] for text in published.texts)):
        assert balance() == (result, [zeros, [0, 0, 6, 0], zeros, [0, 0, 0, 1]])
