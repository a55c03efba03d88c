"""Crossings: between two numbers with opposite signs, none elsewhere; and the enclosures that this rests on."""

import re
from fractions import Fraction
from functools import cache

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.costs import crossover
from sparring.costs.crossover import compare
from sparring.costs.formulas.interval import enclosure, interval
from sparring.costs.formulas.symbols import CeilLog2, FloorLog2, alpha, beta, gamma, k, n, p, width
from sparring.errors import InputError, Undecided
from tests.sweeps import sweep

MACHINE = {"alpha": "10us", "beta": "25Gbit/s"}


@cache
def cost(name, **params):
    """Once for all tests, and not when they are collected."""
    return sparring.cost(name, **params)


def test_lists_meet_the_dense_ring_at_one_in_p():
    found = compare(cost("ring_allgather"), cost("ring"), "rho", {"p": 8, "n": 10**6})
    (crossing,) = found.crossings
    assert found.formula == 1 / p and crossing.low <= Fraction(1, 8) <= crossing.high
    assert crossing.high - crossing.low <= 2 * crossover.CLOSE * crossing.low
    assert found.cheaper == ("ring_allgather", "ring") and found.quantity == "bytes"


CASES = [
    *(("ring", "recursive_doubling", {}, "n", {"p": ranks}, ranks) for ranks in (3, 8, 12)),
    ("ring", "recursive_doubling", {}, "p", {"n": 10**5}, 1),
    *(
        ("ring_sparse", other, {"support": support}, "rho", {"p": 6, "n": 6000}, 1)
        for other in ("ring", "ring_allgather")
        for support in ("identical", "independent", "disjoint")
    ),
]


