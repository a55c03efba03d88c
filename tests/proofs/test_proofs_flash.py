"""Flash Communication: proved from its text, and every wrong text refused by proof alone."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs import flash
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED
from tests.proofs.wrong_texts import refusals, wrong

PROPERTIES = ["result", "agreement", "partition", "deadlock", "contention", "volume", "claim: error", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(sparring.page("flash")))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


SECOND = "yield allgather(sums, Grouped(params.b2, params.g, params.spikes))"
FIRST = "yield reduce_scatter(x, Grouped(params.b1, params.g, params.spikes))"
OTHER = "the result is what the page ensures"
WRONG = {
    "a rank keeps its shard": (f"return ({SECOND})", "return sums", {"agreement": "the result is shard"}),
    "no sum is made": (f"sums = {FIRST}", "sums = x", {"result": "ranks' pieces do not make one vector"}),
    "sums are not coded": (SECOND, "yield allgather(sums)", {"result": OTHER}),
    "widths are exchanged": ("(x, Grouped(params.b1", "(x, Grouped(params.b2", {"result": OTHER}),
    "added twice": ("reduce_scatter(x,", "reduce_scatter(x + x,", {"result": OTHER}),
    "and its own vector": (f"return ({SECOND})", f"return x + ({SECOND})", {"agreement": "the result is partial"}),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("flash", old, new))
    assert all(told in found[prop] for prop, told in why.items())


def test_the_text_as_it_is_is_not():
    assert not refusals(wrong("flash", FIRST, FIRST))


@pytest.mark.parametrize("name", ["errors add up", "ranges add up", "both steps", "a code is within half a step"])
def test_each_hypothesis_on_errors_is_needed(name):
    """Without the last, on what one more rank or one more step puts an entry off, the bound does not hold."""
    (one,) = (one for one in flash.error(15, 255) if one.name == name)
    (good,), (without,) = answered([one], True), answered([one._replace(hypotheses=one.hypotheses[:-1])], False)
    assert good.holds and without.witness and not without.problem
