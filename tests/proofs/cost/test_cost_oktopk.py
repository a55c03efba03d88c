"""What Ok-Topk sends at most: read from its text under hypotheses, counted, and caught where it is wrong."""

from __future__ import annotations

from math import ceil, log2

import pytest
import sympy

import sparring
from sparring.errors import InputError, Undecided
from sparring.proofs.core.extents import usual, ways
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED, Word
from sparring.proofs.cost import compositions
from sparring.proofs.cost.published import Claim
from sparring.proofs.cost.symbols import CeilLog2, exact, k, p
from sparring.spec.core.runner import run

PARAMS = [{"trigger": 1, "bucket": 1}, {"trigger": 2}, {}, {"trigger": 0, "bucket": 100}]
DEALING = sparring.cost("oktopk", trigger=1)
FEW = (2, 3, 4, 8)


def wrong(most, runs):
    """What is found wrong with it, first."""
    return next((found for one in runs for found in compositions.compared(most, one)), None)


def test_the_published_form_comes_out_where_p_divides_k():
    simple = DEALING.simplify("p | k")
    assert simple.words.equals(6 * k * (p - 1) / p)
    assert simple.form("critical").equals(6 * k * (p - 1) / p)
    assert DEALING.messages.equals(2 * (p - 1) + CeilLog2(p))


@pytest.mark.parametrize("bucket", [1, 2, 4, 7])
def test_steps_go_by_buckets(bucket):
    cost = sparring.cost("oktopk", bucket=bucket)
    for ranks in range(1, 40):
        steps = ceil((ranks - 1) / bucket) + (ranks > 1) + ceil(log2(ranks))
        assert exact(cost.form("steps"), {"p": ranks}) == steps


def test_a_usual_call_has_older_thresholds_and_deals_out():
    one = usual(ways(DEALING.page))
    assert [sent.exchange for sent in one.sent] == ["ReduceScatter", "Balance", "Allgather"]
    told = " ".join(DEALING.qualified)
    assert "in calls where uneven(sizes, params.trigger)" in told and "H3: at most k sums stay" in told


def test_lists_that_are_not_dealt_out_may_be_sent_in_each_step():
    """What calls send in which nothing is dealt out stands beside, and is more."""
    beside = sparring.cost("oktopk").gaps[-1]
    assert beside.startswith("a usual call: ") and "allgather: 2*k*ceil(log2(p)) words" in beside
    page = sparring.page("oktopk")
    (one,) = compositions.calls(sparring.cost("oktopk"), 4)
    sent = compositions.counts(page, compositions.traced(one), 4, "words")["words"]
    assert 4 * (4 - 1) + 2 * (4 - 1) < sent <= 2 * (4 - 1) + 2 * 4 * 2


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7, 8, 16, 23])
def test_the_calls_that_are_counted_keep_to_the_hypotheses(ranks, params):
    """Told from the vectors and what the call before left: who selects what in which region, and how many sums stay."""
    cost = sparring.cost("oktopk", **params)
    for one in compositions.calls(cost, ranks):
        many, width = one.page.params["k"], one.xs[0].n // ranks
        for x in one.xs:
            inside = [sum(c * width <= i < (c + 1) * width for i in x.indices) for c in range(ranks)]
            assert len(x.indices) <= many and {*inside} <= {many // ranks, -(-many // ranks)}
        (y, *_) = run(one.page, one.xs, one.state).results
        assert len(y.indices) <= many


@pytest.mark.parametrize("params", PARAMS[::2], ids=str)
def test_counted_traces_keep_to_the_bound_and_reach_it(params):
    cost = sparring.cost("oktopk", **params)
    counted, derived, *_ = cost.checks
    assert counted.verdict.word == Word.TESTED and counted.verdict.number >= 56 and "p = 1..64" in counted.detail
    assert derived.verdict == PROVED
    assert all(check.verdict not in (REFUTED, UNDECIDED) for check in cost.checks)
    for one in cost.runs(FEW):
        assert all(compositions.even(each, one) for each in cost.most) == (len(one.xs) > 1)


SPLIT, DEALT, GATHERED = "reduce_scatter", "balance", "allgather"
WRONG = {
    "a word less in the rotation": (SPLIT, "words", lambda x: x - 1),
    "a word more in the rotation": (SPLIT, "words", lambda x: x + 1),
    "half the dealing out": (DEALT, "words", lambda x: x / 2),
    "a word more in the allgather": (GATHERED, "words", lambda x: x + 1),
    "a word less in the allgather": (GATHERED, "words", lambda x: x - 1),
    "a turn less": (SPLIT, "messages", lambda x: x - 1),
    "a turn more": (SPLIT, "messages", lambda x: x + 1),
    "rounds rounded down": (GATHERED, "messages", lambda x: x - 1),
    "one message to deal out": (DEALT, "messages", lambda x: x * 0 + 1),
    "no additions to speak of": (SPLIT, "added", lambda x: x - 1),
    "a step that is forgotten": (SPLIT, "critical", lambda x: x - 2),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_formula_is_counted_out(what):
    name, quantity, fault = WRONG[what]
    bad = [
        each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])}) if each.name == name else each
        for each in DEALING.most
    ]
    runs = [*DEALING.runs(FEW)]
    assert wrong(bad, runs) and not wrong(DEALING.most, runs)


