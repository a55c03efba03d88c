"""Published formulas are judged equal, bound or different; costs at a point are exact."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

import sparring
from sparring import InputError, Undecided
from sparring.proofs.cost.citations import escaped
from sparring.proofs.cost.claims import judge
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.published import Claim, log2
from sparring.proofs.cost.simplified import even, simplified
from sparring.proofs.cost.symbols import B, CeilLog2, FloorLog2, Log2, exact, k, n, p
from sparring.proofs.cost.tables import markdown
from sparring.proofs.cost.units import parse
from tests.proofs.cost.known import page


def words(formula, given=""):
    """A claim about V_max."""
    return Claim("a claim", "words", formula, given, "a paper")


CLAIMS = {
    "under its hypothesis": (words(lambda n, p, k: 2 * n * (p - 1) / p, "p | n"), "equal", "proved for every p"),
    "without it": (words(lambda n, p, k: 2 * n * (p - 1) / p), "different", "refuted"),
    "too high": (words(lambda n, p, k: 2 * n), "bound", "tested (160 examples)"),
    "too low": (words(lambda n, p, k: n, "p | n"), "different", "refuted"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_judged(ring, name):
    """The formula of Patarasuk and Yuan is the ring's where p divides n, and too low by a fraction elsewhere."""
    claim, verdict, checked = CLAIMS[name]
    judged = judge(claim, derive(ring).largest)
    assert (judged.verdict, str(judged.checked)) == (verdict, checked)
    assert bool(judged.difference) is (verdict != "equal")


def test_a_difference_is_shown(ring):
    """By how much, where, and as a formula."""
    judged = judge(CLAIMS["without it"][0], derive(ring).largest)
    assert judged.detail == "it is 2/3 too low at p=3, n=1, k=0"
    assert judged.difference == "-2*n/p + floor(2*n/p)"


@pytest.mark.parametrize("formula", [lambda n, p, k: 0.5 * n, lambda n, p, k: float(n)], ids=["a half", "a float"])
def test_a_claim_in_floats_is_refused(ring, formula):
    """A formula that is not exact cannot be compared exactly."""
    with pytest.raises(InputError, match="a claim"):
        judge(words(formula), derive(ring).largest)


def test_a_claim_that_is_known_to_differ(ring):
    """It is refuted as expected; that it is right after all is the failure."""
    known = {name: words(formula)._replace(xfail="a slip") for name, formula in
             (("low", lambda n, p, k: n), ("right", lambda n, p, k: 2 * n - sympy.floor(2 * n / p)))}  # fmt: skip
    low, right = (judge(claim, derive(ring).largest) for claim in known.values())
    assert (low.verdict, str(low.checked), "(a slip)" in low.detail) == ("different", "refuted as expected", True)
    assert (right.verdict, str(right.checked)) == ("equal", "refuted")
    assert right.detail == "expected to differ (a slip), but: the same formula"


def test_logarithms_are_exact_or_refused():
    """One that is not rounded needs a power of two."""
    assert judge(words(lambda n, p, k: n * log2(p), "p = 2^m"), n * FloorLog2(p)).verdict == "equal"
    assert judge(words(lambda n, p, k: n * log2(p, "up")), n * FloorLog2(p)).verdict == "bound"
    with pytest.raises(InputError, match="round up or down"):
        judge(words(lambda n, p, k: n * log2(p)), n * FloorLog2(p))
    assert exact(Log2(p), {"p": 64}) == 6
    for x in (Log2(p), sympy.sqrt(p)):
        with pytest.raises(Undecided):
            exact(x, {"p": 6})


def test_simplified_where_p_is_a_power_of_two(ring):
    """Logarithms are whole, and nothing is claimed elsewhere."""
    assert simplified(2 * CeilLog2(p) - FloorLog2(p), "p = 2^m") == Log2(p)
    assert even([B(2), CeilLog2(p)]) == "p | n, p = 2^m"
    cost = sparring.cost(ring).simplify("p | n, p = 2^m")
    assert cost.words == 2 * n * (p - 1) / p and cost.at(p=8, n=16).words == 28
    for at in ({"p": 6, "n": 12}, {"p": 8, "n": 12}):
        with pytest.raises(InputError, match=r"holds where p \| n, p = 2\^m"):
            cost.at(**at)
    with pytest.raises(InputError, match="no hypothesis"):
        cost.simplify(given="n > p")


def test_simplified_where_p_divides_k(selected, ring):
    """SparDL's rule on the ring: 4 k (p - 1) / p words; elsewhere a fraction too low, and refused at a point."""
    cost = sparring.cost(selected)
    assert [(j.claim.name, j.verdict) for j in cost.claims] == [("bandwidth", "equal"), ("latency", "equal")]
    everywhere = judge(cost.claims[0].claim._replace(given=""), cost.derived.largest)
    assert everywhere.verdict == "different"
    assert (cost.even, sparring.cost(ring).even) == ("p | k", "p | n")
    both = cost.simplify("p | n, p | k")
    assert both.words == 4 * k * (p - 1) / p
    assert both.at(p=4, k=8, n=12).words == 24
    for at in ({"n": 13, "k": 8}, {"n": 12, "k": 9}):
        with pytest.raises(InputError, match=r"holds where p \| n, p \| k"):
            both.at(p=4, **at)


def test_a_table_says_under_which_hypothesis(selected, ring):
    """That of all costs in it."""
    tables = [markdown([sparring.cost(page) for page in pages]) for pages in ([ring], [selected], [selected, ring])]
    assert [t.splitlines()[0].split(" | ")[3] for t in tables] == [
        r"Where p \| n", r"Where p \| k", r"Where p \| n, p \| k"
    ]  # fmt: skip


def test_a_point_is_exact(ring):
    """Near 10^18 every word counts, and seconds are a fraction."""
    length = 10**18 + 3
    at = sparring.cost(ring).at(p=8, n=length, alpha="5us", beta="0.1ns")
    assert at.words == 2 * length - 2 * length // 8
    assert at.time == 14 * Fraction(5, 10**6) + Fraction(4, 10**10) * 14 * -(-length // 8)


def test_what_has_no_closed_form_is_none_or_undecided():
    """A point leaves V_path out, asking for the form by name says why there is none."""
    cost = sparring.cost(page("pairwise"))
    assert cost.at(p=4, n=8).path is None
    with pytest.raises(Undecided, match="counted, not derived"):
        cost.needed("path")


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
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_point_is_one_sentence(text):
    """It names the letter and what would be right."""
    with pytest.raises(InputError, match=BAD[text]) as error:
        parse(text)
    assert "\n" not in str(error.value)


def test_a_good_point_is_exact():
    """Units, exponents and fractions."""
    assert parse("n=1e6, alpha=5 µs,beta=0.1ns,gamma=1/3") == {
        "n": 10**6, "alpha": Fraction(5, 10**6), "beta": Fraction(1, 10**10), "gamma": Fraction(1, 3),
    }  # fmt: skip


def test_names_are_made_plain_for_latex_and_markdown(ring):
    """What would be a command or a column there is escaped."""
    assert escaped("a_b & 5% {x} ~^\\") == (r"a\_b \& 5\% \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{}")
    lines = markdown([sparring.cost(ring)]).splitlines()
    assert {line.replace(r"\|", "").count("|") for line in lines} == {8}
