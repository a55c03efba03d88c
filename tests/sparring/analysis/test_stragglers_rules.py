"""What is proved of DropCompute's rules, for all micro-batches, and shown of its model; what is wrong is refuted."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest
import sympy

from sparring.analysis.stragglers import model, rules, shown
from sparring.analysis.stragglers.rules import A, B, C
from sparring.spec.core.numbers import both, negate, where
from sparring.spec.training.drop_compute import RULES, Micro, Work, counted
from tests.sweeps import third


def passing(*, takes, stops, now=None):
    """A rule by what it counts, when it goes on, and when its computing is over."""

    def rule(at, micro, tau):
        end = at.now + micro.forward + micro.backward
        counts = both(at.going, takes(at, micro, end, tau))
        over = end if now is None else now(at, micro, end, tau)
        going = both(at.going, negate(stops(at, micro, end, tau)))
        return Work(at.completed + where(counts, 1, 0), where(at.going, over, at.now), going)

    return rule


def low(a, b):
    return where(a <= b, a, b)


SAME = {
    A: passing(takes=lambda at, m, end, tau: end < tau, stops=lambda at, m, end, tau: end >= tau,
               now=lambda at, m, end, tau: low(end, tau)),
    B: passing(takes=lambda at, m, end, tau: True, stops=lambda at, m, end, tau: end > tau),
    C: passing(takes=lambda at, m, end, tau: at.now + m.forward <= tau,
               stops=lambda at, m, end, tau: at.now + m.forward > tau,
               now=lambda at, m, end, tau: where(at.now > tau, at.now,
                                                 where(at.now + m.forward > tau, at.now + m.forward, end))),
}  # fmt: skip


@pytest.mark.parametrize("name", third(SAME))
def test_the_same_rule_in_other_words_is_proved(name):
    assert all(answer.holds for answer in rules.proved({**RULES, name: SAME[name]}))


WRONG = {
    "tau itself is in time": (A, passing(takes=lambda at, m, end, tau: end <= tau,
                                         stops=lambda at, m, end, tau: end > tau,
                                         now=lambda at, m, end, tau: low(end, tau))),
    "what crosses counts": (A, passing(takes=lambda at, m, end, tau: True, stops=lambda at, m, end, tau: end >= tau,
                                       now=lambda at, m, end, tau: low(end, tau))),
    "what crosses is lost": (B, passing(takes=lambda at, m, end, tau: end <= tau,
                                        stops=lambda at, m, end, tau: end > tau)),
    "never": (B, passing(takes=lambda at, m, end, tau: True, stops=lambda at, m, end, tau: False)),
    "no look between the passes": (C, passing(takes=lambda at, m, end, tau: at.now <= tau,
                                              stops=lambda at, m, end, tau: at.now > tau)),
    "the backward pass is waited for": (C, passing(takes=lambda at, m, end, tau: at.now + m.forward <= tau,
                                                   stops=lambda at, m, end, tau: at.now + m.forward > tau)),
    "the passes are taken for each other": (C, lambda at, m, tau: RULES[C](at, Micro(m.backward, m.forward), tau)),
    "goes on after a drop": (C, lambda at, m, tau: RULES[C](at, m, tau)._replace(going=at.going)),
    "counts twice": (C, lambda at, m, tau: Work(2 * RULES[C](at, m, tau).completed, *RULES[C](at, m, tau)[1:])),
}  # fmt: skip


@pytest.mark.parametrize("why", WRONG)
def test_wrong_rules_are_refuted(why):
    name, wrong = WRONG[why]
    assert not all(answer.holds for answer in rules.proved({**RULES, name: wrong}, second_opinion=False))


def test_a_theorem_without_its_hypothesis_is_refuted():
    """after_backward counts two more where a micro-batch ends at tau itself."""
    for theorem in rules.THEOREMS:
        if theorem.hypothesis:
            bare = theorem._replace(given=lambda at, micro: True)
            answers = rules.answered(rules.induction(bare, RULES), second_opinion=False)
            assert not all(answer.holds for answer in answers)


@pytest.mark.parametrize(
    ("apart", "found"),
    [
        (lambda n: n[C] > n[A], ([(1, 1)], 1)),
        (lambda n: n[B] > n[C], ([(1, 1)], 0)),
        (lambda n: n[B] == n[A] + 2, ([(1, 1), (1, 1)], 2)),
    ],
)
def test_where_rules_differ(apart, found):
    """The bounds are reached: by one more and one more, and by two more where tau is an end."""
    micros, tau = rules.witness(apart)
    assert ([*micros], tau) == found
    assert apart({name: counted(name, micros, tau) for name in RULES})


def test_what_is_proved_has_no_witness():
    with pytest.raises(LookupError):
        rules.witness(lambda n: n[A] > n[C] or n[C] > n[B] or n[C] > n[A] + 1 or n[B] > n[A] + 2, most=2)


def test_zero_times_let_rules_be_further_apart():
    """The hypothesis is needed in runs, too: micro-batches that take no time all end at tau."""
    micros = [Micro(0, 0)] * 4
    assert [counted(name, micros, 0) for name in (A, B, C)] == [0, 4, 4]
    assert {
        counted(A, m, t) <= counted(C, m, t) <= counted(B, m, t)
        for t in range(4)
        for m in product([Micro(0, 0), Micro(0, 1)], repeat=3)
    } == {True}


IN_TIME, (FIRST, SECOND) = model.in_time, model.paces()
PLANTED = {
    "ends of another deviation": (  # which grows with the number of micro-batches itself, and not with its root
        "completed",
        {"in_time": lambda mean, variance: IN_TIME(mean, variance * model.m)},
    ),
    "a slowest rank that hardly waits": ("without_limit", {"largest": lambda p: 3 - 1 / sympy.sympify(p)}),
    "the whole in both factors": ("independent", {"paces": lambda: (FIRST * model.whole, SECOND / model.whole)}),
    "factors of another product": ("independent", {"paces": lambda: (FIRST, 2 * SECOND)}),
}
"""What is shown no longer, with something else in the model."""


@pytest.mark.parametrize("fault", third(PLANTED))
def test_a_wrong_model(monkeypatch, fault):
    name, planted = PLANTED[fault]
    holds, detail = getattr(shown, name)()
    assert holds and detail
    for function, other in planted.items():
        monkeypatch.setattr(model, function, other)
    monkeypatch.setattr(shown.numbers, "ranks_for", lambda *given: 1)
    assert not getattr(shown, name)()[0]


@pytest.mark.slow
def test_what_is_shown_of_rules_is_not_of_wrong_ones(monkeypatch):
    proved = rules.proved
    assert shown.ordered()[0] and shown.one_iteration()[0]
    for name, wrong in (WRONG["what crosses counts"], WRONG["the backward pass is waited for"]):
        changed = {**RULES, name: wrong}
        monkeypatch.setattr(shown, "RULES", changed)
        monkeypatch.setattr(rules, "proved", partial(proved, changed))
        assert not shown.ordered()[0]
        assert not shown.one_iteration()[0]


def test_rules_that_are_alike(monkeypatch):
    def none(apart):
        raise LookupError("none of these")

    monkeypatch.setattr(rules, "witness", none)
    assert shown.counted_alike() == (True, "none of these")
