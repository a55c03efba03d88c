"""What decides DropCompute's claims: each proof holds, and fails on a model or a rule that is wrong."""

from __future__ import annotations

import pytest
import sympy

from sparring.proofs.stragglers import model, rules, shown
from sparring.spec.core.dropping import RULES, Work
from sparring.spec.core.numbers import both


def before_forward(at, micro, tau):
    """Gives up no micro-batch in its midst."""
    end = at.now + micro.forward + micro.backward
    return RULES["between_passes"](at, micro, tau)._replace(now=end)


def late(at, micro, tau):
    """The theory's rule that counts what crosses."""
    end = at.now + micro.forward + micro.backward
    return Work(at.completed + 1, end, both(at.going, end < tau))


IN_TIME, (FIRST, SECOND) = model.in_time, model.paces()
PLANTED = {
    "ends of another deviation": (  # which grows with the number of micro-batches itself, and not with its root
        "completed", {"in_time": lambda mean, variance: IN_TIME(mean, variance * model.m)},
    ),
    "a slowest rank that hardly waits": ("without_limit", {"largest": lambda p: 3 - 1 / sympy.sympify(p)}),
    "tau in both factors": ("independent", {"paces": lambda: (FIRST * model.tau, SECOND / model.tau)}),
    "the whole in both factors": ("independent", {"paces": lambda: (FIRST * model.whole, SECOND / model.whole)}),
    "factors of another product": ("independent", {"paces": lambda: (FIRST, 2 * SECOND)}),
}  # fmt: skip
"""What is shown no longer, with something else in the model."""


@pytest.mark.parametrize("fault", PLANTED)
def test_a_wrong_model(monkeypatch, fault):
    name, planted = PLANTED[fault]
    for function, other in planted.items():
        monkeypatch.setattr(model, function, other)
    monkeypatch.setattr(shown.numbers, "ranks_for", lambda *given: 1)
    assert not getattr(shown, name)()[0]


@pytest.mark.parametrize(("rule", "wrong"), [("between_passes", before_forward), ("analytic", late)])
def test_wrong_rules(monkeypatch, rule, wrong):
    changed = {**RULES, rule: wrong}
    monkeypatch.setattr(shown, "RULES", changed)
    proved = rules.proved
    monkeypatch.setattr(rules, "proved", lambda: proved(changed))
    assert not shown.ordered()[0]
    assert not shown.one_iteration()[0]


def test_rules_that_are_alike(monkeypatch):
    def none(apart):
        raise LookupError("none of these")

    monkeypatch.setattr(rules, "witness", none)
    assert shown.counted_alike() == (True, "none of these")
