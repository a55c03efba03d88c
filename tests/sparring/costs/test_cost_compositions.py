"""What compositions send at most, in words or bytes: read from their texts, counted, and caught where it is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from sympy import ceiling, floor

import sparring
from sparring import api
from sparring.costs import calls, compositions
from sparring.costs.formulas.symbols import exact, k, n, p
from sparring.costs.published.claim import Claim
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED
from tests.algorithms import ALGORITHMS
from tests.sparring.calling import called
from tests.sweeps import third

CASES = [(name, params) for name, one in ALGORITHMS.items() for params in one.costed_with]
FEW = (1, 2, 3, 4, 8, 9)


def wrong(most, runs):
    """What is found wrong with the cost of some exchanges, first."""
    return next((found for one in runs for found in calls.compared(most, one)), None)


@cache
def dealing():
    """Ok-Topk, in the calls in which it deals out."""
    return sparring.cost("oktopk", trigger=1)


def test_at_a_point():
    """In words or bytes, never both; seconds are a fraction; letters are those of the page."""
    assert dealing().words.free_symbols == {p, k} and dealing().at(p=8, k=1000).words == 5250
    rows = sparring.cost("arc_top_k", columns=64)
    assert rows.words.free_symbols == {n, p, k}
    assert rows.at(p=8, n=6400, k=10).words == 2 * 640 + 2 * 400 - (2 * 640 // 8) - (2 * 400 // 8)
    pairs = sparring.cost("moshpit", m=3).at(p=27, n=21)
    assert (pairs.words, pairs.messages) == (3 * 2 * 7 * 2, 3 * 2 * 2)
    flash = sparring.cost("flash")
    at = flash.at(p=8, n=10**6, alpha=0, beta=1)
    assert (at.words, at.nbytes, at.time) == (None, 1859424, 1859424)
    with pytest.raises(Undecided, match="no closed form of words: words: messages are codes, told in bytes"):
        flash.words  # it raises
    with pytest.raises(InputError, match="width=2: entries of flash have 4 or 8 bytes"):
        flash.at(p=8, n=10**6, width=2)
    with pytest.raises(InputError, match=r"this cost holds where 2 \| n, p = 2\^m"):
        sparring.cost("moshpit").simplify("2 | n, p = 2^m").at(p=3, n=4)


FAULTS = {"one less": lambda x: x - 1, "one more": lambda x: x + 1, "half": lambda x: x / 2, "nothing": lambda x: x * 0}


@pytest.mark.parametrize("m", [2, 3])
def test_levels_send_as_many_words_as_one_in_fewer_messages(m):
    """Where nodes are full; where they are not, all that is told at a point is told of one level."""
    flat, levels = sparring.cost("ring"), sparring.cost("hierarchical", m=m)
    for many in range(2, 13):
        at = {"p": many, "n": 24 * many * m, "alpha": 1, "beta": 1}
        here, there = levels.at(**at), flat.at(**at)
        assert here.words == there.words
        if many % m:
            assert here[:2] == there[:2] and here.time == there.time
        else:
            assert here.messages == 2 * (m - 1) + 2 * (many // m - 1) <= there.messages
    assert levels.even == f"{m} | p, p | n" and levels.hypotheses == (("G1", f"{m} divides p"),)
    assert not levels.simplify(f"{m} | p, p | n").form("words").has(floor, ceiling)


@pytest.mark.parametrize(("name", "params"), third(CASES[::2]), ids=str)
def test_runs_keep_to_the_bound_and_reach_it_and_wrong_formulas_are_counted_out(name, params, monkeypatch):
    """Whichever quantity of whichever exchange is wrong, and an exchange with messages that is forgotten.

    Where values decide how long messages are, a bound that is too high is none that is wrong.
    """
    cost = sparring.cost(name, **params)
    runs = [*cost.runs(FEW)]
    assert wrong(cost.most, runs) is None and cost.proved().verdict == PROVED
    reached = [one for one in runs if all(calls.even(each, one) for each in cost.most)]
    full, faults = (reached[-1], FAULTS) if reached else (runs[-1], {"nothing": FAULTS["nothing"]})
    trace = calls.traced(full)
    monkeypatch.setattr(calls, "traced", lambda one: trace)
    for i, each in enumerate(cost.most):
        before, after = cost.most[:i], cost.most[i + 1 :]
        if exact(each.forms["messages"], calls.letters_of_run(full)):
            with pytest.raises(Undecided, match="and the exchanges have"):
                wrong([*before, *after], [full])
        for quantity in {each.unit, "messages", "critical", *(["added"] if each.unit == "words" else [])}:
            for fault in faults.values() if exact(each.forms[quantity], calls.letters_of_run(full)) else ():
                bad = each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])})
                assert wrong([*before, bad, *after], [full]), (each.name, quantity)


def test_a_wrong_cost_and_a_false_derivation_are_refuted(monkeypatch):
    monkeypatch.setattr(compositions, "RANKS", (2, 3))
    cost = sparring.cost("arc_top_k", columns=4)
    few = [each._replace(forms={**each.forms, "words": each.forms["words"] - 1}) for each in cost.most]
    assert cost.counted().verdict.number >= 2
    assert replace(cost, most=few).counted().verdict == REFUTED
    first = cost.most[0]
    false = first._replace(derived=replace(first.derived, sent=first.derived.sent + 1))
    found = replace(cost, most=[false, *cost.most[1:]]).proved()
    assert found.verdict == REFUTED and found.detail.startswith("allreduce: the totals make the whole")


def test_what_is_no_bytes_or_does_not_add_up_is_undecided():
    flash, words = sparring.cost("flash"), sparring.cost("arc_top_k", columns=64)
    one = next(iter(flash.runs((2,))))
    with pytest.raises(Undecided, match="flash: a message is a list, whose bytes are not counted"):
        wrong(flash.most, [one._replace(xs=[[1.0, 2.0], [3.0, 4.0]])])
    with pytest.raises(Undecided, match="some send words and some bytes"):
        compositions.derived(flash.page, flash.found, [*flash.most, *words.most])


NO_FORMULA = [
    ("arc_top_k", {}, "a row's length follows divisors of n: -P columns=64 has a cost"),
    ("power_sgd", {}, "a square's side follows"),
    *(("moshpit", {name: value}, f"with {name} it depends on who is in which group") for name, value in (
        ("weights", (1, 2)), ("bandwidths", (0, 1)), ("dead", ((0, 0, 1),)), ("failing", ((0, 0, 1),)))),
]  # fmt: skip


def test_what_has_no_formula_has_no_cost():
    """The command says why, beside the costs of others."""
    assert not any(api.uncosted(case) for case, given in CASES if not given)
    for name, params, why in NO_FORMULA:
        assert api.uncosted(sparring.page(name, **params))
        with pytest.raises(Undecided, match=why):
            sparring.cost(name, **params)
    _, told, _ = called("cost", "arc_top_k", "power_sgd", "ring")
    assert all(f"{name}: not covered: {why}" in told for name, params, why in NO_FORMULA if not params)


@pytest.mark.parametrize(
    ("params", "factor", "quantity", "xfail", "verdict", "checked", "told"),
    [
        ({"trigger": 1}, 6, "words", "", "equal", PROVED, ""),
        ({"trigger": 1}, 7, "words", "", "different", REFUTED, "what is stated is no bound"),
        ({"trigger": 1}, 5, "words", "", "different", REFUTED, "words are sent, and not"),
        ({"trigger": 1}, 5, "words", "it is known", "different", EXPECTED, "it is known"),
        ({"trigger": 1}, 6, "words", "it is known", "equal", REFUTED, "it is known"),
        ({"trigger": 1}, Fraction(1, 2), "added", "", "undecided", UNDECIDED, "need not be reached"),
        ({}, 6, "words", "", "different", REFUTED, "16 words are sent, and not 12, at p=3, k=3"),
    ],
)
def test_a_lower_claim_is_wrong_only_where_a_run_sends_more(params, factor, quantity, xfail, verdict, checked, told):
    """Additions are in no run's words; and where nothing is dealt out, one list of all sums is three times the mean."""
    claim = Claim("planted", quantity, lambda n, p, k: factor * k * (p - 1) / p, "p | k", "nobody", xfail)
    if xfail:
        claim = claim._replace(actual=lambda n, p, k: 6 * k * (p - 1) / p)
    found = sparring.cost("oktopk", **params).judged(claim)
    assert found.verdict == verdict and told in found.detail
    assert found.checked == checked
    bound = sparring.cost("oktopk", **params).judged(claim._replace(bound=True))
    assert (bound.verdict == "bound") == (factor == 7) and (factor == 7 or bound == found._replace(claim=bound.claim))


