"""By proof alone: small numbers upset what is wrong, and are tried once; no theorem survives a planted fault."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import sparring
from sparring.mutation import small_models
from sparring.mutation.judging import unharmed
from sparring.mutation.small_models import UNREADABLE, Trials
from sparring.proofs.logic.obligations import Obligation, p, r, t, within
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.syntax import IN_PAGES, mutants
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.numbers import where
from tests.proofs.wrong_texts import changed
from tests.sweeps import sweep

BOX = (p >= 1, within(r))


def test_a_counterexample_is_told():
    """With the values of the letters that the obligation speaks of."""
    found = [*Trials(Memory()).upset([Obligation("too low", (p == 4, r == 2), r < 2)])]

    assert {*found} == {"too low fails at p=4, r=2"}


def test_what_has_no_value_upsets_nobody():
    """Not even where it would be needed to tell."""
    assert not [*Trials(Memory()).upset([Obligation("no shift", BOX, 1 << (r - p) < 0)])]


def test_what_is_right_is_tried_once(monkeypatch):
    """Equal terms are one, whichever page they come from; what was upset is tried anew."""
    trials = Trials(Memory())
    right, wrong = (Obligation("one", BOX, claim) for claim in (r < p, r < p - 1))
    assert not [*trials.upset([right])]
    monkeypatch.setattr(small_models, "points", lambda names: pytest.fail("tried again") if names else [])

    assert not [*trials.upset([Obligation("another", (p >= 1, within(r)), r < p)])]
    with pytest.raises(pytest.fail.Exception):
        list(trials.upset([wrong]))


def test_a_parameter_has_every_value():
    """What is wrong with one radix alone is found, though the page has another."""
    whole = subject(sparring.page("recursive_multiplying"))

    assert whole.page.params["radix"] == 4 and not [*Trials(Memory()).tried(whole, "deadlock")]
    claims = [
        Obligation("radix", (*whole.given, *BOX, t == 1), where(whole.general.page.params["radix"] == 3, 0, t) == 1)
    ]
    assert all("radix=3" in told for told in Trials(Memory()).upset(claims))
    assert [*Trials(Memory()).upset(claims)]


KEPT = Path(__file__).parents[2] / "docs" / "mutants"
QUICK = ("ring", "ring_allgather", "ring_topk", "dsar_split_allgather")
"""Of all others the published numbers say it, and of every tenth the slow tests judge some anew."""


def equivalent(page):
    """The faults that are none, as two solvers proved: by operator, function, line and change."""
    kept = json.loads((KEPT / f"{page.name}.json").read_text())["alive"]
    ours = (one for one in kept if (one["part"], one["word"]) == ("page", "equivalent"))
    return {(one["operator"], one["function"], one["line"], one["change"]) for one in ours}


@pytest.mark.parametrize("name", sweep(QUICK, few=QUICK[:1]))
def test_every_fault_is_refused(name):
    """Of each page of formulas, all that is not proved to be none; the page itself is not."""
    page = sparring.page(name)
    source, trials, none = inspect.getsource(page.module), Trials(Memory()), equivalent(page)
    faults = [m for m in mutants(source, IN_PAGES) if (m.operator, m.function, m.text, m.told) not in none]
    assert faults
    assert [str(m) for m in faults if not trials.refused(page, m)] == []
    assert trials.refused(page, unharmed(source)) == ""


@pytest.mark.slow
def test_a_fault_that_is_none_is_not_refused():
    """Of two encodings that are as long, the other one."""
    page = sparring.page("ring_sparse")
    same = next(m for m in mutants(inspect.getsource(page.module)) if m.told == "a <= b becomes a < b")
    assert Trials(Memory()).refused(page, same) == ""


SELECTED = "return x.largest(part(c, p, where(k <= n, k, n)))"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (SELECTED, "return x + x", "result"),
        (SELECTED, "return x[1:]", UNREADABLE),
        (SELECTED, "return x.largest(part(c, p, k))", "sizes"),
        ("return m * (w + 4)", "return m * w", "sizes"),
    ],
)
def test_the_theorem_that_falls(old, new, why):
    """The first that small numbers upset, or a page that cannot be read."""
    page = sparring.page("ring_topk")
    fault = unharmed("")._replace(tree=changed(page.module, old, new))
    assert Trials(Memory()).refused(page, fault) == why
