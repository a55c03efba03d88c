"""What the sparse recursive doubling costs: unions of as many ranks' entries as have been added up, round by round."""

from __future__ import annotations

import random
from fractions import Fraction
from types import SimpleNamespace

import pytest
import sympy

import sparring
from sparring import page, run
from sparring.errors import Undecided
from sparring.proofs import ssar_recursive_doubling as stated
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.proofs.cost import band, contributions, unioncost
from sparring.proofs.cost.symbols import k, n
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.supports import independent

PAGE = page("ssar_recursive_doubling")
many = contributions.contributions(PAGE)


def zen(ranks, densities, length):
    """ZEN's Eq. 2 in words: ``sum_{i=1}^{log n} gamma^{2^(i-1)} 2 M d``, gamma(s) being the density of s ranks by d."""
    d = densities(1)
    rounds = ranks.bit_length() - 1
    return sum((densities(2 ** (i - 1)) / d) * 2 * length * d for i in range(1, rounds + 1))


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 64])
@pytest.mark.parametrize("support", ["identical", "independent", "disjoint"])
def test_zens_formula(ranks, support):
    """Equation 2 of ZEN, with densities of the model of supports."""
    length, kept = 6400, 100
    union = {
        "identical": lambda s: Fraction(kept), "disjoint": lambda s: Fraction(min(s * kept, length)),
        "independent": lambda s: Fraction(independent(s, length, kept)),
    }[support]  # fmt: skip

    found = sparring.cost("ssar_recursive_doubling", support=support).at(p=ranks, n=length, k=kept)

    assert found.pairs == zen(ranks, lambda s: union(s) / length, length)


def test_in_sizes_of_unions():
    """For powers of two a sum of u(2^i); SparCML's two ends where supports are the same, and where none meet."""
    cost = sparring.cost("ssar_recursive_doubling")
    log = cost.simplify("p = 2^m").messages
    same, apart = (
        sparring.cost("ssar_recursive_doubling", support=support).simplify("p = 2^m, k p <= n")
        for support in ("identical", "disjoint")
    )

    assert str(cost.simplify("p = 2^m").words) == "2*Sum(u(2**i), (i, 0, log2(p) - 1))"
    assert (same.words - 2 * k * log).expand() == 0
    assert str(apart.words) == "2*k*(p - 1)"
    assert [check.verdict.word.name for check in cost.checks] == ["TESTED", "PROVED"]


@pytest.mark.parametrize("ranks", range(1, 20))
def test_closed_forms_are_the_largest_messages(ranks):
    """Where ranks fold, too: of each step the largest message, of supports that never meet."""
    length = 4 * ranks
    cost = sparring.cost("ssar_recursive_doubling")
    xs = [SparseVector((r,), (1,), 10**6) for r in range(ranks)]
    trace = run("ssar_recursive_doubling", xs).trace

    at = {"p": Fraction(ranks), "n": Fraction(length), "k": Fraction(1)}
    sizes = [
        int(sympy.sympify(unioncost.exact(piece.many, {**at, "t": Fraction(t)})))
        for piece in cost.pieces
        for t in range(*(int(unioncost.exact(sympy.sympify(edge), at)) for edge in piece.span))
    ]

    assert sizes == [max(len(m.entries.indices) for m in wire) for wire in trace]


@pytest.mark.parametrize("ranks", [2, 3, 6, 8, 13])
def test_predicted_is_what_a_run_sends(ranks):
    """Byte for byte, from the supports alone."""
    rng, length = random.Random(ranks), 40 * ranks + 1
    supports = [sorted(rng.sample(range(length), rng.randrange(length // 3))) for _ in range(ranks)]
    xs = [SparseVector(tuple(at), (1.0,) * len(at), length) for at in supports]
    trace = run("ssar_recursive_doubling", xs).trace

    sent = [[0] * ranks for _ in trace]
    for step, wire in enumerate(trace):
        for src, _, entries in wire:
            sent[step][src] += PAGE.octets(len(entries.indices), entries.n, 8)

    assert contributions.predicted(PAGE, supports, length, 8) == sent


def test_whose_contributions_is_proved():
    assert contributions.prove(PAGE, many)[0] == PROVED


@pytest.mark.parametrize(
    "planted",
    [
        {"contributions": lambda t, p: many(t, p) + 1},
        {"contributed": lambda r, t, p: many(t, p)},
        {"contributor": lambda r, c, t, p: r},
    ],
    ids=["more than any", "all as many", "from the sender on"],
)
def test_other_statements_are_refuted_and_seen(monkeypatch, planted):
    """By the solvers, and in the schedule."""
    right = {name: getattr(stated, name) for name in ("contributions", "contributor", "contributed", "lemmas")}
    wrong = SimpleNamespace(**{**right, **planted})
    monkeypatch.setattr(contributions, "companion", lambda page: wrong)

    assert contributions.prove(PAGE, wrong.contributions)[0] == REFUTED
    assert contributions.unlike(PAGE, wrong.contributions, range(2, 7))


def test_no_band_is_claimed():
    """What is proved of bands rests on chunks that go around a ring."""
    with pytest.raises(Undecided, match="sends whole vectors"):
        band.band(PAGE, 8)


def test_what_is_not_known_is_told():
    """Nothing of chunks, which whole vectors have none of."""
    assert sparring.cost("ssar_recursive_doubling", support="independent").gaps == [
        "bytes for given supports: proofs.cost.contributions.predicted"
    ]
    assert not sparring.cost("ssar_recursive_doubling").simplify("p = 2^m").nbytes.has(n / k)
