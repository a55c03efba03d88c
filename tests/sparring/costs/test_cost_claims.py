"""Published formulas are judged equal, bound or different; costs at a point are exact."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import sympy

import sparring
from sparring import InputError, Undecided
from sparring.costs.claims import judge
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.formulas.simplified import even, simplified
from sparring.costs.formulas.symbols import B, CeilLog2, FloorLog2, Log2, exact, n, p
from sparring.costs.formulas.units import parse
from sparring.costs.published import claim as claim_module
from sparring.costs.published.claim import Claim, log2, published
from tests.sparring.costs.known import ring


def words(formula, given=""):
    """A claim about V_max."""
    return Claim("a claim", "words", formula, given, "a paper")


CLAIMS = {
    "under its hypothesis": (words(lambda n, p, k: 2 * n * (p - 1) / p, "p | n"), "equal", "proved for every p"),
    "without it": (words(lambda n, p, k: 2 * n * (p - 1) / p), "different", "refuted"),
    "too high": (words(lambda n, p, k: 2 * n), "different", "refuted"),
    "a bound": (words(lambda n, p, k: 2 * n)._replace(bound=True), "bound", "tested (160 examples)"),
    "too low": (words(lambda n, p, k: n, "p | n"), "different", "refuted"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_judged(name):
    """The formula of Patarasuk and Yuan is the ring's where p divides n, and too low by a fraction elsewhere."""
    claim, verdict, checked = CLAIMS[name]
    judged = judge(claim, derive(ring).words)
    assert (judged.verdict, str(judged.checked)) == (verdict, checked)
    assert bool(judged.difference) is (verdict != "equal")


@pytest.mark.parametrize("formula", [lambda n, p, k: 0.5 * n, lambda n, p, k: float(n)], ids=["a half", "a float"])
def test_a_claim_in_floats_is_refused(formula):
    """A formula that is not exact cannot be compared exactly."""
    with pytest.raises(InputError, match="a claim"):
        judge(words(formula), derive(ring).words)


@pytest.mark.parametrize("formula", [None, True, (1, 2), sympy.Symbol("m") * n], ids=str)
def test_what_is_no_formula_of_the_letters_is_refused(formula):
    """Planted; the twin has a letter of the same name, whatever sympy supposes of it."""
    with pytest.raises(InputError, match="is no formula of n, p and k"):
        judge(words(lambda n, p, k: formula), derive(ring).words)
    own = sympy.symbols("n p")
    twin = words(lambda n, p, k: 2 * own[0] * (own[1] - 1) / own[1], "p | n")
    assert judge(twin, derive(ring).words).verdict == "equal"


@pytest.mark.parametrize("wrong", [5, [5], [("a", "words", None, "", "")], [words(None)._replace(given=None)]], ids=str)
def test_what_is_no_list_of_claims_is_refused(wrong, monkeypatch):
    """The twin is a list of one claim, which is judged."""
    for claims, error in ((wrong, InputError), ([words(lambda n, p, k: 2 * n)], None)):
        monkeypatch.setattr(claim_module, "holder", lambda page, claims=claims: SimpleNamespace(claims=claims))
        with pytest.raises(error, match="right is a list of Claim") if error else nullcontext():
            assert [*published(ring)] == claims


@pytest.mark.parametrize("hypothesis", ["97 | p", "0 | p", "p = 2^m, p not 2^m"])
@pytest.mark.parametrize(
    "formula", [lambda n, p, k: 2 * n * (p - 1) / p, lambda n, p, k: 5 * n], ids=["right", "wrong"]
)
def test_a_claim_of_no_point_is_undecided(formula, hypothesis):
    """Neither equal nor different; nor is it what a derivation under another hypothesis speaks of."""
    for where in ("", "p | n"):
        judged = judge(words(formula, hypothesis), derive(ring).words, where=where)
        assert (judged.verdict, str(judged.checked)) == ("undecided", "undecided")
    twin = judge(words(lambda n, p, k: 2 * n * (p - 1) / p, "p | n"), derive(ring).words, where="p | n")
    assert twin.verdict == "equal"


def test_a_claim_that_is_known_to_differ():
    """It is refuted as expected; that it is right after all is the failure."""
    known = {
        name: words(formula, "p | n")._replace(xfail="a slip", actual=lambda n, p, k: 2 * n * (p - 1) / p)
        for name, formula in (("low", lambda n, p, k: n), ("right", lambda n, p, k: 2 * n - 2 * n / p))
    }
    low, right = (judge(claim, derive(ring).words) for claim in known.values())
    assert (low.verdict, str(low.checked), "(a slip)" in low.detail) == ("different", "refuted as expected", True)
    assert (right.verdict, str(right.checked)) == ("equal", "refuted")
    assert right.detail == "expected to differ (a slip), but: the same formula where p | n"


