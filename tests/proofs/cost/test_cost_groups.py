"""What Moshpit All-Reduce sends at most: in groups, derived, counted, and caught where it is wrong."""

from __future__ import annotations

import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import InputError, Undecided
from sparring.proofs.core.extents import Extent, Number, Reading, ways
from sparring.proofs.core.obligations import n as n_
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED, Word
from sparring.proofs.cost import code, compositions, groups
from sparring.proofs.cost.published import holds, numbered
from sparring.proofs.cost.simplified import simplified
from sparring.proofs.cost.symbols import CeilLog, Log, Log2, ceil_log, exact, n, p
from sparring.proofs.cost.tables import towards
from sparring.proofs.cost.typeset import formula
from sparring.spec.core.exchanges import allgather, served
from sparring.spec.core.numbers import Evaluator
from sparring.spec.core.rounds import Rounds
from sparring.spec.core.vectors import local
from tests.sparring.calling import called


@local(length=lambda x: x + 1)
def own_length(x):
    return [*x, 0]


PARAMS = [{}, {"m": 3}, {"m": 4, "rounds": 2}, {"m": 5, "chance": 3}, {"m": 8}]


def full(ranks, m):
    """Whether so many ranks fill a grid."""
    return any(ranks == m**d for d in range(7))


def test_the_simple_form_comes_out_on_a_full_grid():
    """2 n (m - 1) / m words a round, of which there are log_m p: the claim of the page's volume."""
    pairs = sparring.cost("moshpit")
    assert pairs.even == "2 | n, p = 2^m" and pairs.simplify(pairs.even).words == n * Log2(p)
    for m in (3, 4, 10):
        cost = sparring.cost("moshpit", m=m)
        assert cost.even == f"{m} | n, p = {m}^m"
        assert sympy.simplify(cost.simplify(cost.even).words - 2 * n * sympy.Rational(m - 1, m) * Log(p, m)) == 0
        assert cost.at(p=m**3, n=7 * m).words == 3 * 2 * 7 * (m - 1)
        assert cost.at(p=m**3, n=7 * m).messages == 3 * 2 * (m - 1)
    fixed = sparring.cost("moshpit", m=4, rounds=2)
    assert fixed.even == "4 | n" and fixed.simplify("4 | n").words == 3 * n and fixed.messages == 12


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_counted_words_keep_to_the_bound_and_reach_it(params):
    """For all of 1..64 ranks, on full grids and others."""
    cost, m = sparring.cost("moshpit", **params), params.get("m", 2)
    counted, derived, *_ = cost.checks
    assert counted.verdict.word == Word.TESTED and counted.verdict.number >= 64 and "p = 1..64" in counted.detail
    assert derived.verdict == PROVED
    reached = {len(one.xs) for one in cost.runs() if all(compositions.even(each, one) for each in cost.most)}
    assert reached == {ranks for ranks in range(2, 65) if full(ranks, m)}


FAULTS = {
    "a word less": ("words", lambda x: x - 1), "a word more": ("words", lambda x: x + 1),
    "a round less": ("words", lambda x: x / 2), "copies forgotten": ("critical", lambda x: x / 2),
    "a message less": ("messages", lambda x: x - 1), "a message more": ("messages", lambda x: x + 1),
    "half of the additions": ("added", lambda x: x / 2),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
@pytest.mark.parametrize("m", [2, 3])
def test_a_wrong_formula_is_counted_out(what, m):
    cost, (quantity, fault) = sparring.cost("moshpit", m=m), FAULTS[what]
    runs = [*cost.runs((m * m,))]
    bad = [each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])}) for each in cost.most]
    assert not any(next(compositions.compared(cost.most, one), None) for one in runs)
    assert any(next(compositions.compared(bad, one), None) for one in runs)


def test_steps_that_are_too_few_are_told():
    cost = sparring.cost("moshpit")
    few = [each._replace(forms={**each.forms, "steps": each.forms["steps"] / 2}) for each in cost.most]
    with pytest.raises(Undecided, match="and the exchanges have 2"):
        [*compositions.compared(few, next(cost.runs((4,))))]


def test_small_groups_of_short_vectors_send_more():
    """Four ranks in a group of up to five, five entries: parts are 2, 1, 1, 1, and the bound is that of 1 each."""
    page = sparring.page("moshpit", m=5)
    short = compositions.Call("short", page, [[0.0] * 5] * 4, None)
    found = next(compositions.compared(sparring.cost(page).most, short))
    assert found.what == "short, rounds of groups, words" and (found.derived, found.counted) == (8, 9)
    claims = [one._replace(hypotheses=(groups.n >= 0,)) for one in groups.smaller(5)]
    assert all(one.holds for one in answered([*groups.smaller(5)], True))
    assert any(one.witness for one in answered(claims, False))


