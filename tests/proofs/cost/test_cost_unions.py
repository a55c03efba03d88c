"""Costs in sizes of unions: formulas are what is summed step by step, known forms come out, and faults are caught."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
import sympy

import sparring
from sparring import InputError, Undecided, run
from sparring.proofs.cost import band, encodings, unioncost
from sparring.proofs.cost.contributions import predicted
from sparring.proofs.cost.symbols import exact, k, n, p, symbol, width
from sparring.proofs.cost.unioncost import derive, measured, miscounted, octets
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.supports import MODELS, independent

PAGE = sparring.page("ring_sparse")
SPARSE = ("ring_sparse", "two_shot_sparse", "ssar_recursive_doubling", "dsar_split_allgather")
POINTS = [(1, 5, 3), (2, 7, 2), (3, 100, 7), (5, 5, 5), (8, 9610, 96), (8, 1_000_000, 10_000), (16, 2**22, 2**20)]
U = unioncost.u(p)
KNOWN = [
    ("ring_sparse", "identical", "p | n", 4 * k * (p - 1) / p),
    ("ring_sparse", "disjoint", "p | n, k p <= n", 3 * k * (p - 1)),
    ("two_shot_sparse", "union", "p | n", 2 * (p - 1) * (k + U) / p),
    ("two_shot_sparse", "identical", "p | n", 4 * k * (p - 1) / p),
    ("ssar_recursive_doubling", "disjoint", "p = 2^m, k p <= n", 2 * k * (p - 1)),
    *(
        ("dsar_split_allgather", support, "p | n, k p <= n", (2 * k + n) * (p - 1) / p)
        for support in ("union", *MODELS)
    ),
]


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


@pytest.mark.parametrize(("name", "support", "given", "words"), KNOWN)
def test_known_forms_come_out(name, support, given, words):
    """Those of ZEN, SparCML and Ok-Topk's table, written down here by hand; where all is dense, no union matters."""
    cost = sparring.cost(name, support=support).simplify(given)
    assert sympy.simplify(cost.words - words) == 0
    assert cost.words.has(unioncost.u) == words.has(unioncost.u)
    if name != "ssar_recursive_doubling":
        assert sympy.expand(cost.messages - 2 * (p - 1)) == 0


def test_rounds_are_summed_where_p_is_a_power_of_two():
    """A sum of u(2^i); as many words in each round where supports are the same."""
    cost = sparring.cost("ssar_recursive_doubling").simplify("p = 2^m")
    same = sparring.cost("ssar_recursive_doubling", support="identical").simplify("p = 2^m")
    assert str(cost.words) == "2*Sum(u(2**i), (i, 0, log2(p) - 1))" and not cost.nbytes.has(n / k)
    assert sympy.expand(same.words - 2 * k * cost.messages) == 0
    assert same.gaps == ["bytes for given supports: proofs.cost.contributions.predicted"]


def test_the_sum_of_powers_is_right():
    """The closed form for independent supports, by induction over p: begins at 0, and grows by the last two terms."""
    words = sympy.expand(derive(PAGE, "independent").simplify("p | n").words * p / (2 * n))
    q = 1 - k / n
    last = (1 - q**p) + p * (1 - q ** (p + 1)) - (p - 1) * (1 - q**p)
    assert sympy.simplify(words.subs(p, 1)) == 0
    assert sympy.simplify(sympy.powsimp(sympy.expand(words.subs(p, p + 1) - words - last))) == 0


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 64])
@pytest.mark.parametrize("support", MODELS)
def test_zens_formula(ranks, support):
    """Equation 2 of ZEN: ``sum_{i=1}^{log n} gamma^{2^(i-1)} 2 M d``, gamma(s) the density of s ranks by d of one."""
    length, kept = 6400, 100
    found = sparring.cost("ssar_recursive_doubling", support=support).at(p=ranks, n=length, k=kept)
    d, rounds = Fraction(kept, length), range(1, ranks.bit_length())
    gamma = {i: Fraction(MODELS[support](2 ** (i - 1), length, kept)) / length / d for i in rounds}
    assert found.pairs == sum(gamma[i] * 2 * length * d for i in rounds)


