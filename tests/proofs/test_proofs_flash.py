"""The theorems of Flash Communication: all proved, and no hypothesis on errors can be left out."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs import flash
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED

PAGE = sparring.page("flash")
PROPERTIES = ["result", "agreement", "partition", "deadlock", "contention", "volume", "peers"]


@pytest.mark.parametrize("params", [{}, {"b1": 4}, {"b1": 3, "b2": 5, "g": 2, "spikes": 1}], ids=str)
def test_all_are_proved_for_every_p(params):
    found = list(kernel.prove(sparring.page("flash", **params)))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


@pytest.mark.parametrize("name", ["errors add up", "ranges add up", "both steps", "a code is within half a step"])
def test_each_hypothesis_on_errors_is_needed(name):
    """Without the last, on what one more rank or one more step puts an entry off, the bound does not hold."""
    (one,) = (one for one in flash.error(15, 255) if one.name == name)
    (good,), (without,) = answered([one], True), answered([one._replace(hypotheses=one.hypotheses[:-1])], False)
    assert good.holds and without.witness and not without.problem


@pytest.mark.parametrize("spikes", [0, 1])
@pytest.mark.parametrize("g", [1, 256, 257, 65537])
def test_what_is_told_of_a_group(g, spikes):
    """As many bytes as the page's message has more with a group."""
    from sparring.spec.core import groups

    for width in flash.WIDTHS:
        both = groups.octets(2 * g, 8, g, bool(spikes), width) - groups.octets(g, 8, g, bool(spikes), width)
        assert both - g == flash.metadata(g, spikes, width)