def test_a_claim_that_differs_in_another_way_than_is_known():
    """What is right instead is derived too: a mistyped formula is not the slip that its source made."""
    low = words(lambda n, p, k: n, "p | n")._replace(xfail="a slip", actual=lambda n, p, k: n * (p - 1) / p)
    judged = judge(low, derive(ring).words)
    assert str(judged.checked) == "refuted" and judged.detail.startswith("expected n*(p - 1)/p (a slip), but: it is ")
    with pytest.raises(InputError, match="xfail says why it is wrong, actual what is right"):
        judge(low._replace(actual=None), derive(ring).words)


def test_a_claim_of_more_than_is_derived():
    """What the formula is where the hypotheses of its derivation fail, nobody knows."""
    claim = words(lambda n, p, k: 2 * n * (p - 1) / p)
    form = 2 * n * (p - 1) / p
    assert str(judge(claim._replace(given="p | n"), form, where="p | n").checked) == "proved for every p"
    assert str(judge(claim._replace(given="p = 2^m, p | n"), form, where="2^floor(log2 p) | n").checked).startswith(
        "proved"
    )
    beyond = judge(claim, form, where="p = 2^m, p | n")
    assert str(beyond.checked) == "undecided" and beyond.detail.startswith("the cost is derived where p = 2^m, p | n, ")


def test_logarithms_are_exact_or_refused():
    """One that is not rounded needs a power of two."""
    assert judge(words(lambda n, p, k: n * log2(p), "p = 2^m"), n * FloorLog2(p)).verdict == "equal"
    assert judge(words(lambda n, p, k: n * log2(p, "up")), n * FloorLog2(p)).verdict == "different"
    with pytest.raises(InputError, match="round up or down"):
        judge(words(lambda n, p, k: n * log2(p)), n * FloorLog2(p))
    assert exact(Log2(p), {"p": 64}) == 6
    for x in (Log2(p), sympy.sqrt(p)):
        with pytest.raises(Undecided):
            exact(x, {"p": 6})


def test_simplified_where_p_is_a_power_of_two():
    """Logarithms are whole, and nothing is claimed elsewhere."""
    assert simplified(2 * CeilLog2(p) - FloorLog2(p), "p = 2^m") == Log2(p)
    assert simplified(CeilLog2(p // 3 + 1), "p = 2^m") == CeilLog2(p // 3 + 1)  # p // 3 + 1 need be no power
    assert even([B(2), CeilLog2(p)]) == "p | n, p = 2^m"
    cost = sparring.cost(ring).simplify("p | n, p = 2^m")
    assert cost.words == 2 * n * (p - 1) / p and cost.at(p=8, n=16).words == 28
    for at in ({"p": 6, "n": 12}, {"p": 8, "n": 12}):
        with pytest.raises(InputError, match=r"holds where p \| n, p = 2\^m"):
            cost.at(**at)
    with pytest.raises(InputError, match="no hypothesis"):
        cost.simplify(given="n > p")


@pytest.mark.parametrize("name", ["ring_topk", "gtopk", "topka2a", "ring_allgather", "oktopk"])
def test_no_cost_is_of_more_entries_than_there_are(name):
    """A rank that keeps 20 of 10 entries sends 10: the formulas, which count 20, say nothing there."""
    cost = sparring.cost(name)
    assert cost.at(p=4, n=10, k=10).messages == cost.at(p=4, n=10, k=1).messages
    with pytest.raises(InputError, match=r"^k=20: a rank has at most n=10 entries$"):
        cost.at(p=4, n=10, k=20)


BAD = {
    "p=0": "p is an integer, at least 1",
    "n=1.5": "n is an integer, at least 0",
    "n=x": "n is an integer",
    "n=1e999999999": "n is an integer",
    "alpha=-1us": "seconds a message are a number",
    "alpha=5 parsecs": "seconds a message are a number",
    "rho=1": "no letter 'rho'",
    "p": "names no value",
    "": "names no value",
    "p=4,n=10, p=8": "p twice",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_point_is_one_sentence(text):
    """It names the letter and what would be right."""
    with pytest.raises(InputError, match=BAD[text]) as error:
        parse(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("ranks", [17, 18, 20, 63, 65, 97, 129])
def test_a_claim_that_is_wrong_on_one_number_of_ranks_alone_is_not_equal(ranks):
    """Too high or too low; its twin, whose term is 0 at every whole p, is equal."""

    def claim(sign, at=ranks):
        once = sympy.floor(1 / (1 + (p - at) ** 2))
        return judge(words(lambda n, p, k: 2 * n - sympy.floor(2 * n / p) + sign * once), sparring.cost("ring").words)

    high, low, twin = claim(1), claim(-1), claim(1, ranks + sympy.Rational(1, 2))
    assert (high.verdict, low.verdict, twin.verdict) == ("different", "different", "equal")
    assert f"1 too high at p={ranks}," in high.detail and f"1 too low at p={ranks}," in low.detail
