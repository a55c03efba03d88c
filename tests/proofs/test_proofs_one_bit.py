"""The 1-bit allreduce: proved from its text, wrong texts refused by proof alone; and what its scales leave."""

from __future__ import annotations

from fractions import Fraction

import pytest
import z3

import sparring
from sparring.proofs.compression import signs
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.verdicts import PROVED
from sparring.spec.core.signs import read, signed
from tests.proofs.wrong_texts import refusals, wrong

PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(sparring.page("one_bit")))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


LOST, OTHER = "nothing is lost", "the result is what the page ensures"
WRONG = {
    "the worker's error is not added": ("x + state.worker\n    mean", "x\n    mean", {"conservation": LOST}),
    "the server's error is not added": ("s = mean + state.server", "s = mean", {"conservation": LOST}),
    "an error with the wrong sign": ("v - read, 0", "read - v, 0", {"conservation": LOST}),
    "no error is kept": ("State(left(v, read(code, v))", "State(v - v", {"conservation": LOST}),
    "errors are exchanged": (
        "left(v, read(code, v)), left(s, read(code, s))", "left(s, read(code, s)), left(v, read(code, v))",
        {"result": "a rank combines what it has itself with what only the owner of the index has"},
    ),
    "an error of the sum, not the mean": ("(v, code)) / p", "(v, code))", {"result": OTHER}),
    "NaN is remembered": ("where(is_number(read), v - read, 0)", "v - read", {"result": "nothing of it is in worker"}),
    "an owner keeps its mean": ("y = yield allgather(s, code)", "y = s", {"agreement": "the result is shard"}),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("one_bit", old, new))
    assert all(told in found[prop] for prop, told in why.items()), found


@pytest.mark.parametrize(("old", "new"), [("x + state.worker\n    mean", "state.worker + x\n    mean")])
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("one_bit", old, new))


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
    monkeypatch.setattr(signs.Signs, "octets", lambda self, c, w: c // 8 + w)
    assert not signs.volume_of_a_call().holds