@pytest.mark.parametrize("m", range(2, 9))
def test_the_least_length_is_enough_and_told(m):
    """Counted with whole numbers: with so many entries no smaller group has a member that sends more."""
    for length in range(groups.least(m), groups.least(m) + 3 * m * m):
        sent = [length + (s - 2) * -(-length // s) for s in range(2, m + 1)]
        assert max(sent) == sent[-1]
    told = " ".join(sparring.cost("moshpit", m=m).qualified)
    assert ("M3" in told) == (m > 2) and (m == 2 or f"at least {groups.least(m)} entries" in told)


def test_large_groups_are_full_by_hypothesis():
    told = sparring.cost("moshpit", m=40).qualified
    assert "M3: p is a power of 40" in told


@pytest.mark.parametrize(
    "params", [{"weights": (1, 2)}, {"bandwidths": (0, 1)}, {"dead": ((0, 0, 1),)}, {"failing": ((0, 0, 1),)}], ids=str
)
def test_members_that_differ_have_no_bound(params):
    (name,) = params
    with pytest.raises(Undecided, match=f"with {name} it depends on who is in which group"):
        sparring.cost("moshpit", **params)
    assert not api.costed(sparring.page("moshpit", **params))


def test_the_command_says_why_there_is_none():
    code_, text, _ = called("cost", "moshpit", "-P", "weights=[1,2]")
    assert code_ == 0 and "moshpit: not covered: with weights it depends on who is in which group" in text
    _, text, _ = called("cost", "arc_top_k", "ring")
    assert "arc_top_k: not covered: a row's length follows divisors of n: -P columns=64 has a cost" in text


def test_parameters_that_the_page_refuses_are_refused():
    with pytest.raises(InputError, match="m = 1: it must be 2 or more"):
        sparring.cost("moshpit", m=1)


def test_parts_that_are_rounded_otherwise_are_refuted():
    """The page's own division, rounded up, makes parts that are no longer those of the bound."""
    assert all(one.holds for one in answered([*groups.parts(served("averaging").module.rounded, 3)], True))
    up = groups.parts(lambda amount, total: (amount + total - 1) // total, 3)
    assert any(one.witness for one in answered([*up], False))


def test_rounds_are_read_once():
    """However many: what is sent in one is sent so often."""
    for params, often in (({}, {5: 3, 8: 3, 9: 4}), ({"m": 3}, {9: 2, 10: 3}), ({"rounds": 7}, {4: 7})):
        (way,) = ways(sparring.page("moshpit", **params))
        (sent,) = way.sent
        assert all(Evaluator({"p": ranks})(sent.times) == many for ranks, many in often.items())


def test_rounds_that_change_lengths_have_no_cost():
    def longer(t, x, cell, d):
        y = yield allgather(x)
        return own_length(y), cell

    reading = Reading()
    with pytest.raises(Undecided, match="change how long vectors are"):
        reading.rounds(Rounds(longer, Number(reading, 2), (Extent(reading, n_), Number(reading, 0)), (1,)), [])


def test_logarithms_to_any_base_are_exact():
    for base in (2, 3, 10):
        for x in range(1, 200):
            m = ceil_log(x, base)
            assert base**m >= x and (m == 0 or base ** (m - 1) < x)
            assert exact(CeilLog(p, base), {"p": x}) == m
    assert simplified(CeilLog(p, 3), "p = 3^m") == Log(p, 3)
    assert towards(CeilLog(p, 3) / p) == 0
    assert formula(CeilLog(p, 3)) == r"\lceil\log_{3} p\rceil"


def test_functions_have_the_values_of_the_formulas():
    cost, space = sparring.cost("moshpit", m=3), {}
    exec(compile(code.python([cost]), "costs.py", "exec"), space)  # our own code, as a user would import it
    for ranks in (1, 2, 3, 4, 9, 10, 27, 28):
        assert space["moshpit_words"](50, ranks) == cost.at(p=ranks, n=50).words


def test_only_functions_in_c_that_need_it_bring_the_logarithm():
    assert "static double ceil_log(" in code.c([sparring.cost("moshpit", m=3)])
    assert "static double ceil_log(" not in code.c([sparring.cost("moshpit")])


def test_hypotheses_with_numbers():
    assert holds("128 p | n, p = 3^m", 128 * 9 * 2, 9, 0) and not holds("128 p | n", 128, 9, 0)
    assert holds("3 | n", 9, 2, 0) and not holds("p = 3^m", 0, 6, 0)
    with pytest.raises(KeyError):
        numbered("p < 3", 0, 1)
    with pytest.raises(InputError, match="is no hypothesis"):
        simplified(n, "3 p")
    with pytest.raises(InputError, match=r"this cost holds where 2 \| n, p = 2\^m"):
        sparring.cost("moshpit").simplify("2 | n, p = 2^m").at(p=3, n=4)
