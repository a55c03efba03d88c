"""The 1-bit allreduce's theorems: what its scales leave; wrong forms are refuted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import z3

import sparring
from sparring.proofs import one_bit
from sparring.proofs.compression import signs
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED
from sparring.spec.core.signs import read, signed

PAGE = sparring.page("one_bit")
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_the_published_scale_leaves_what_is_proved():
    """On vectors with rational scales, exactly."""
    for v in ([1, 7], [1, -7, 5, -5], [3, 4, 0, 0], [2, 2, 2, -2], [1, 0, 0, 0, 0, 0, 0, 0, 0]):
        x = [Fraction(u) for u in v]
        coded, d = signed(x, norm=2), len(x)
        first, second = sum(map(abs, x)), sum(u * u for u in x)
        assert d * coded.scale**2 == second
        left = sum((a - b) ** 2 for a, b in zip(x, read(coded)))
        assert left == 2 * (second - coded.scale * first)
        assert (left > second) == (2 * coded.scale * first < second)


def test_the_mean_magnitude_leaves_least():
    """All vectors of three small entries, beside scales around it."""
    for v in [(a, b, c) for a in range(-2, 3) for b in range(-2, 3) for c in range(-2, 3)]:
        x = [Fraction(u) for u in v]
        coded = signed(x, norm=1)
        lost = [
            sum((u - s * w) ** 2 for u, w in zip(x, [1 if one else -1 for one in coded.signs]))
            for s in (coded.scale, *(coded.scale + Fraction(i, 3) for i in (-2, -1, 1, 2)))
        ]
        second = sum(u * u for u in x)
        assert lost[0] == min(lost) == second - sum(map(abs, x)) ** 2 / 3 <= second * Fraction(2, 3)


def test_claims_are_judged():
    """One is false, and by a vector."""
    found = signs.contracts_by_squares()
    assert not found.holds and "4/3 are left" in found.detail
    assert all(one().holds for one in (signs.identity, signs.contracts_by_magnitudes, signs.volume_of_a_call))


def test_wrong_forms_are_refuted():
    """A zero that is read as 0, a constant that is too large, and a scale that is said to leave less."""
    assert not signs.zero_may_be_zero()
    zero = z3.If(signs.x > 0, z3.RealVal(1), z3.If(signs.x < 0, z3.RealVal(-1), z3.RealVal(0)))
    assert refuted(next(signs.entries(zero)))
    whole = next(one for one in signs.mean_magnitude() if one.name == "a contraction")
    assert refuted(whole._replace(claim=signs.d * signs.left <= (signs.d - 2) * signs.b))
    always = next(one for one in signs.root_of_squares() if one.name == "worse than nothing")
    assert refuted(always._replace(claim=signs.left <= signs.b))


def test_a_message_without_a_scale_has_other_bytes(monkeypatch):
    """What is counted is the page's own messages."""
    monkeypatch.setattr(signs, "module", SimpleNamespace(**{**vars(signs.module), "octets": lambda c, w: c // 8 + w}))
    assert not signs.volume_of_a_call().holds


def test_conservation_needs_both_errors():
    """Without what the server keeps a call loses something."""
    (call,) = (one for one in one_bit.mass(PAGE.module) if one.name == "one call")
    (good,), (without,) = (
        answered([call], True), answered([call._replace(hypotheses=call.hypotheses[:1])], False),
    )  # fmt: skip
    assert good.holds and not without.holds
    assert replace(PAGE).name == "one_bit"
