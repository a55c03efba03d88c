"""What a program costs at most: derived, counted beside runs under its hypotheses, and caught where it is wrong."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from math import ceil, log2

import numpy as np
import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import InputError, Undecided
from sparring.proofs import oktopk as supplement
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED
from sparring.proofs.cost import oktopk, programs
from sparring.proofs.cost.published import Claim
from sparring.proofs.cost.symbols import CeilLog2, exact, k, p
from sparring.spec.core.numbers import negate
from sparring.spec.core.runner import run

PARAMS = [{"trigger": 1, "bucket": 1}, {"trigger": 2}, {}, {"trigger": 0, "bucket": 100}]
DEALING = sparring.cost("oktopk", trigger=1)


def test_the_published_form_comes_out_where_p_divides_k():
    simple = DEALING.simplify("p | k")
    assert simple.words.equals(6 * k * (p - 1) / p)
    assert simple.form("critical").equals(6 * k * (p - 1) / p)
    assert DEALING.messages.equals(2 * (p - 1) + CeilLog2(p))
    assert sparring.cost("oktopk").simplify("p | k").words.equals(10 * k * (p - 1) / p)


@pytest.mark.parametrize("bucket", [1, 2, 4, 7])
def test_steps_go_by_buckets(bucket):
    cost = sparring.cost("oktopk", bucket=bucket)
    for ranks in range(1, 40):
        steps = ceil((ranks - 1) / bucket) + (ranks > 1) + ceil(log2(ranks))
        assert exact(cost.form("steps"), {"p": ranks}) == steps


def selected(one, r):
    """The indices of rank ``r`` that reach its threshold, told without the page: all of them."""
    return {i for i, v in zip(one.xs[r].indices, one.xs[r].values) if abs(v) >= oktopk.LEAST}


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7, 8, 16, 23])
def test_the_calls_that_are_counted_keep_to_the_hypotheses(ranks, params):
    """Counted with a dense sum, from the vectors and the bounds alone."""
    for one in supplement.played(sparring.page("oktopk", **params), ranks):
        many, cuts = one.page.params["k"], one.state.bounds
        total = np.zeros(one.xs[0].n, object)
        for r in range(ranks):
            mine = selected(one, r)
            inside = [sum(a <= i < b for i in mine) for a, b in pairwise(cuts)]
            assert len(mine) <= many
            assert {*inside} <= {many // ranks, -(-many // ranks)}
            total[sorted(mine)] += [dict(zip(one.xs[r].indices, one.xs[r].values))[i] for i in sorted(mine)]
        assert sum(v != 0 and -abs(v) <= one.state.least[1] for v in total) <= many


@pytest.mark.slow
@pytest.mark.parametrize("params", PARAMS[::2], ids=str)
def test_counted_traces_keep_to_the_bound_and_reach_it(params):
    """For all of 1..64 ranks; rotation and allgather reach theirs wherever there are two ranks, dealing out mostly."""
    cost = sparring.cost("oktopk", **params)
    name, verdict, detail = cost.checks[0]
    assert name == "counted" and verdict.number >= 3 * 64 and "p = 1..64" in detail
    assert all(check.verdict not in (REFUTED, UNDECIDED) for check in cost.checks)
    assert cost.checks[1].verdict == PROVED
    reached = {(len(one.xs), part) for one in cost.runs() for part in one.reaches}
    parts = {oktopk.SPLIT, oktopk.GATHERED} | ({oktopk.DEALT, ""} if params.get("trigger", 4) < 2 else set())
    assert {(ranks, part) for ranks in range(2, 65) for part in parts} <= reached


WRONG = {
    "a word less in the rotation": (oktopk.SPLIT, "words", lambda x: x - 1),
    "a word more in the rotation": (oktopk.SPLIT, "words", lambda x: x + 1),
    "half the dealing out": (oktopk.DEALT, "words", lambda x: x / 2),
    "a word more in the allgather": (oktopk.GATHERED, "words", lambda x: x + 1),
    "lists rounded down": (oktopk.GATHERED, "words", lambda x: 2 * (p - 1) * sympy.floor(k / p)),
    "a turn less": (oktopk.SPLIT, "messages", lambda x: x - 1),
    "a turn more": (oktopk.SPLIT, "messages", lambda x: x + 1),
    "rounds rounded down": (oktopk.GATHERED, "messages", lambda x: x - 1),
    "one message to deal out": (oktopk.DEALT, "messages", lambda x: x * 0 + 1),
    "no additions to speak of": (oktopk.SPLIT, "added", lambda x: x - 1),
    "a step that is forgotten": (oktopk.SPLIT, "critical", lambda x: x - 2),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_formula_is_counted_out(what):
    name, quantity, fault = WRONG[what]
    wrong = [
        each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])}) if each.part.name == name else each
        for each in DEALING.most
    ]
    runs = [one for ranks in range(2, 9) for one in supplement.played(DEALING.page, ranks)]
    assert any(next(programs.compared(wrong, one), None) for one in runs)
    assert not any(next(programs.compared(DEALING.most, one), None) for one in runs)


def test_a_wrong_cost_is_refuted(monkeypatch):
    """Only here: costs are kept in a process."""
    cost = sparring.cost("oktopk", trigger=1)
    few = [each._replace(forms={**each.forms, "words": each.forms["words"] - 1}) for each in cost.most]
    monkeypatch.setitem(cost.__dict__, "most", few)
    assert cost.counted().verdict == REFUTED


def test_a_call_without_the_hypotheses_goes_beyond_the_bound():
    """What the hypotheses forbid is found by counting: more entries than k, all in another region."""
    (even, *_) = supplement.played(sparring.page("oktopk", trigger=1), 4)
    row, width = even.xs[0], even.xs[0].n // 4
    crowded = row._replace(indices=tuple(range(width, width + 9)), values=(9,) * 9)
    unlike = next(programs.compared(DEALING.most, even._replace(xs=[crowded, *even.xs[1:]], reaches=())))
    assert "split and reduce, words" in unlike.what and unlike.counted == 18 > unlike.derived


@pytest.mark.parametrize("part", range(3))
def test_each_part_is_proved_and_a_false_claim_is_told(part):
    cost = sparring.cost("oktopk", trigger=1)
    found = cost.bounded.parts[part]
    assert found.claims and all(one.holds for one in answered([*found.claims], True))
    false = found.claims[0]._replace(claim=negate(found.claims[0].claim))
    broken = replace(cost, bounded=cost.bounded._replace(parts=[found._replace(claims=(false,))])).proved()
    assert broken.verdict == REFUTED and found.name in broken.detail and false.name in broken.detail


def test_longer_lists_cost_more_than_twice_the_mean_grants():
    """With a factor less the claim is false."""
    (good,) = answered([*oktopk.longer(4)], True)
    (claim,) = oktopk.longer(4)
    (other,) = oktopk.longer(3)
    assert good.holds
    (bad,) = answered([claim._replace(claim=other.claim)], False)
    assert bad.witness


def test_a_lower_claim_is_wrong_only_where_a_run_sends_more():
    def judged(formula, xfail="", quantity="words"):
        return DEALING.judged(Claim("planted", quantity, formula, "p | k", "nobody", xfail))

    assert judged(lambda n, p, k: 6 * k * (p - 1) / p).verdict == "equal"
    assert judged(lambda n, p, k: 6 * k).verdict == "bound"
    below = judged(lambda n, p, k: 5 * k * (p - 1) / p)
    assert (below.verdict, below.checked) == ("different", REFUTED) and "words are sent, and not" in below.detail
    assert judged(lambda n, p, k: 5 * k * (p - 1) / p, "it is known").checked == EXPECTED
    assert judged(lambda n, p, k: 6 * k * (p - 1) / p, "it is known").checked == REFUTED


def test_what_no_run_exceeds_is_undecided():
    """Additions are in no run's words: a claim below the bound is neither wrong nor right."""
    claim = Claim("planted", "added", lambda n, p, k: k * (p - 1) / p / 2, "p | k", "nobody")
    found = DEALING.judged(claim)
    assert (found.verdict, found.checked) == ("undecided", UNDECIDED) and "need not be reached" in found.detail


def test_a_program_without_a_bound_has_no_cost(monkeypatch):
    monkeypatch.delattr(supplement, "bounded")
    assert not api.costed("oktopk")
    with pytest.raises(Undecided, match="its proof module has no bound"):
        sparring.cost("oktopk")


def test_parameters_that_the_page_refuses_are_refused():
    with pytest.raises(InputError, match="bucket = 0: it must be 1 or more"):
        sparring.cost("oktopk", bucket=0)


def test_a_run_with_other_steps_is_no_case():
    (even, *_) = supplement.played(sparring.page("oktopk", trigger=1, bucket=1), 4)
    with pytest.raises(Undecided, match="the parts have"):
        programs.cut(DEALING.most, even)  # whose turns leave four at a time


def test_drawn_calls_are_drawn_anew_and_the_same_for_the_same_number():
    page = sparring.page("oktopk")
    one, again, other = (oktopk.Calls(page, 3, 7).drawn(random.Random(seed)) for seed in (1, 1, 2))
    assert one.xs == again.xs != other.xs
    assert run(one.page, one.xs, one.state).trace == run(again.page, again.xs, again.state).trace
