"""CLT-k beside a few lines of numpy of the paper's recurrence: a memory, a leader in turn, a low-pass filter."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import leaders
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.core.runner import run
from tests.proofs.single_questions import judged
from tests.proofs.wrong_texts import wrong


def published(calls, k, beta):
    """By call the sum, and all ranks' memories: ``m' = (1 - b) m + b (m + g - sent)``, as the paper has it."""
    b, m = beta / 1000, np.zeros_like(calls[0])
    for t, g in enumerate(calls):
        v = m + g
        at = np.argsort(-np.abs(v[t % len(g)]), kind="stable")[:k]
        sent = np.zeros_like(v)
        sent[:, at] = v[:, at]
        m = (1 - b) * m + b * (v - sent)
        yield sent.sum(axis=0), m


@pytest.mark.parametrize("beta", [1000, 250])
@pytest.mark.parametrize("p", [1, 3, 4])
def test_results_are_those_of_the_published_recurrence(p, beta):
    """Of numbers that floats add up without rounding; its memory is beta thousandths of what waits."""
    calls = np.random.default_rng(p).integers(-(2**20), 2**20, (6, p, 9)) * float(2**10)
    page, state = sparring.page("clt_k", k=2, beta=beta), None
    for g, (sums, memory) in zip(calls, published(calls, 2, beta)):
        ran = run(page, [*g], state)
        state = ran.state
        assert all(np.array_equal(y, sums) for y in ran.results)
        assert np.array_equal(np.array([[*one] for one in state.residual]) * beta / 1000, memory)


def test_an_infinity_that_is_sent_leaves_nothing():
    """Without a filter; the next call is one of numbers."""
    page = sparring.page("clt_k", k=1)
    with np.errstate(all="ignore"):
        first = run(page, [np.array([np.inf, 1.0])])
        second = run(page, [np.array([0.0, 1.0])], first.state)
    assert [*first.results[0], *second.results[0]] == [np.inf, 0, 0, 2]


def test_each_its_own_leader_is_refuted():
    """Ranks would add different entries: by proof alone."""
    page = wrong("clt_k", "(yield apart(chosen(v, params.k)))[leader(call, p)]", "chosen(v, params.k)")
    assert any(one.verdict == REFUTED for one in proving.prove(page, planted=False))


def test_a_filter_of_all_that_is_kept_is_refuted():
    """If residuals themselves are filtered, results and residuals are less than what was given."""
    old = "State(where(at, left(whole, v, params.beta), whole))"
    page = wrong("clt_k", old, "State(where(at, 0, v))", beta=100)
    assert judged(page, "conservation")[0] == REFUTED


def test_statements_of_the_paper_can_fail(monkeypatch):
    """A result with an entry more, and a residual that forgets, are told."""
    assert leaders.no_build_up().holds and leaders.nothing_lost().holds
    old = "State(where(at, left(whole, v, params.beta), whole))"
    monkeypatch.setattr(leaders, "clt_k", wrong("clt_k", old, "State(where(at, 0, v))").module)
    assert not leaders.nothing_lost().holds
    monkeypatch.setattr(leaders, "clt_k", wrong("clt_k", "return largest(v, k)", "return largest(v, k + 1)").module)
    assert not leaders.no_build_up().holds
