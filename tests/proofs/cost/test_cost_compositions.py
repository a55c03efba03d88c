"""What compositions send at most, in words or bytes: read from their texts, counted, and caught where it is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil, log2

import numpy as np
import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import InputError, Undecided
from sparring.impl import qsgd as impl_qsgd
from sparring.impl.core import signs as impl_signs
from sparring.impl.core import wholes as impl_wholes
from sparring.impl.core.quantiser import Quantiser
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED, Word
from sparring.proofs.core.volume import WIDTHS
from sparring.proofs.core.ways import usual, ways
from sparring.proofs.cost import calls, compositions
from sparring.proofs.cost.compositions import RANKS
from sparring.proofs.cost.published import Claim
from sparring.proofs.cost.symbols import CeilLog2, Log, Log2, exact, k, n, p, width
from sparring.proofs.cost.versus import compare
from sparring.spec.core.runner import run
from tests.sparring.calling import called
from tests.sweeps import sweep

CODED = ("flash", "one_bit", "thc", "qsgd")
OTHERS = [
    ("flash", {"b1": 3, "b2": 5, "g": 2, "spikes": 1}), ("flash", {"b1": 4, "g": 3}), ("one_bit", {"norm": 1}),
    ("thc", {"bits": 3, "seed": 7}), ("thc", {"bits": 8}), ("qsgd", {"levels": 300}), ("qsgd", {"by_max": 1}),
]  # fmt: skip
CASES = [
    *((name, {}) for name in CODED), *OTHERS,
    ("power_sgd", {"columns": 4, "rank": 2}), ("power_sgd", {"columns": 64, "through": "two_shot"}),
    ("arc_top_k", {"columns": 4}), ("arc_top_k", {"columns": 3, "through": "two_shot", "feedback": "ef21m"}),
    ("oktopk", {"trigger": 1}), ("oktopk", {"trigger": 1, "bucket": 1}), ("oktopk", {}),
    ("moshpit", {}), ("moshpit", {"m": 3}), ("moshpit", {"m": 4, "rounds": 2}),
]  # fmt: skip
FEW = (1, 2, 3, 4, 5, 8, 9, 16)


def wrong(most, runs):
    """What is found wrong with the cost of some exchanges, first."""
    return next((found for one in runs for found in calls.compared(most, one)), None)


@cache
def dealing():
    """Ok-Topk, in the calls in which it deals out."""
    return sparring.cost("oktopk", trigger=1)


def grid(ranks, m):
    """Whether so many ranks fill a grid."""
    return any(ranks == m**d for d in range(7))


@pytest.mark.parametrize(
    ("name", "params", "given", "form", "simple"),
    [
        ("flash", {}, "128 p | n", "bytes", 2 * n * (p - 1) / p * (1 + 2 * width / 128)),
        ("one_bit", {}, "8 p | n", "bytes", 2 * (p - 1) * (n / (8 * p) + width)),
        ("thc", {}, "8 p | n, p = 2^m", "bytes", (p - 1) * (2 * width + n * (4 + 4 + Log2(p)) / (8 * p))),
        ("qsgd", {}, "2 | n", "bytes", (p - 1) * (width + n / 2)),
        ("oktopk", {"trigger": 1}, "p | k", "words", 6 * k * (p - 1) / p),
        ("oktopk", {"trigger": 1}, "p | k", "critical", 6 * k * (p - 1) / p),
        ("oktopk", {"trigger": 1}, "p | k", "messages", 2 * (p - 1) + CeilLog2(p)),
        ("moshpit", {}, "2 | n, p = 2^m", "words", n * Log2(p)),
        *(("moshpit", {"m": m}, f"{m} | n, p = {m}^m", "words", 2 * n * sympy.Rational(m - 1, m) * Log(p, m))
          for m in (3, 4, 10)),
        ("moshpit", {"m": 4, "rounds": 2}, "4 | n", "words", 3 * n),
        ("moshpit", {"m": 4, "rounds": 2}, "4 | n", "messages", 12),
    ],
)  # fmt: skip
def test_the_published_form_comes_out_where_nothing_is_rounded(name, params, given, form, simple):
    cost = sparring.cost(name, **params)
    assert form == "messages" or given in (cost.even, "p | k")
    assert sympy.simplify(cost.simplify(given).form(form) - simple) == 0


def test_the_published_words_come_out_where_p_divides_both_factors():
    """Of 64 rows and 8 columns, rank 2, on 1 to 16 ranks: 2 (p - 1) / p r (n + m)."""
    words = sparring.cost("power_sgd", columns=8, rank=2).words
    for ranks in (1, 2, 4, 8, 16):
        assert exact(words, {"p": ranks, "n": 512}) == sympy.Rational(2 * (ranks - 1), ranks) * 2 * (64 + 8)


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


def of_implementation(name, params, octets, ranks, many):
    """The bytes that the implementation's own sizes make of ``many`` entries in each message, on so many ranks."""
    others, sums = ranks - 1, (ranks - 1).bit_length()
    if name == "flash":
        made = [Quantiser(np.dtype(f"f{octets}"), bits=params.get(b, 8), g=params.get("g", 128),
                          spikes=bool(params.get("spikes", 0))).size(many) for b in ("b1", "b2")]  # fmt: skip
        return others * sum(made)
    if name == "one_bit":
        return others * 2 * impl_signs.size(many, octets)
    if name == "thc":
        bits = params.get("bits", 4)
        return others * (2 * octets + impl_wholes.size(many, bits) + impl_wholes.size(many, bits + sums))
    return others * impl_qsgd.size(many, params.get("levels", 4), octets)


