"""Facts about digits are true, are those that Coq proves, and are enough for recursive multiplying, for every p."""

from __future__ import annotations

import inspect
import re
from functools import reduce

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.errors import Undecided
from sparring.proofs.coq.check import HERE
from sparring.proofs.core import digits, questions
from sparring.proofs.core.digits import DIGIT, LOG, POWER, PREFIX, PRODUCT, PUT, REST, DigitsReader
from sparring.proofs.core.obligations import RANKS, Obligation, p, q, r, s, t, within
from sparring.spec.core.digits import digit, log, power, prefix, put
from sparring.spec.core.numbers import Sym, evaluate, where

k = Sym.var("k")
BOX = (k >= 2, *RANKS, within(t, log(p, k) + 1))
TERMS = {
    "power": power(k, t),
    "log": power(k, log(p, k) + 1),
    "prefix": prefix(r, t, k),
    "digit": digit(r, t, k) - digit(q, t + 1, k),
    "put": put(r, t, digit(q, t, k), k),
    "put twice": put(put(r, t, digit(q, t, k), k), log(p, k), 0, k),
    "put anything": digit(put(r, t, s, k), t, k),
    "written out": r + (q // power(k, t) % k - r // power(k, t) % k) * power(k, t),
    "next power": power(k, t) * k,
    "which": where(prefix(r, t, k) == prefix(q, t, k), digit(r, t, k), (digit(q, t, k) + 1) % k),
}


FAR = 45  # beyond the powers of 2 that numbers here reach


def intended(k):
    """What the uninterpreted functions stand for, to base ``k``; outside the naturals, anything."""
    x, e, b = (z3.Var(i, z3.IntSort()) for i in range(3))

    def chosen(at, of, least, other):
        return reduce(lambda rest, i: z3.If(at(i), of(i), rest), range(least, FAR), z3.IntVal(other))

    def power(e):
        return chosen(lambda i: e == i, lambda i: z3.IntVal(k**i), 0, -5)

    prefix, digit = x / power(e), x / power(e) % k
    log = chosen(lambda i: z3.And(x >= k**i, x < k ** (i + 1)), z3.IntVal, 0, -3)
    return (
        (POWER, power(x)), (LOG, log), (PREFIX, prefix), (DIGIT, digit),
        (REST, x - digit * power(e)), (PUT, x + (b - digit) * power(e)), (PRODUCT, power(x) * k),
    )  # fmt: skip


def value(term, point):
    """A reading's value at a point, its functions as they are intended."""
    numbers = [(z3.Int(v), z3.IntVal(x)) for v, x in point.items()]
    return z3.simplify(z3.substitute(z3.substitute_funs(term, *intended(point["k"])), *numbers))


def untrue(reader, point):
    """The facts that are not so at a point."""
    if z3.is_true(value(z3.And(reader.facts), point)):
        return []
    return [fact for fact in reader.facts if not z3.is_true(value(fact, point))]


@pytest.mark.parametrize("name", TERMS)
@given(data=st.data())
@settings(deadline=None, max_examples=10)
def test_facts_are_true_and_readings_have_their_value(name, data):
    """At any point, hypotheses met or not: what is added is so; the reading is Python's value where it has one."""
    reader = DigitsReader(BOX, p)
    read = reader(TERMS[name])
    point = {v: data.draw(st.integers(-3, 40) | st.integers(-(2**40), 2**40), label=v) for v in "pqrs"}
    point |= {"t": data.draw(st.integers(-2, 12), label="t"), "k": data.draw(st.integers(2, 9), label="k")}

    assert untrue(reader, point) == []
    if min(point.values()) >= 0 and point["p"] >= 1 and point["s"] < point["k"]:
        assert value(read, point).as_long() == evaluate(TERMS[name], **{v: point[v] for v in "pqrstk"})


@given(data=st.data())
@settings(deadline=None, max_examples=8)
def test_what_small_numbers_are_is_true(data):
    """Where the base and the places are small, as the facts for them say."""
    reader = DigitsReader(BOX, p)
    reader(TERMS["put twice"])
    point = {v: data.draw(st.integers(1, 16), label=v) for v in "pqrs"} | {"t": 0}
    point["k"] = data.draw(st.integers(2, 17), label="k")

    assert z3.is_true(value(z3.And(reader.exactly(5)), point))


def test_a_wrong_fact_would_be_seen(monkeypatch):
    """Planted: that a digit that is put leaves lower prefixes alone, too."""
    monkeypatch.setattr(DigitsReader, "above", unguarded)
    reader = DigitsReader(BOX, p)
    reader(TERMS["put twice"])
    point = {"p": 8, "q": 2, "r": 0, "s": 0, "t": 1, "k": 2}

    assert untrue(reader, point)


def unguarded(self, x, e, b, y, other):
    self.know(PREFIX(y, other) == PREFIX(x, other))


def test_every_fact_is_a_theorem():
    """Each name beside a fact is one that Coq prints as resting on nothing."""
    named = set(re.findall(r"# (\w+)(?:, (\w+))?$", inspect.getsource(digits), re.MULTILINE))
    names = {name for pair in named for name in pair if "_" in name}
    proved = re.findall(r"^Print Assumptions (\w+)\.$", (HERE / "digits.v").read_text(encoding="utf-8"), re.MULTILINE)

    assert names == set(proved)
    assert {"rest_order", "put_digit", "prefix_next", "log_bounds", "power_grows"} <= names


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (put(put(r, t, 0, k), t, digit(r, t, k), k) == r, True),
        (digit(put(r, t, 1, k), t, k) == 1, True),
        (put(r, t, 0, k) <= r, True),
        (put(r, t, 1, k) <= r, False),
        (digit(r, t, k) < 2, False),
    ],
    ids=["back", "one", "zero is least", "one is not", "base 2 alone"],
)
def test_facts_decide(claim, holds):
    """What is so is proved; what is not has a counterexample that stands when evaluated."""
    (answer,) = questions.answered([Obligation("claim", BOX, claim)], True, "digits")

    assert answer.holds == holds
    assert not answer.problem and not answer.below
    assert bool(answer.witness) != holds


def test_what_facts_do_not_decide_stays_open():
    """That a number is its prefix and its rest is nowhere said."""
    claim = prefix(r, t, k) * power(k, t) <= r
    (answer,) = questions.answered([Obligation("product", BOX, claim)], True, "digits")

    assert not answer.holds
    assert answer.problem == "the facts about digits do not decide it"


def test_two_bases_cannot_be_read():
    reader = DigitsReader(BOX, p)
    with pytest.raises(Undecided, match="only one base"):
        reader(digit(r, t, 3))


def test_a_base_that_may_be_1_cannot_be_read():
    with pytest.raises(Undecided, match="of which the hypotheses say >= 2"):
        DigitsReader(RANKS, p)(digit(r, t, k))


def test_hypotheses_that_contradict_each_other_prove_nothing():
    """Nothing small satisfies them, nor does anything else."""
    (answer,) = questions.answered([Obligation("any", (*BOX, prefix(r, t, k) > r), r == q)], True, "digits")

    assert not answer.holds
