"""Formulas read as bits have their value, or are undecided; faults of recursive doubling are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.errors import Undecided
from sparring.proofs.core import bits, execution, kernel, questions, supplement
from sparring.proofs.core.bits import WIDTH, BitsReader
from sparring.proofs.core.obligations import RANKS, Obligation, c, n, p, q, r, t, within
from sparring.proofs.core.symbolic import Z3Reader
from sparring.proofs.core.verdicts import Word
from sparring.spec.core.numbers import both, evaluate, negate, reverse, where

HYPOTHESES = (*RANKS, within(t, p.bit_length()))
TERMS = {
    "xor": r ^ q,
    "xor of a negative": (r - q) ^ 3,
    "shift up": 1 << t,
    "shift down": r >> t,
    "shift of a negative": (r - q) >> 1,
    "bit length": p.bit_length(),
    "remainder": (r + q) % p,
    "remainder of a negative": (r - 3 * q - 1) % p,
    "parity": (r - q) % 2,
    "quotient": (r + q) // 3,
    "reversed": reverse(r, t),
    "where": where(r < q, r ^ 1, (q << 1) - p),
}
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


def always_first_bit(r, t, p):
    """A mask that never grows."""
    other = FORMULAS.rank(FORMULAS.number(r, p) ^ 1, p)
    exchange = both(FORMULAS.folds(p) <= t, FORMULAS.adds(t, p))
    return where(both(exchange, negate(FORMULAS.idle(r, p))), other, DOUBLING.dst(r, t, p))


def falling(r, t, p):
    """The masks in the opposite order."""
    last = FORMULAS.log(p) - 1 + 2 * FORMULAS.folds(p)
    exchange = both(FORMULAS.folds(p) <= t, FORMULAS.adds(t, p))
    return DOUBLING.dst(r, where(exchange, last - t, t), p)


def mirrored(r, t, p):
    """Folds into the rank opposite instead of the next."""
    return where(both(t < FORMULAS.folds(p), r < 2 * FORMULAS.rem(p)), p - 1 - r, DOUBLING.dst(r, t, p))


FAULTS = {
    "wrong mask": ({"dst": always_first_bit, "src": always_first_bit}, Word.REFUTED, "p=4: rank 0's chunk 0 ends with"),
    "no unfold": (
        {"steps": lambda p: FORMULAS.log(p) + FORMULAS.folds(p)},
        Word.REFUTED,
        "p=3: rank 0's chunk 0 ends without x1, without x2",
    ),
    "folds into the wrong rank": ({"dst": mirrored, "src": mirrored}, Word.REFUTED, "p=3"),
    "unfold adds": ({"adds": lambda t, p: t < FORMULAS.steps(p)}, Word.REFUTED, "p=3"),
    "idle ranks send": ({"active": lambda r, t, p: True}, Word.REFUTED, "p=3 step 0: rank 2 sends to itself"),
    "nobody gives": (
        {"active": lambda r, t, p: both(t >= FORMULAS.folds(p), DOUBLING.active(r, t, p))},
        Word.REFUTED,
        "p=3: rank 0's chunk 0 ends without x0",
    ),
    "falling masks": ({"dst": falling, "src": falling}, Word.NOT_INDUCTIVE, "runs with p <= 16 are clean, but at p=4"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_running_a_wrong_page_finds_its_fault_at_the_fewest_ranks(name):
    """What decides between refuted and not inductive."""
    formulas, word, detail = FAULTS[name]
    wrong = replace(DOUBLING, **formulas)

    if word is Word.REFUTED:
        assert str(execution.first(execution.wrong_result, wrong)).startswith(detail)
    else:
        assert execution.first(execution.wrong_result, wrong) is None
        lie = execution.first_lie(wrong)
        assert lie is not None
        assert lie.p == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.timeout(900)
def test_a_wrong_page_gets_its_verdict_at_the_fewest_ranks(name):
    """Masks in any order are an allreduce: there only what the page says of itself is wrong."""
    formulas, word, detail = FAULTS[name]

    attempt = next(kernel.prove(replace(DOUBLING, **formulas)))

    assert (attempt.verdict.word, attempt.detail[: len(detail)]) == (word, detail)