@pytest.mark.parametrize(("name", "params"), CASES[: len(CODED) + len(OTHERS)], ids=str)
@pytest.mark.parametrize("octets", WIDTHS)
def test_the_bytes_are_those_of_the_implementations_messages(name, params, octets):
    """Of sums of codes, whose planes are filled up, where there are eight for each byte."""
    cost = sparring.cost(name, **params)
    for ranks in (2, 3, 8, 13):
        for many in (0, 8, 120, 1000) if name == "thc" else (0, 1, 7, 120, 129, 1000):
            length = many if name == "qsgd" else many * ranks
            expected = of_implementation(name, params, octets, ranks, many)
            assert cost.at(p=ranks, n=length, width=octets).nbytes == expected


FAULTS = {
    "one less": lambda x: x - 1, "one more": lambda x: x + 1, "half": lambda x: x / 2, "nothing": lambda x: x * 0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "params"), CASES[::2], ids=str)
def test_runs_keep_to_the_bound_and_reach_it_and_wrong_formulas_are_counted_out(name, params, monkeypatch):
    """Whichever quantity of whichever exchange is wrong, and an exchange that is forgotten."""
    cost = sparring.cost(name, **params)
    runs = [*cost.runs(FEW)]
    assert wrong(cost.most, runs) is None and cost.proved().verdict == PROVED
    full = [one for one in runs if all(calls.even(each, one) for each in cost.most)][-1]
    trace = calls.traced(full)
    monkeypatch.setattr(calls, "traced", lambda one: trace)
    for i, each in enumerate(cost.most):
        before, after = cost.most[:i], cost.most[i + 1 :]
        with pytest.raises(Undecided, match="and the exchanges have"):
            wrong([*before, *after], [full])
        for quantity in {each.unit, "messages", "critical", *(["added"] if each.unit == "words" else [])}:
            for fault in FAULTS.values() if exact(each.forms[quantity], calls.place(full)) else ():
                bad = each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])})
                assert wrong([*before, bad, *after], [full]), (each.name, quantity)


@pytest.mark.parametrize(
    ("name", "params"),
    sweep([("one_bit", {}), ("thc", {}), ("moshpit", {}), ("moshpit", {"m": 5}),
           ("oktopk", {"trigger": 1, "bucket": 1}), ("oktopk", {})],
          few=[("one_bit", {}), ("moshpit", {"m": 5}), ("oktopk", {"trigger": 1, "bucket": 1})]), ids=str,
)  # fmt: skip
def test_the_bound_is_reached(name, params):
    """On all numbers of ranks, on full grids, and where Ok-Topk deals out."""
    cost = sparring.cost(name, **params)
    counted, derived, *_ = cost.checks
    assert (
        counted.verdict.word == Word.TESTED
        and counted.verdict.number >= len(RANKS) - 3
        and "p = 1..16, 25," in counted.detail
    )
    assert derived.verdict == PROVED
    assert all(check.verdict not in (REFUTED, UNDECIDED) for check in cost.checks)
    found = [*cost.runs()] if name != "oktopk" else [*cost.runs(FEW)]
    reached = {len(one.xs) for one in found if all(calls.even(each, one) for each in cost.most)}
    grids = {ranks for ranks in RANKS[1:] if name != "moshpit" or grid(ranks, params.get("m", 2))}
    assert reached == (grids if name != "oktopk" else {len(one.xs) for one in found} - {1})
    if name in CODED:
        assert {one.xs[0].dtype.itemsize for one in found} == {*WIDTHS}


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


TOO_LOW = {
    "flash": lambda c, w: c, "one_bit": lambda c, w: w + c // 8, "thc": lambda c, w: c // 8,
    "qsgd": lambda c, w: w + c * 3 // 8,
}  # fmt: skip


