"""What is shown of the papers' statements, and that each can fail."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sparring.proofs.compression import claims
from sparring.spec.core.exchanges import gather


@pytest.mark.parametrize("claim", [claims.volume, claims.steps, claims.bit_splitting, claims.spike_reserving])
def test_it_holds(claim):
    holds, told = claim()
    assert holds and told


def test_planes_that_lose_a_bit_are_told(monkeypatch):
    packed = claims.codes.packed
    monkeypatch.setattr(claims.codes, "packed", lambda codes, bits: packed([code & ~1 for code in codes], bits))
    assert claims.bit_splitting() == (False, "2 codes of 1 bits do not come back")


def test_a_third_step_is_told(monkeypatch):
    page = claims.load(claims.flash)

    def longer(x, p, params):
        y = yield from claims.flash.program(x, p, params)
        yield gather([y[0]])
        return y

    monkeypatch.setattr(
        claims, "load", lambda module: replace(page, module=SimpleNamespace(**{**vars(page.module), "program": longer}))
    )
    assert claims.steps() == (False, "p=2: 3 steps")


def test_codes_with_a_bit_too_many_are_told(monkeypatch):
    octets = claims.traffic.Coding.octets
    monkeypatch.setattr(claims.traffic.Coding, "octets", lambda self, c, bits: octets(self, c, min(8, bits + 1)))
    assert claims.volume() == (False, "a code of 1 bits takes 2")


def test_spikes_with_larger_ranges_are_told(monkeypatch):
    one = next(one for one in claims.errors.statements() if one.name == "spikes")
    wrong = one._replace(hypotheses={**one.hypotheses, **one.planted})
    monkeypatch.setattr(claims.errors, "statements", lambda: iter([wrong]))
    assert not claims.spike_reserving()[0]
