"""Costs in sizes of unions: formulas are what is summed step by step, known forms come out, and faults are caught."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

import sparring
from sparring import InputError, Undecided
from sparring.costs.derivation import message_bytes
from sparring.costs.formulas.symbols import k, n, p, symbol, width
from sparring.costs.supports import break_even
from sparring.costs.supports.contributions import predicted
from sparring.costs.union_cost import derive, miscounted, octets
from sparring.spec.library.support_models import MODELS
from tests.sweeps import third

PAGE = sparring.page("ring_sparse")
SPARSE = [name for name in sparring.pages() if sparring.page(name).data == "sparse"]
POINTS = [(1, 5, 3), (2, 7, 2), (3, 100, 7), (5, 5, 5), (8, 9610, 96), (8, 1_000_000, 10_000), (16, 2**22, 2**20)]


def value(form, ranks, length, kept, w=4):
    """A formula's value, sums written out, with the page's own ``octets``."""
    at = {p: ranks, n: length, k: kept, width: w}
    whole = form.subs(at).doit()
    return Fraction(str(whole.replace(octets, lambda m, size, w: message(m, size, int(w)))))


def message(m, size, w):
    """The page's octets for a number of entries that may be a fraction, as sympy writes it."""
    return sympy.Rational(str(PAGE.octets(Fraction(str(m)), Fraction(str(size)), w)))


@pytest.mark.parametrize("at", POINTS, ids=str)
@pytest.mark.parametrize("support", third([*MODELS, "blocks:3"]))
def test_formulas_are_what_is_summed(support, at):
    """Words and bytes, with and without the hypothesis, against the sum over the page's steps."""
    ranks, length, kept = at
    cost = derive(PAGE, support)
    found = cost.at(p=ranks, n=length, k=kept)
    given = ["", "p | n"] if length % ranks == 0 else [""]
    for one in map(cost.simplify, given):
        assert one.at(p=ranks, n=length, k=kept) == found
        assert value(one.words, *at) == found.pairs
        assert value(one.nbytes, *at) == found.nbytes
        assert value(one.messages, *at) == found.messages == 2 * (ranks - 1)


def test_octets_is_the_page():
    """The formula that is shown, number by number."""
    form = derive(PAGE).octets
    for m, size in [(0, 0), (0, 1), (1, 1), (5, 2**16), (5, 2**16 + 1), (10**5, 10**6), (10**6, 10**6), (3, 2**32 + 1)]:
        for w in (4, 8):
            letters = {symbol("m"): m, symbol("size"): size, width: w}
            assert form.subs(letters) == PAGE.octets(m, size, w)


@pytest.mark.parametrize("support", ["identical", "disjoint"])
def test_models_are_what_is_predicted(support):
    """Where supports are the model's, evenly in the chunks, every rank sends its bytes exactly."""
    ranks, each, size = 4, 3, 200
    shift = 0 if support == "identical" else each
    supports = [[c * size + r * shift + i for c in range(ranks) for i in range(each)] for r in range(ranks)]
    sent = map(sum, zip(*predicted(PAGE, supports, ranks * size, 4)))
    assert {*sent} == {derive(PAGE, support).at(p=ranks, n=ranks * size, k=ranks * each).nbytes}


def test_time_is_messages_bytes_and_additions():
    """In exact seconds."""
    at = derive(PAGE, "identical").at(p=4, n=400, k=40, alpha="1us", beta="1ns", gamma="1ps")
    assert at.time == Fraction(6, 10**6) + Fraction(6 * (8 + 10 * 4 + 13), 10**9) + Fraction(30, 10**12)


@pytest.mark.parametrize("name", third(SPARSE))
def test_spans_that_are_too_long_or_too_short_are_caught(name):
    """And the right ones are those of the messages, whose contributions are proved."""
    cost = sparring.cost(name)
    assert [check.verdict.word.name for check in cost.checks] == ["TESTED", "PROVED"]
    first, *others = cost.pieces
    for more in (1, -1):
        wrong = first._replace(span=first.span._replace(end=first.span.end + more))
        assert "the spans say" in miscounted(replace(cost, pieces=(wrong, *others)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"p": 8, "n": 100}, "need a value for k"),
        ({"p": 8, "n": 100, "k": 101}, "a rank has at most n=100 entries"),
        ({"p": 8, "n": 100, "k": 1}, r"holds where p \| n"),
        ({"p": 5, "n": 100, "k": 21}, "holds where k p <= n"),
    ],
)
def test_a_bad_point(values, said):
    """One sentence."""
    with pytest.raises(InputError, match=said):
        derive(PAGE, "disjoint").simplify("p | n, k p <= n").at(**values)


def test_bad_models_and_pages(monkeypatch):
    """One sentence each."""
    with pytest.raises(InputError, match="there are union, identical, independent, disjoint"):
        sparring.cost("ring", support="even")
    with pytest.raises(InputError, match=r"u\(s\) has no value"):
        sparring.cost("ring_sparse").at(p=2, n=2, k=1)
    with pytest.raises(InputError, match="no hypothesis of sparse costs"):
        derive(PAGE).simplify("n | p")
    with pytest.raises(Undecided, match=r"contributions\(t, p\)"):
        derive(sparring.page("ring"))
    with pytest.raises(Undecided, match="sends whole vectors"):
        break_even.band(sparring.page("ssar_recursive_doubling"), 8)
    monkeypatch.setattr(message_bytes, "stated", lambda page: lambda m, size, t, p: True)
    with pytest.raises(Undecided, match="step by step"):
        sparring.cost("ring_sparse")