@pytest.mark.parametrize("name", CODED)
def test_sizes_that_are_too_low_are_counted_out(name, monkeypatch):
    """Whatever is told of groups, a last byte that is not full, the bits of a sign: all are counted."""
    cost = sparring.cost(name)
    for kind in {type(one.sent.code) for one in cost.most}:
        monkeypatch.setattr(kind, "octets", lambda self, c, w: TOO_LOW[name](c, w))
    low = compositions.derived(cost.page, cost.found, compositions.all_priced(cost.page, cost.usual))
    found = wrong(low.most, cost.runs((1, 2, 3, 4, 8)))
    assert found is not None and "bytes" in found.what and found.counted > found.derived


def test_what_is_no_bytes_or_does_not_add_up_is_undecided():
    flash, words = sparring.cost("flash"), sparring.cost("arc_top_k", columns=64)
    one = next(iter(flash.runs((2,))))
    with pytest.raises(Undecided, match="flash: a message is a list, whose bytes are not counted"):
        wrong(flash.most, [one._replace(xs=[[1.0, 2.0], [3.0, 4.0]])])
    with pytest.raises(Undecided, match="some send words and some bytes"):
        compositions.derived(flash.page, flash.found, [*flash.most, *words.most])


def test_compared_with_words_both_are_bytes():
    """Flash sends less than a ring from a place on that is found by hand: 8 ranks, 128 entries of 4 bytes."""
    codes, ring = sparring.cost("flash"), sparring.cost("ring")
    at = {"p": 8, "n": 1024, "alpha": 0, "beta": 1}
    assert codes.at(**at).time == 14 * (128 + 8) and ring.at(**at).time == 14 * 128 * 4
    found = compare(codes, ring, "n", {"p": Fraction(8), "width": Fraction(4)})
    assert found.quantity == "bytes" and found.given == "128 p | n, p | n" and found.cheaper == ("flash",)
    assert compare(codes, ring, "p", {"n": Fraction(16)}, 15, 16).cheaper == ("ring",)


def test_the_command_tells_bytes_and_no_words():
    code, text, _ = called("cost", "flash", "--at", "p=8,n=1000000")
    lines = [line.strip() for line in text.splitlines()]
    assert code == 0 and not [line for line in lines if line.startswith(("words", "critical", "path"))]
    assert "bytes     <= 2*(p - 1)*(2*width*ceiling(ceiling(n/p)/128) + ceiling(n/p))" in text
    assert "messages 14, bytes 1859424, added 875000" in text and "where 128 p | n" in text
    assert "| flash (bound) | bytes |" in called("cost", "flash", "--format", "markdown")[1]
    assert r"128 p \mid n" in called("cost", "flash", "--format", "latex")[1]


@pytest.mark.parametrize(
    ("name", "params", "why"),
    [
        ("arc_top_k", {}, "a row's length follows divisors of n: -P columns=64 has a cost"),
        ("power_sgd", {}, "a square's side follows"),
        *(("moshpit", {name: value}, f"with {name} it depends on who is in which group") for name, value in (
            ("weights", (1, 2)), ("bandwidths", (0, 1)), ("dead", ((0, 0, 1),)), ("failing", ((0, 0, 1),)))),
    ],
)  # fmt: skip
def test_what_has_no_formula_has_no_cost(name, params, why):
    """The command says why, beside the costs of others."""
    assert not any(map(api.uncosted, CODED)) and api.uncosted(sparring.page(name, **params))
    with pytest.raises(Undecided, match=why):
        sparring.cost(name, **params)
    if not params:
        assert f"{name}: not covered: {why}" in called("cost", name, "ring")[1]


@pytest.mark.parametrize(
    ("name", "param", "why"),
    [("oktopk", {"bucket": 0}, "bucket = 0: it must be 1 or more"), ("moshpit", {"m": 1}, "m = 1: it must be 2"),
     ("flash", {"b1": 9}, "b1 = 9: it must be ")],
)  # fmt: skip
def test_parameters_that_the_page_refuses_are_refused(name, param, why):
    with pytest.raises(InputError, match=why):
        sparring.cost(name, **param)


def test_other_calls_are_told_beside():
    """The first one of ARC with an estimate; factors that are not worth it; lists that are not dealt out."""
    (first,) = [gap for gap in sparring.cost("arc_top_k", columns=64, feedback="ef21").gaps if "first" in gap]
    assert first == "the first call: allreduce: 2*n - floor(2*n/p) words, 2*(p - 1) messages"
    cost = sparring.cost("power_sgd", columns=64)
    (whole,) = [gap for gap in cost.gaps if "worth" in gap]
    assert whole.startswith("calls where not worth(") and whole.endswith("2*n - floor(2*n/p) words, 2*(p - 1) messages")
    assert cost.qualified[0] == "bound under W1: no rank sends more in a usual call; it may send less"
    beside = sparring.cost("oktopk").gaps[-1]
    assert beside.startswith("a usual call: ") and "allgather: 2*k*ceil(log2(p)) words" in beside
    (one,) = calls.calls(sparring.cost("oktopk"), 4)
    sent = calls.counts(one, calls.traced(one), "words")["words"]
    assert 4 * (4 - 1) + 2 * (4 - 1) < sent <= 2 * (4 - 1) + 2 * 4 * 2


