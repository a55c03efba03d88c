"""Tensor homomorphic compression: proved from its text, wrong texts refused by proof alone; its claims are judged."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.proofs.compression import rounding
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.verdicts import PROVED, PROVED_BELOW
from tests.proofs.wrong_texts import refusals, wrong

PAGE = sparring.page("thc")
RESULT = "the result is what the page ensures"
OWN = {"agreement": "the result is partial"}
WRONG = {
    "codes on a rank's own grid": ("    ends = yield gather(extremes(x), Raw())\n    at = grid(ends,",
                                   "    at = grid(extremes(x),", OWN),
    "sums are read with a rank's own step": ("value(at.low, at.step, q, p)\n\n", ("value(at.low, grid(extremes(x), "
                                             "params.bits).step, q, p)\n\n"), OWN),
    "sums are read with a rank's own least entry": ("value(at.low, at.step, q, p)\n\n",
                                                    "value(extremes(x), at.step, q, p)\n\n", OWN),
    "another rank's chances": ("params.seed, call, r, x), params.bits)\n    sums",
                               "params.seed, call, 0, x), params.bits)\n    sums", {"result": RESULT}),
    "an owner keeps its sum": ("q = yield allgather(sums, Packed(wide(params.bits, p)))", "q = sums",
                               {"agreement": "the result is shard"}),
    "a rank's own code twice": ("value(at.low, at.step, q, p)\n\n", "value(at.low, at.step, q + codes, p)\n\n", OWN),
    "codes of the grid's other end": ("at.low, at.step, chances(params.seed, call, r, x), params.bits)\n    sums",
                                      "at.step, at.low, chances(params.seed, call, r, x), params.bits)\n    sums",
                                      {"result": RESULT}),
    "the least entry is read once": ("low * p + step * q", "low + step * q", {"claim: result": "of no rank"}),
    "a greatest code of one bit more": ("most(bits))", "most(bits + 1))", {"volume": "a whole number of Packed"}),
    "room for codes, not for sums": ("wide(params.bits, p)", "params.bits", {"volume": "all ranks' numbers, bits = 1"}),
    "as many bits as ranks": ("wide(params.bits, p)", "wide(p, params.bits)", {"volume": "all ranks' numbers"}),
}  # fmt: skip


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert all(isinstance(one, kernel.Theorem) and one.mutant for one in found)
    assert {one.verdict for one in found} <= {PROVED, PROVED_BELOW}
    assert {"result", "agreement", "deadlock", "volume", "claim: result", "peers"} <= {x.name for x in found}


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("thc", old, new))
    assert all(told in found[prop] for prop, told in why.items()), found


@pytest.mark.parametrize(("old", "new"), [("low * p + step * q", "step * q + low * p")])
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("thc", old, new))


def test_claims_are_judged():
    """One bit fewer is refuted, all others hold."""
    assert not rounding.bits_one_fewer().holds
    for claim in (rounding.sum_of_codes, rounding.any_order, rounding.unbiased, rounding.bits_enough):
        assert claim().holds


def test_biased_rounding_is_found(monkeypatch):
    """To the nearest point, always up, and a chance that is a quarter too large."""
    good = rounding.module.code
    for biased in (
        lambda v, low, step, chance, bits: good(v + step / 2, low, step, rounding.QUARTERS[-1], bits),
        lambda v, low, step, chance, bits: good(v, low, step, 0, bits),
        lambda v, low, step, chance, bits: good(v, low, step, max(chance - rounding.QUARTERS[1], 0), bits),
    ):
        monkeypatch.setattr(rounding.module, "code", biased)
        assert not rounding.unbiased().holds
    monkeypatch.setattr(rounding.module, "code", good)
    assert rounding.unbiased().holds


def test_a_smaller_variance_is_refuted():
    """A quarter is reached, so that a fifth is not enough."""
    (most,) = (one for one in rounding.fraction() if one.name == "at most a quarter")
    assert refuted(most._replace(claim=5 * (rounding.t * (1 - rounding.t)) <= 1))
    assert rounding.moments([Fraction(-1, 4)] * 2) == (Fraction(-1, 2), 2 * rounding.GRID.step**2 / 4)
