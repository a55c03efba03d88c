"""What is shown of the papers' statements, and that each can fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from sparring.analysis.compression import claims, sizes
from sparring.literature.implication import decide
from sparring.literature.papers import sources
from sparring.literature.statements import Shown
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, Word
from sparring.spec.codecs.group_quantiser import Grouped
from sparring.spec.core.exchanges import gather

OURS = ("arc-top-k", "dropcompute", "flash", "flash-v2", "local-sgd", "moshpit")
STATED = {
    f"{source.id}/{one.name}": one
    for source in sources()
    if source.id in OURS
    for one in source.statements
    if isinstance(one, Shown)
}


@pytest.mark.parametrize("name", [*STATED][::3])
def test_claims_are_decided(name):
    """As they say, and none by itself; what ``sparring claims`` says of all is tested, too."""
    decided = decide(STATED[name])
    as_said = EXPECTED if STATED[name].xfail else PROVED
    assert decided.checked.word in (as_said.word, Word.TESTED, Word.PROVED_CHOSEN) and decided.detail


def test_planes_that_lose_a_bit_are_told(monkeypatch):
    packed = claims.bit_planes.packed
    monkeypatch.setattr(claims.bit_planes, "packed", lambda codes, bits: packed([code & ~1 for code in codes], bits))
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
    more, per_entry = {1: 2}, claims.sizes.per_entry
    monkeypatch.setattr(
        claims.sizes, "per_entry", lambda code, width: per_entry(replace(code, bits=more[code.bits]), width)
    )
    assert claims.volume() == (False, "a code of 1 bits takes 2")


def test_bits_an_entry():
    """Ours, and as the public accounts have them with 16 bits each for step and zero."""
    ours = {(bits, g): sizes.per_entry(Grouped(bits, g, 0), 4) for bits, g in ((8, 128), (4, 128), (4, 32))}
    assert ours == {(8, 128): Fraction(17, 2), (4, 128): Fraction(9, 2), (4, 32): 6}
    assert {at: x - Fraction(32, at[1]) for at, x in ours.items()} == {
        (8, 128): Fraction(33, 4),
        (4, 128): Fraction(17, 4),
        (4, 32): 5,
    }
    assert sizes.per_entry(Grouped(2, 32, 1), 4) == 2 + Fraction(8 * (4 * 4 + 2), 32)


def test_spikes_with_larger_ranges_are_told(monkeypatch):
    one = next(one for one in claims.errors.statements() if one.name == "spikes")
    wrong = one._replace(hypotheses={**one.hypotheses, **one.planted})
    monkeypatch.setattr(claims.errors, "statements", lambda: iter([wrong]))
    assert not claims.spike_reserving()[0]
