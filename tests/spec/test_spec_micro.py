"""MiCRO beside the authors' rules as their public code has them, and what its statements would be if they failed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import exclusive_parts
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import wrong


def called(page, calls, state=None):
    """Call after call what a run has."""
    for xs in calls:
        ran = run(page, [*xs], state)
        state = ran.state
        yield ran


def normal(p, n, calls):
    return np.random.default_rng([p, n]).standard_normal((calls, p, n))


@pytest.mark.parametrize("p", [1, 2, 5])
def test_thresholds_are_multiplied_as_published(p):
    """By 1.005, 1.00125 or 0.995, all of which are seen, for how many entries of the last call there were."""
    k, seen = 12, set()
    page = sparring.page("micro", k=k, first=2_000_000)
    ran = [*called(page, normal(p, 60, 400))]
    for one, after in pairwise(ran):
        ratio = np.count_nonzero(after.results[0]) / k
        factor = 1.005 if ratio > 1.1 else 1.00125 if ratio > 0.909 else 0.995
        assert after.state.least == pytest.approx([one.state.least[0] * factor] * p, rel=1e-12)
        seen.add(factor)
    assert len(seen) == 3


@pytest.mark.parametrize("p", [2, 3, 4])
def test_ranks_select_in_parts_of_their_own(p):
    """A large entry comes out when its rank looks at its part; none of those that are sent in turn is at this place."""
    page = sparring.page("micro", first=5_000_000, gain=0)
    for r in range(p):
        for c in range(p):
            xs = np.zeros((p, p, 8 * p))
            xs[0, r, 8 * c + 7] = 9.0
            assert [ran.results[0][8 * c + 7] for ran in called(page, xs)].index(9.0) == (c - r) % p


def test_of_fewer_entries_than_ranks_some_parts_are_empty():
    """Where published code divides by zero."""
    ran = [*called(sparring.page("micro"), normal(4, 2, 4))]
    assert all(np.count_nonzero(one.results[0]) == 2 for one in ran)


def test_nan_reaches_every_threshold():
    """And leaves nothing, so that the next call is one of numbers."""
    page = sparring.page("micro", first=2**53)
    first, second = called(page, np.array([[[np.nan, 1.0]], [[1.0, 1.0]]]))
    assert np.isnan(first.results[0][0]) and [*first.state.residual[0]] == [0, 1] and [*second.results[0]] == [0, 2]


def test_each_its_own_entries_are_refuted():
    """Ranks would add different entries: by proof alone."""
    own = "selected(v, part(call + r, p), p, call, least)"
    page = wrong("micro", f"union((yield apart({own})))", own)
    assert any(one.verdict == REFUTED for one in proving.prove(page, planted=False))


FAULTS = [
    ("exact_sum", "y = yield allreduce(v, at=at", "y = yield allreduce(x, at=at"),
    ("nothing_lost", "return y, State(where(at, 0, v)", "return y, State(v - v"),
    ("no_build_up", "return turn % p", "return 0 * turn % p"),
    ("values_sent", "y = yield allreduce(v, at=at", "y = yield allreduce(where(at, v, 0)"),
]


@pytest.mark.parametrize(("statement", "old", "new"), FAULTS)
def test_statements_can_fail(monkeypatch, statement, old, new):
    """A rank's new entries alone, a residual that forgets, a part of all ranks, and a whole vector, are told."""
    decided = getattr(exclusive_parts, statement)
    assert decided().holds
    monkeypatch.setattr(exclusive_parts, "micro", wrong("micro", old, new).module)
    assert not decided().holds
