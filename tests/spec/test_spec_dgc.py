"""Deep gradient compression beside a few lines of numpy of the paper's recurrence, and statements that can fail."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import momentum
from sparring.proofs.logic.verdicts import REFUTED
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import wrong
from tests.spec.collectives.judging import judged


def published(calls, k, m, masking):
    """By call the sum: ``u = m u + g``, ``v = v + u``, the largest of ``v`` are sent and cleared."""
    u, v = np.zeros_like(calls[0]), np.zeros_like(calls[0])
    for g in calls:
        u = m * u + g
        v = v + u
        sent = np.zeros(v.shape, bool)
        np.put_along_axis(sent, np.argsort(-np.abs(v), axis=1, kind="stable")[:, :k], values=True, axis=1)
        yield np.where(sent, v, 0).sum(axis=0)
        v = np.where(sent, 0, v)
        u = np.where(sent & masking, 0, u)


@pytest.mark.parametrize("masking", [0, 1])
@pytest.mark.parametrize("p", [1, 3])
def test_results_are_those_of_the_published_recurrence(p, masking):
    """Of numbers that floats halve and add without rounding."""
    calls = np.random.default_rng(p).integers(-(2**20), 2**20, (6, p, 9)) * 2.0**10
    page, state = sparring.page("dgc", k=2, momentum=500, masking=masking), None
    for g, sums in zip(calls, published(calls, 2, 0.5, bool(masking))):
        ran = run(page, [*g], state)
        state = ran.state
        assert all(np.array_equal(y, sums) for y in ran.results)


WRONG = [
    ("what is not largest is sent, too", "y = yield sparse_allreduce(v, sent,", "y = yield sparse_allreduce(v, ~sent,"),
    ("the velocity is sent", "y = yield sparse_allreduce(v, sent,", "y = yield sparse_allreduce(u, sent,"),
    ("what is sent stays", "State(where(sent, 0, v),", "State(v,"),
]


@pytest.mark.parametrize(("old", "new"), [one[1:] for one in WRONG], ids=[one[0] for one in WRONG])
def test_a_wrong_text_is_refuted(old, new):
    """By proof alone."""
    assert any(verdict == REFUTED for _, verdict in judged(wrong("dgc", old, new)))


def test_statements_of_the_paper_can_fail(monkeypatch):
    """Masking loses something, and so does a velocity that is cleared, or slowed by more."""
    assert momentum.nothing_lost().holds and momentum.all_sent().holds and not momentum.masked().holds
    old, new = "x + velocity * momentum / WHOLE", "x + velocity * momentum / (2 * WHOLE)"
    monkeypatch.setattr(momentum, "dgc", wrong("dgc", old, new).module)
    assert not momentum.nothing_lost().holds
    assert not momentum.all_sent().holds
