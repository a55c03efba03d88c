"""What is said of outer steps: false of other steps, rates and messages."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import sparring
from sparring.analysis.compression import outer_steps
from sparring.analysis.compression.reals import proved
from sparring.spec import diloco
from tests.proofs.wrong_texts import wrong

STEPS = [
    ("way = pushed(momentum,", "way = pushed(state.momentum,"),
    ("way * params.rate / WHOLE, momentum", "way * params.rate / WHOLE, way"),
    ("state.point - way", "state.point + way"),
]


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_other_steps_are_not_nesterovs(old, new):
    assert not proved(outer_steps.steps(wrong("diloco", old, new).module)).holds


def test_with_a_momentum_no_mean_is_taken():
    """As if a call had the momentum of the last in it all the same."""
    other = SimpleNamespace(**{**vars(diloco), "Params": lambda rate, _: diloco.Params(rate, 1)})
    assert proved(outer_steps.averages()).holds
    assert not proved(outer_steps.averages(1000, other)).holds


def test_more_words_are_counted(monkeypatch):
    twice = wrong("diloco", "    now = moved", "    yield allreduce(x)\n    now = moved")
    monkeypatch.setattr(outer_steps, "load", lambda module: twice if module is diloco else sparring.page("ring"))
    assert not outer_steps.volume().holds


FEEDBACK = [
    (outer_steps.feedback, "state.residual * params.decay +", "state.residual * WHOLE +"),
    (outer_steps.feedback, "return e - y", "return y"),
    (outer_steps.mean_steps, "point - mean * rate", "point - mean"),
]


@pytest.mark.parametrize(("lemmas", "old", "new"), FEEDBACK)
def test_another_feedback_is_told(lemmas, old, new):
    assert not proved(lemmas(wrong("sparse_loco", old, new).module)).holds


def test_another_mixture_and_longer_messages_are_told():
    assert not proved(outer_steps.mixtures(wrong("streaming_diloco", "(x * mix +", "(x * WHOLE +").module)).holds
    assert not outer_steps.peak(wrong("streaming_diloco", "both(first <= i, i < end)", "first <= i").module).holds