@pytest.mark.parametrize("bucket", [1, 2, 4, 7])
def test_steps_go_by_buckets(bucket):
    cost = sparring.cost("oktopk", bucket=bucket)
    for ranks in range(1, 40):
        steps = ceil((ranks - 1) / bucket) + (ranks > 1) + ceil(log2(ranks))
        assert exact(cost.form("steps"), {"p": ranks}) == steps


def test_a_usual_call_has_older_thresholds_and_deals_out():
    one = usual(ways(dealing().page))
    assert [sent.exchange for sent in one.sent] == ["ReduceScatter", "Balance", "Allgather"]
    told = " ".join(dealing().qualified)
    assert "in calls where uneven(sizes, params.trigger)" in told and "H3: at most k sums stay" in told


@pytest.mark.parametrize("params", [{"trigger": 1, "bucket": 1}, {}, {"trigger": 0, "bucket": 100}], ids=str)
def test_the_calls_that_are_counted_keep_to_the_hypotheses(params):
    """Told from the vectors and what the call before left: who selects what in which region, and how many sums stay."""
    cost = sparring.cost("oktopk", **params)
    for ranks in (1, 2, 3, 4, 7, 8, 16, 23):
        for one in calls.calls(cost, ranks):
            many, each = one.page.params["k"], one.xs[0].n // ranks
            for x in one.xs:
                inside = [sum(c * each <= i < (c + 1) * each for i in x.indices) for c in range(ranks)]
                assert len(x.indices) <= many and {*inside} <= {many // ranks, -(-many // ranks)}
            (y, *_) = run(one.page, one.xs, one.state).results
            assert len(y.indices) <= many


def test_a_call_without_the_hypotheses_goes_beyond_the_bound():
    """What the hypotheses forbid is found by counting: more entries than k, all in another region."""
    (even,) = dealing().runs((4,))
    row = even.xs[0]
    crowded = row._replace(indices=tuple(range(row.n - 4, row.n)), values=(9,) * 4)
    found = wrong(dealing().most, [even._replace(xs=[crowded, *even.xs[1:]], full=False)])
    assert found and "reduce_scatter, words" in found.what and found.counted > found.derived


@pytest.mark.parametrize(
    ("params", "factor", "quantity", "xfail", "verdict", "checked", "told"),
    [
        ({"trigger": 1}, 6, "words", "", "equal", PROVED, ""),
        ({"trigger": 1}, 7, "words", "", "bound", None, ""),
        ({"trigger": 1}, 5, "words", "", "different", REFUTED, "words are sent, and not"),
        ({"trigger": 1}, 5, "words", "it is known", "different", EXPECTED, "it is known"),
        ({"trigger": 1}, 6, "words", "it is known", "equal", REFUTED, "it is known"),
        ({"trigger": 1}, Fraction(1, 2), "added", "", "undecided", UNDECIDED, "need not be reached"),
        ({}, 6, "words", "", "different", REFUTED, "16 words are sent, and not 12, at p=3, k=3"),
    ],
)  # fmt: skip
def test_a_lower_claim_is_wrong_only_where_a_run_sends_more(params, factor, quantity, xfail, verdict, checked, told):
    """Additions are in no run's words; and where nothing is dealt out, one list of all sums is three times the mean."""
    claim = Claim("planted", quantity, lambda n, p, k: factor * k * (p - 1) / p, "p | k", "nobody", xfail)
    found = sparring.cost("oktopk", **params).judged(claim)
    assert found.verdict == verdict and told in found.detail
    assert found.checked == checked or (checked is None and found.checked.word == Word.TESTED)


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
    assert wrong(cost.most, runs) is None and any(calls.even(cost.most[0], one) for one in runs)
    assert sympy.simplify(cost.words - 2 * k * (p - 1)) == 0
    (each,) = cost.most
    assert wrong([each._replace(forms={**each.forms, "words": each.forms["words"] - 1})], runs)


def test_what_has_a_form_for_some_ranks_alone_has_no_bound():
    with pytest.raises(Undecided, match="its closed form holds where p = 2"):
        sparring.cost("error_feedback", allreduce="recursive_doubling_allgather")