@pytest.mark.parametrize(
    ("name", "other", "params", "over", "at", "unit"), sweep(CASES, few=[CASES[0], CASES[3], CASES[9]])
)
def test_between_crossings_the_cheaper_one_is_as_counted(name, other, params, over, at, unit):
    """Against exact costs at places of each range: every number of ranks, lengths that ``p`` divides, whole lists."""
    both = cost(name, **params), cost(other)
    found = compare(*both, over, {**at, **MACHINE}, *((2, 40) if over == "p" else ()))
    edges = [found.start, *(edge for crossing in found.crossings for edge in crossing), found.end]
    for low, high, cheaper in zip(edges[::2], edges[1::2], found.cheaper):
        scale, letter = (6000, "k") if over == "rho" else (1, over)
        first, last = -(-low * scale // unit), high * scale // unit
        places = range(int(first), int(last) + 1) if over == "p" else {max(1, first), (first + last) // 2, last}
        for place in (int(place) * unit for place in places if first <= place <= last):
            times = {one.page.name: one.at(**at, **{letter: place}, **MACHINE).time for one in both}
            assert min(times, key=times.__getitem__) == cheaper


@pytest.mark.parametrize(
    ("name", "at", "given", "held"),
    [
        ("rabenseifner", {"n": 24}, "2^floor(log2 p) | n", [*range(2, 16)]),
        ("rabenseifner", {"n": 64}, "", [*range(2, 34)]),
        ("pat", {"n": 24}, "p | n", [2, 3, 4, 6, 8, 12, 24]),
        ("recursive_doubling_allgather", {"n": 24, "k": 4}, "p = 2^m", [2, 4, 8, 16, 32]),
        ("recursive_multiplying", {"n": 24}, "p = radix^m", [4, 16]),
    ],
)
def test_over_ranks_nothing_is_said_where_a_cost_does_not_hold(name, at, given, held):
    """At each other number of ranks the cheaper one is as exact costs say; "" the twin that holds at all."""
    found = compare(cost("ring"), cost(name), "p", {**at, **MACHINE}, 2, 33)
    assert (found.given, [*map(int, found.places)]) == (given, held)
    edges = [found.start, *(edge for crossing in found.crossings for edge in crossing), found.end]
    for low, high, cheaper in zip(edges[::2], edges[1::2], found.cheaper):
        for p_ in (p_ for p_ in held if low <= p_ <= high):
            dense, other = (one.at(**at, p=p_, **MACHINE).time for one in (cost("ring"), cost(name)))
            assert cheaper == ("" if dense == other else "ring" if dense < other else name)


def test_a_composition_is_compared_in_the_calls_that_its_ranks_make():
    """Ranks that do not fill nodes take another way: then ``hierarchical`` is the ring."""
    two = cost("ring"), cost("hierarchical")
    found = compare(*two, "p", {"n": 960, **MACHINE}, 5, 8)
    assert found.cheaper == ("", "hierarchical", "", "hierarchical")
    for ranks, cheaper in ((7, ("",)), (8, ("hierarchical",))):
        found = compare(*two, "n", {"p": ranks, **MACHINE})
        assert found.cheaper == cheaper and ("2 | p" in found.given) == (ranks == 8)


@pytest.mark.parametrize(
    ("name", "over", "at", "message"),
    [
        ("recursive_doubling_allgather", "rho", {"p": 6, "n": 60}, "holds where p = 2^m, not for p=6"),
        ("rabenseifner", "rho", {"p": 6, "n": 30}, "holds where 2^floor(log2 p) | n, not for p=6, n=30"),
        ("spardl", "n", {"p": 5, "k": 7}, "holds where p | k, not for p=5, k=7"),
        (
            "rabenseifner",
            "p",
            {"n": 7},
            "p from 2 to 128: both costs hold at no p; right is one where 2^floor(log2 p) | n",
        ),
    ],
)
def test_a_point_at_which_a_cost_does_not_hold_is_refused(name, over, at, message):
    with pytest.raises(InputError, match=re.escape(message)):
        compare(cost("ring"), cost(name), over, at)


def test_hypotheses_are_none_that_the_point_denies():
    """Chunks of 7 ranks are of 142 or 143 entries; the twin has equal ones."""
    for length, hypotheses in ((1000, ""), (1001, "p | n")):
        found = compare(cost("ring_allgather"), cost("ring"), "rho", {"p": 7, "n": length})
        (crossing,) = found.crossings
        assert found.given == hypotheses and crossing.low <= Fraction(143, length) <= crossing.high


@pytest.mark.parametrize("ranks", [3, 4])
def test_a_logarithm_of_a_number_is_a_number(ranks):
    """Also within a minimum, which sympy refuses of what it cannot compare."""
    name, at = "ssar_recursive_doubling", {"p": ranks, "n": 1000}
    sparse = cost(name, support="independent")
    found = compare(sparse, cost("ring"), "rho", at)
    (crossing,) = found.crossings
    for place, cheaper in zip((crossing.low, crossing.high), found.cheaper):
        sent = sparse.at(**at, k=int(1000 * place) + (cheaper == "ring")).nbytes
        assert cheaper == (name if sent < 4 * cost("ring").at(**at).critical else "ring")


def test_lengths_begin_with_the_entries_that_a_rank_keeps():
    two = cost("ring"), cost("ring_allgather")
    assert compare(*two, "n", {"p": 4, "k": 7}).start == 7
    with pytest.raises(InputError, match="k=7: a rank has at most n=2 entries"):
        compare(*two, "n", {"p": 4, "k": 7}, 2)


def test_a_planted_touch_is_not_told_as_an_order():
    """A difference that reaches 0 without a change of sign."""
    touching = crossover.of_letter((n - 5) ** 2, "n", {})
    with pytest.raises(Undecided, match="too near each other"):
        crossover.merged(crossover.bracketed(touching, Fraction(1), Fraction(100)))


def test_a_difference_that_stays_near_zero_ends():
    with pytest.raises(Undecided, match="stay too near"):
        list(crossover.bracketed(lambda low, high: interval(-1, 1), Fraction(1), Fraction(10**6)))


@pytest.mark.parametrize(
    ("over", "at", "between", "message"),
    [
        ("k", {"p": 8}, (), "over='k': costs are compared over rho, n, p"),
        ("n", {"k": 5}, (), "needs a value for p"),
        ("rho", {"p": 8, **MACHINE}, (), "needs a value for n"),
        ("n", {"p": 8}, ("9", "5"), "n cannot grow from 9 to 5"),
        ("rho", {"p": 8, "n": 5}, ("0", "1"), "rho=0: a density is a number above 0, at most 1"),
        ("p", {"n": 8}, ("2", "x"), "p=x: p is an integer"),
    ],
)
def test_bad_input_is_one_sentence(over, at, between, message):
    with pytest.raises(InputError, match=message):
        compare(cost("ring_allgather"), cost("ring"), over, at, *between)


FORMULAS = [
    2 * alpha * (p - 1) + beta * width * sympy.ceiling(n / p) * (p - 1) - gamma * sympy.floor(n / p),
    n * (CeilLog2(p) - FloorLog2(p)) - k / p + sympy.Min(n, 3 * k) - sympy.Max(k, 7),
    sympy.Piecewise((n - k, n <= 20), (n**2, n < 40), (-k, True)),
    sympy.Sum(n * (1 - (1 - k / n) ** sympy.Symbol("s", integer=True)), (sympy.Symbol("s", integer=True), 1, p - 1)),
]
LETTERS = ("n", "k", "width", "alpha", "beta", "gamma")


@settings(deadline=None, max_examples=40)  # sympy's first formula takes long
@given(
    st.sampled_from(FORMULAS[:3]),
    st.integers(1, 40),
    st.lists(st.tuples(st.fractions(0, 60), st.fractions(0, 9), st.fractions(0, 1)), min_size=6, max_size=6),
)
def test_an_enclosure_holds_every_value(formula, ranks, ends):
    formula = formula.subs(sympy.Mod(n, p), 0)
    boxes = {letter: (low, low + wide) for letter, (low, wide, _) in zip(LETTERS, ends)}
    inside = {letter: low + wide * part for letter, (low, wide, part) in zip(LETTERS, ends)} | {"p": Fraction(ranks)}
    value = valued(formula, inside)
    found = enclosure(formula)({letter: interval(*box) for letter, box in boxes.items()} | {"p": interval(ranks)})
    low, high = (Fraction(float(end)) for end in (found.a, found.b))  # floats of the same 53 bits
    assert low <= value <= high


def valued(formula, at):
    """The exact value, with the choices that ``exact`` does not know made first."""
    letters = {s: sympy.Rational(at[s.name]) for s in formula.free_symbols}
    value = sympy.sympify(formula.subs(letters).doit().replace(CeilLog2, lambda x: sympy.ceiling(sympy.log(x, 2)))
                          .replace(FloorLog2, lambda x: sympy.floor(sympy.log(x, 2))))  # fmt: skip
    assert value.is_Rational
    return Fraction(int(value.p), int(value.q))


def test_what_cannot_be_enclosed_is_undecided():
    with pytest.raises(Undecided, match="sin has no enclosure"):
        enclosure(sympy.sin(n))({"n": interval(1)})
    with pytest.raises(Undecided, match="no single integer"):
        enclosure(CeilLog2(n))({"n": interval(1, 2)})