@pytest.mark.parametrize("through", third(["ring_sparse", "ssar_recursive_doubling", "two_shot_sparse"]))
def test_sparse_pieces_are_no_longer_than_dense_ones_and_their_headers(through):
    """In bytes; runs in which all is sent come as near as the encodings allow, and half of it is too little."""
    cost = sparring.cost("error_feedback", allreduce=through)
    runs = [*cost.runs(FEW)]
    assert wrong(cost.most, runs) is None and cost.proved().verdict == PROVED
    dense = sparring.cost({"ring_sparse": "ring", "two_shot_sparse": "two_shot"}.get(through, "recursive_doubling"))
    for at in ({"p": 4, "n": 8, "k": 0}, {"p": 5, "n": 11, "k": 3}):
        words, messages = (exact(dense.form(name), at) for name in ("words", "messages"))
        assert cost.at(**at, width=4).nbytes == 4 * words + 8 * messages
    (each,) = cost.most
    less = {**each.forms, "bytes": each.forms["bytes"] / 2}
    assert wrong([each._replace(forms=less)], runs)


def test_what_has_a_form_for_some_ranks_alone_has_no_bound():
    with pytest.raises(Undecided, match="its closed form holds where p = 2"):
        sparring.cost("error_feedback", allreduce="recursive_doubling_allgather")
