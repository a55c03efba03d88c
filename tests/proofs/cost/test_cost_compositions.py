"""What compositions send in words: derived of their texts, counted, and caught where it is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import Undecided
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED
from sparring.proofs.cost import compositions
from sparring.proofs.cost.published import Claim
from sparring.proofs.cost.symbols import exact, k, n, p
from tests.sparring.calling import called

FEW = (1, 2, 3, 5, 16)
PAGES = [
    ("power_sgd", {"columns": 4, "rank": 2}), ("power_sgd", {"columns": 64, "through": "two_shot"}),
    ("arc_top_k", {"columns": 4}), ("arc_top_k", {"columns": 3, "through": "two_shot", "feedback": "ef21m"}),
]  # fmt: skip


def wrong(most, runs):
    """What is found wrong with it, first."""
    return next((found for one in runs for found in compositions.compared(most, one)), None)


@pytest.mark.parametrize(("name", "params"), PAGES, ids=str)
def test_counted_words_keep_to_the_bound_and_reach_it(name, params):
    cost = sparring.cost(name, **params)
    runs = [*cost.runs(FEW)]
    assert wrong(cost.most, runs) is None and cost.proved().verdict == PROVED
    for each in cost.most:
        assert any(compositions.even(each, one) for one in runs)


FAULTS = {
    "a word less": ("words", lambda x: x - 1), "a word more": ("words", lambda x: x + 1),
    "a message less": ("messages", lambda x: x - 1), "a message more": ("messages", lambda x: x + 1),
    "copies forgotten": ("critical", lambda x: x / 2), "half of the additions": ("added", lambda x: x / 2),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
def test_a_wrong_formula_is_counted_out(what):
    cost, (quantity, fault) = sparring.cost("arc_top_k", columns=4), FAULTS[what]
    runs = [*cost.runs((2, 4))]
    assert wrong(cost.most, runs) is None
    for i, each in enumerate(cost.most):
        bad = each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])})
        assert wrong([*cost.most[:i], bad, *cost.most[i + 1 :]], runs)


def test_a_wrong_cost_is_refuted(monkeypatch):
    monkeypatch.setattr(compositions, "RANKS", (2, 3))
    cost = sparring.cost("arc_top_k", columns=4)
    few = [each._replace(forms={**each.forms, "words": each.forms["words"] - 1}) for each in cost.most]
    assert cost.counted().verdict.number >= 2
    assert replace(cost, most=few).counted().verdict == REFUTED


def test_a_false_derivation_is_told():
    cost = sparring.cost("arc_top_k", columns=4)
    first = cost.most[0]
    false = first._replace(derived=replace(first.derived, sent=first.derived.sent + 1))
    found = replace(cost, most=[false, *cost.most[1:]]).proved()
    assert found.verdict == REFUTED and found.detail.startswith("allreduce: the totals make the whole")


def test_the_published_words_come_out_where_p_divides_both_factors():
    """Of 64 rows and 8 columns, rank 2, on 1 to 16 ranks: 2 (p - 1) / p r (n + m)."""
    words = sparring.cost("power_sgd", columns=8, rank=2).words
    for ranks in (1, 2, 4, 8, 16):
        assert exact(words, {"p": ranks, "n": 512}) == sympy.Rational(2 * (ranks - 1), ranks) * 2 * (64 + 8)


def test_other_calls_are_told_beside():
    """The first one of ARC with an estimate, and those of PowerSGD in which factors are not worth it."""
    (first,) = [gap for gap in sparring.cost("arc_top_k", columns=64, feedback="ef21").gaps if "first" in gap]
    assert first == "the first call: allreduce: 2*n - floor(2*n/p) words, 2*(p - 1) messages"
    cost = sparring.cost("power_sgd", columns=64)
    (whole,) = [gap for gap in cost.gaps if "worth" in gap]
    assert whole.startswith("calls where not worth(") and whole.endswith("2*n - floor(2*n/p) words, 2*(p - 1) messages")
    assert cost.qualified[0] == "bound under W1: no rank sends more in a usual call; it may send less"


@pytest.mark.parametrize(
    ("name", "why"), [("arc_top_k", "a row's length follows"), ("power_sgd", "a square's side follows")]
)
def test_a_length_without_a_formula_has_no_cost(name, why):
    assert not api.costed(name)
    with pytest.raises(Undecided, match=why):
        sparring.cost(name)
    assert f"{name}: not covered: {why}" in called("cost", name, "ring")[1]


def test_a_lower_claim_is_wrong_only_where_a_run_sends_more(monkeypatch):
    monkeypatch.setattr(compositions, "RANKS", (2, 4))
    cost = sparring.cost("arc_top_k", columns=4)

    def judged(formula, xfail="", quantity="words"):
        return cost.judged(Claim("planted", quantity, formula, "", "nobody", xfail))

    assert judged(lambda n, p, k: 8 * n + 10 * k + 99).verdict in ("bound", "undecided", "equal")
    below = judged(lambda n, p, k: k)
    assert (below.verdict, below.checked) == ("different", REFUTED) and "words are sent, and not" in below.detail
    assert judged(lambda n, p, k: k, "it is known").checked == EXPECTED
    less = judged(lambda n, p, k: k, quantity="added")
    assert (less.verdict, less.checked) == ("undecided", UNDECIDED) and "need not be reached" in less.detail


def test_a_run_with_other_steps_is_no_case():
    cost = sparring.cost("arc_top_k", columns=4)
    one = next(iter(cost.runs((3,))))
    with pytest.raises(Undecided, match="and the exchanges have"):
        compositions.cut(cost.most[:1], one)


def test_letters_are_those_of_the_page():
    cost = sparring.cost("arc_top_k", columns=64)
    assert cost.words.free_symbols == {n, p, k}
    assert cost.at(p=8, n=6400, k=10).words == 2 * 640 + 2 * 400 - (2 * 640 // 8) - (2 * 400 // 8)


@pytest.mark.parametrize("through", ["ring_sparse", "ssar_recursive_doubling", "two_shot_sparse"])
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


@pytest.mark.parametrize("through", ["ring_allgather", "bruck_allgather"])
def test_lists_have_an_index_with_each_entry(through):
    cost = sparring.cost("error_feedback", allreduce=through)
    runs = [*cost.runs(FEW)]
    assert wrong(cost.most, runs) is None and any(compositions.even(cost.most[0], one) for one in runs)
    assert sympy.simplify(cost.words - 2 * k * (p - 1)) == 0
    (each,) = cost.most
    assert wrong([each._replace(forms={**each.forms, "words": each.forms["words"] - 1})], runs)


def test_what_has_a_form_for_some_ranks_alone_has_no_bound():
    with pytest.raises(Undecided, match="its closed form holds where p = 2"):
        sparring.cost("error_feedback", allreduce="recursive_doubling_allgather")
