"""The theorems of tensor homomorphic compression: claims about rounding by chance are judged."""

from __future__ import annotations

from fractions import Fraction

import sparring
from sparring.proofs import thc
from sparring.proofs.compression import rounding
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED

PAGE = sparring.page("thc")
PROPERTIES = ["result", "agreement", "partition", "deadlock", "contention", "volume", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_claims_are_judged():
    """One bit fewer is refuted, all others hold."""
    assert not rounding.bits_one_fewer().holds
    for claim in (rounding.sum_of_codes, rounding.any_order, rounding.unbiased, rounding.bits_enough):
        assert claim().holds


def test_biased_rounding_is_found(monkeypatch):
    """To the nearest point, always up, and a chance that is a quarter too large."""
    good = rounding.module.code
    for wrong in (
        lambda v, at, bits, chance: good(v + at.step / 2, at, bits, rounding.QUARTERS[-1]),
        lambda v, at, bits, chance: good(v, at, bits, 0),
        lambda v, at, bits, chance: good(v, at, bits, max(chance - rounding.QUARTERS[1], 0)),
    ):
        monkeypatch.setattr(rounding.module, "code", wrong)
        assert not rounding.unbiased().holds
    monkeypatch.setattr(rounding.module, "code", good)
    assert rounding.unbiased().holds


def test_a_smaller_variance_is_refuted():
    """A quarter is reached, so that a fifth is not enough."""
    (most,) = (one for one in rounding.fraction() if one.name == "at most a quarter")
    assert refuted(most._replace(claim=5 * (rounding.t * (1 - rounding.t)) <= 1))
    assert rounding.moments([Fraction(-1, 4)] * 2) == (Fraction(-1, 2), 2 * rounding.GRID.step**2 / 4)


def test_the_bits_of_a_sum_need_their_hypothesis():
    """With a power of two below p they are too few."""
    (room,) = (one for one in thc.room(PAGE.module, 4) if one.name == "all ranks")
    (without,) = answered([room._replace(hypotheses=(room.hypotheses[0], *room.hypotheses[2:]))], False)
    assert not without.holds
