"""Formulas read as bits have their value, or are undecided; faults of recursive doubling are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.errors import Undecided
from sparring.proofs.core import bits, kernel, questions, supplement
from sparring.proofs.core.bits import WIDTH, BitsReader
from sparring.proofs.core.obligations import RANKS, Obligation, c, n, p, q, r, t, within
from sparring.proofs.core.symbolic import Z3Reader
from sparring.proofs.core.verdicts import Word
from sparring.spec.core.numbers import both, evaluate, negate, reverse, where

HYPOTHESES = (*RANKS, within(t, p.bit_length()))
TERMS = {
    "xor": r ^ q, "xor of a negative": (r - q) ^ 3, "shift up": 1 << t, "shift down": r >> t,
    "shift of a negative": (r - q) >> 1,
    "bit length": p.bit_length(), "remainder": (r + q) % p,
    "remainder of a negative": (r - 3 * q - 1) % p,
    "parity": (r - q) % 2, "quotient": (r + q) // 3, "reversed": reverse(r, t),
    "where": where(r < q, r ^ 1, (q << 1) - p),
}  # fmt: skip
DOUBLING = page("recursive_doubling")
FORMULAS = DOUBLING.module


@pytest.mark.parametrize("name", TERMS)
@given(data=st.data())
@settings(deadline=None)
def test_a_reading_has_the_value_of_the_term(name, data):
    """z3's reading, evaluated at a point, is Python's value there, up to 2**31 - 1 ranks."""
    ranks = data.draw(st.integers(1, 40) | st.integers(1, 2**31 - 1))
    point = {v: data.draw(st.integers(0, ranks - 1)) for v in "qr"}
    point |= {"p": ranks, "t": data.draw(st.integers(0, ranks.bit_length() - 1))}

    read = READER(TERMS[name])
    value = z3.simplify(z3.substitute(read, *((z3.BitVec(v, WIDTH), z3.BitVecVal(x, WIDTH)) for v, x in point.items())))

    assert value.as_signed_long() == evaluate(TERMS[name], **point)


READER = BitsReader(HYPOTHESES, p)


@pytest.mark.parametrize(
    "x", [r * q, r << t, 300 * r, r << 9, 1 << (t - 1), r >> (t - 1), (r - q).bit_length(), (r - 1) // 2], ids=repr
)
def test_what_may_leave_the_bits_is_undecided(x):
    """Never read modulo a power of two; no shift by a negative number, which Python refuses; no negative dividend."""
    with pytest.raises(Undecided, match="may leave 34 bits"):
        BitsReader(HYPOTHESES, p)(x)


def test_a_reading_that_wraps_around_would_prove_what_is_wrong(monkeypatch):
    """Planted: without that check, eight times a rank is "always" below 2**33."""
    claim = Obligation("small", RANKS, (r << 3) < 2**33 - 1)
    assert [a.holds for a in questions.answered([claim], True, "bits")] == [False]

    monkeypatch.setattr(bits, "EXACT", {})

    assert [a.problem for a in questions.answered([claim], True, "bits")] == [""]


@pytest.mark.parametrize("hypotheses", [(*RANKS, n >= 0), (*RANKS, c < p), (*RANKS, both(t >= 0, t < n))], ids=repr)
def test_an_unbounded_variable_is_undecided(hypotheses):
    """An integer without bounds has no number of bits; a claim may not bring a variable of its own either."""
    with pytest.raises(Undecided, match="does not bound"):
        BitsReader(hypotheses, p)
    with pytest.raises(Undecided, match="do not bound n"):
        BitsReader(RANKS, p)(n + 1)


def test_integers_have_no_bits():
    """A page that shifts and does not say so is told what to say."""
    with pytest.raises(Undecided, match=r"integers have no \^; a page that needs it says: encoding = 'bits'"):
        Z3Reader(RANKS, p)(r ^ 1)


def test_a_counterexample_has_the_fewest_ranks():
    """Found by bisection, among two billion."""
    claim = Obligation("few", RANKS, negate(both(p > 1000, r ^ q == 1023)))

    (answer,) = questions.answered([claim], second_opinion=True, encoding="bits")

    assert answer.witness["p"] == 1001 and not answer.problem


def test_contention_that_was_expected_and_is_not_there_is_refuted():
    """A page may not call itself contended where it is free."""
    ring = replace(supplement.subject(page("ring")), contention={"ring": "contended"})
    conjecture = next(c for c in kernel.conjectures(ring) if c.contended)

    attempt = kernel.expected(kernel.judge(ring, conjecture, second_opinion=True))

    assert attempt.verdict.word is Word.REFUTED
    assert attempt.detail.startswith("called contended, but in no step do messages of two")