def test_a_call_without_the_hypotheses_goes_beyond_the_bound():
    """What the hypotheses forbid is found by counting: more entries than k, all in another region."""
    (even,) = DEALING.runs((4,))
    row = even.xs[0]
    crowded = row._replace(indices=tuple(range(row.n - 4, row.n)), values=(9,) * 4)
    found = wrong(DEALING.most, [even._replace(xs=[crowded, *even.xs[1:]], full=False)])
    assert found and "reduce_scatter, words" in found.what and found.counted > found.derived


def judged(cost, formula, xfail="", quantity="words"):
    """A claim where p divides k."""
    return cost.judged(Claim("planted", quantity, formula, "p | k", "nobody", xfail))


def test_a_lower_claim_is_wrong_only_where_a_run_sends_more():
    assert judged(DEALING, lambda n, p, k: 6 * k * (p - 1) / p).verdict == "equal"
    assert judged(DEALING, lambda n, p, k: 6 * k).verdict == "bound"
    below = judged(DEALING, lambda n, p, k: 5 * k * (p - 1) / p)
    assert (below.verdict, below.checked) == ("different", REFUTED) and "words are sent, and not" in below.detail
    assert judged(DEALING, lambda n, p, k: 5 * k * (p - 1) / p, "it is known").checked == EXPECTED
    assert judged(DEALING, lambda n, p, k: 6 * k * (p - 1) / p, "it is known").checked == REFUTED


def test_what_no_run_exceeds_is_undecided():
    """Additions are in no run's words: a claim below the bound is neither wrong nor right."""
    found = judged(DEALING, lambda n, p, k: k * (p - 1) / p / 2, quantity="added")
    assert (found.verdict, found.checked) == ("undecided", UNDECIDED) and "need not be reached" in found.detail


def test_a_claim_that_calls_exceed_in_which_nothing_is_dealt_out_is_wrong():
    """On three ranks one list of all sums is three times the mean, which is dealt out only with a lower trigger."""
    found = judged(sparring.cost("oktopk"), lambda n, p, k: 6 * k * (p - 1) / p)
    assert (found.verdict, found.checked) == ("different", REFUTED)
    assert found.detail.startswith("16 words are sent, and not 12, at p=3, k=3")


def test_parameters_that_the_page_refuses_are_refused():
    with pytest.raises(InputError, match="bucket = 0: it must be 1 or more"):
        sparring.cost("oktopk", bucket=0)


def test_a_run_with_other_steps_is_no_case():
    (even,) = sparring.cost("oktopk", trigger=1, bucket=1).runs((4,))
    with pytest.raises(Undecided, match="and the exchanges have"):
        compositions.cut(DEALING.most, even)  # whose turns leave four at a time


def test_letters_are_those_of_the_page():
    assert DEALING.words.free_symbols == {p, k} and DEALING.at(p=8, k=1000).words == 5250
    assert sympy.simplify(DEALING.words.subs(p, 1)) == 0