@pytest.mark.parametrize("ranks", range(1, 20))
def test_spans_have_the_largest_messages(ranks):
    """Where ranks fold, too: of each step the largest message, of supports that never meet."""
    cost = sparring.cost("ssar_recursive_doubling")
    trace = run("ssar_recursive_doubling", [SparseVector((r,), (1,), 10**6) for r in range(ranks)]).trace
    at = {"p": Fraction(ranks), "n": Fraction(4 * ranks), "k": Fraction(1)}
    sizes = [
        int(sympy.sympify(exact(piece.many, {**at, "t": Fraction(t)})))
        for piece in cost.pieces
        for t in range(*(int(exact(sympy.sympify(edge), at)) for edge in piece.span))
    ]
    assert sizes == [max(len(m.entries.indices) for m in wire) for wire in trace]


@pytest.mark.parametrize("ranks", [2, 4, 8, 64])
@pytest.mark.parametrize("kept", [0, 1, 64, 128, 213, 320])
def test_topkdsas_two_ends(ranks, kept):
    """Where all supports are the same ``4 k (p - 1) / p`` words, below a third; where they fill it, ``2 k + n``."""
    length = 640
    same = sparring.cost("dsar_split_allgather", thirds=1, support="identical").at(p=ranks, n=length, k=kept)
    apart = sparring.cost("dsar_split_allgather", thirds=1, support="disjoint").at(p=ranks, n=length, k=kept)
    share, third = Fraction(ranks - 1, ranks), Fraction(length, 3)

    assert same.pairs == (4 * kept if kept < third else 2 * kept + length) * share
    union = min(ranks * kept, length)
    assert apart.pairs == (2 * kept + (2 * union if union < third else length)) * share


def test_dense_costs_more_words_than_pairs_up_to_a_half():
    """TopkDSA goes dense at a third, which both cases of its form say: the sparse two-shot sends fewer up to a half."""
    dense = sparring.cost("dsar_split_allgather", thirds=1, support="identical")
    pairs = sparring.cost("two_shot_sparse", support="identical")
    words = dense.simplify("p | n").words
    assert words.has(sympy.Piecewise)
    for kept, fewer in ((0, False), (199, False), (200, True), (299, True), (300, False), (600, False)):
        at = dense.at(p=4, n=600, k=kept).pairs
        assert words.subs({p: 4, n: 600, k: kept}) == at
        assert (pairs.at(p=4, n=600, k=kept).pairs < at) == fewer


def test_less_than_the_sparse_ring_where_supports_differ():
    """The ring forwards unions: more than the two-shot where supports are not the same, in as many messages."""
    for support in ("independent", "disjoint"):
        around, direct = (
            sparring.cost(name, support=support).at(p=8, n=80_000, k=800) for name in ("ring_sparse", "two_shot_sparse")
        )
        assert direct.pairs < around.pairs and direct.messages == around.messages


def test_a_bound_on_pairs_is_not_one_on_values():
    """Where words have no index, fewer than twice the entries of the union may do."""
    assert "pairs" not in sparring.cost("dsar_split_allgather", support="disjoint").bounds
    assert "pairs" in sparring.cost("two_shot_sparse", support="disjoint").bounds


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


@pytest.mark.parametrize("name", SPARSE)
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
        band.band(sparring.page("ssar_recursive_doubling"), 8)
    monkeypatch.setattr(encodings, "stated", lambda page: lambda m, size, t, p: True)
    with pytest.raises(Undecided, match="step by step"):
        sparring.cost("ring_sparse")


def test_bytes_of_the_others():
    """Values alone in the dense ring; an index of 4 bytes with each in the allgather."""
    at = {"p": 8, "n": 1_000_000, "k": 10_000}
    assert sparring.cost("ring", support="disjoint").at(**at).nbytes == 7_000_000
    assert sparring.cost("ring_allgather").at(**at).nbytes == 7 * 10_000 * 8
    assert exact(sparring.cost("ring").words, at) * 4 == 7_000_000
