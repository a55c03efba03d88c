"""Costs in sizes of unions: formulas are what is summed step by step, known forms come out, and faults are caught."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
import sympy

import sparring
from sparring import InputError, Undecided
from sparring.proofs.cost import contributions
from sparring.proofs.cost.contributions import predicted
from sparring.proofs.cost.symbols import exact, k, n, p, symbol, width
from sparring.proofs.cost.unioncost import derive, measured, octets
from sparring.spec.core.supports import MODELS, independent

PAGE = sparring.page("ring_sparse")
POINTS = [(1, 5, 3), (2, 7, 2), (3, 100, 7), (5, 5, 5), (8, 9610, 96), (8, 1_000_000, 10_000), (16, 2**22, 2**20)]
EXPECTED = {
    ("identical", "p | n"): 4 * k * (p - 1) / p,
    ("disjoint", "p | n, k p <= n"): 3 * k * (p - 1),
}


def value(form, ranks, length, kept, w=4):
    """A formula's value, sums written out, with the page's own ``octets``."""
    at = {p: ranks, n: length, k: kept, width: w}
    whole = form.subs(at).doit()
    return Fraction(str(whole.replace(octets, lambda m, size, w: message(m, size, int(w)))))


def message(m, size, w):
    """The page's octets for a number of entries that may be a fraction, as sympy writes it."""
    return sympy.Rational(str(PAGE.octets(Fraction(str(m)), Fraction(str(size)), w)))


@pytest.mark.parametrize("at", POINTS, ids=str)
@pytest.mark.parametrize("support", [*MODELS, "blocks:3"])
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


@pytest.mark.parametrize(("support", "given"), EXPECTED)
def test_known_forms_come_out(support, given):
    """They are written down here by hand."""
    assert sympy.simplify(derive(PAGE, support).simplify(given).words - EXPECTED[support, given]) == 0


def test_the_sum_of_powers_is_right():
    """The closed form for independent supports, by induction over p: begins at 0, and grows by the last two terms."""
    words = sympy.expand(derive(PAGE, "independent").simplify("p | n").words * p / (2 * n))
    q = 1 - k / n
    last = (1 - q**p) + p * (1 - q ** (p + 1)) - (p - 1) * (1 - q**p)
    assert sympy.simplify(words.subs(p, 1)) == 0
    assert sympy.simplify(sympy.powsimp(sympy.expand(words.subs(p, p + 1) - words - last))) == 0


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


def test_models_are_bounds():
    """The measured unions of any supports cost no less than identical ones and no more than disjoint ones."""
    low, middle, high = (derive(PAGE, support).at(p=8, n=10**6, k=10**5) for support in MODELS)
    assert low.nbytes < middle.nbytes < high.nbytes
    assert low.nbytes < measured(PAGE, 8, 10**6, lambda s: 10**5 + 1000 * (s - 1), 4).nbytes < middle.nbytes


@pytest.mark.parametrize("density", [Fraction(1, 20), Fraction(1, 3), Fraction(4, 5), Fraction(31, 32)])
def test_expected_bytes_are_no_more(density):
    """A chunk of 24 places, each filled with that chance: the mean over all cases is below octets of the mean."""
    size, w = 24, 4
    chance = [comb(size, m) * density**m * (1 - density) ** (size - m) for m in range(size + 1)]
    expected = sum(x * PAGE.octets(m, size, w) for m, x in enumerate(chance))
    assert sum(chance) == 1
    assert expected <= PAGE.octets(independent(1, size, density * size), size, w)


def test_time_is_messages_bytes_and_additions():
    """In exact seconds."""
    at = derive(PAGE, "identical").at(p=4, n=400, k=40, alpha="1us", beta="1ns", gamma="1ps")
    assert at.time == Fraction(6, 10**6) + Fraction(6 * (8 + 10 * 4 + 13), 10**9) + Fraction(30, 10**12)


def test_checks_hold_and_catch_a_wrong_number(monkeypatch):
    """Of contributions: refuted by counting and by proof."""
    assert [check.verdict.word.name for check in derive(PAGE).checks] == ["TESTED", "PROVED"]
    stated = contributions.contributions(PAGE)
    monkeypatch.setattr("sparring.proofs.ring_sparse.contributions", lambda t, p: stated(t, p) + 1)
    assert [check.verdict.word.name for check in derive(PAGE).checks] == ["REFUTED", "REFUTED"]


def test_wrong_spans_are_caught():
    """A first lap that is summed one step too long."""
    cost = derive(PAGE)
    first, second = cost.pieces
    longer = first._replace(span=first.span._replace(end=first.span.end + 1))
    assert replace(cost, pieces=(longer, second)).checks[0].detail.startswith("p=1: the spans say [1] ")


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


def test_bad_models_and_pages():
    """One sentence each."""
    with pytest.raises(InputError, match="there are union, identical, independent, disjoint"):
        sparring.cost("ring", support="even")
    with pytest.raises(InputError, match=r"u\(s\) has no value"):
        sparring.cost("ring_sparse").at(p=2, n=2, k=1)
    with pytest.raises(InputError, match="no hypothesis of sparse costs"):
        derive(PAGE).simplify("n | p")
    with pytest.raises(Undecided, match=r"contributions\(t, p\)"):
        derive(sparring.page("ring"))


def test_bytes_of_the_others():
    """Values alone in the dense ring; an index of 4 bytes with each in the allgather."""
    at = {"p": 8, "n": 1_000_000, "k": 10_000}
    assert sparring.cost("ring", support="disjoint").at(**at).nbytes == 7_000_000
    assert sparring.cost("ring_allgather").at(**at).nbytes == 7 * 10_000 * 8
    assert exact(sparring.cost("ring").words, at) * 4 == 7_000_000
