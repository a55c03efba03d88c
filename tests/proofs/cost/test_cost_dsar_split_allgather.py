"""What the split with a dense allgather costs: entries of one rank in the first step, whole regions in the second."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy

import sparring
from sparring import page, run
from sparring.errors import Undecided
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost import contributions, densely, unioncost
from sparring.proofs.cost.symbols import k, n, p
from sparring.spec.core.sparse import SparseVector

PAGE, TOPKDSA = page("dsar_split_allgather"), page("dsar_split_allgather", thirds=1)


@pytest.mark.parametrize("support", ["union", "identical", "disjoint", "independent"])
def test_whatever_the_supports(support):
    """The upper end of TopkDSA in Ok-Topk's table, for every model of supports: nothing depends on unions."""
    cost = sparring.cost("dsar_split_allgather", support=support).simplify("p | n, k p <= n")

    assert (cost.words - (2 * k + n) * (p - 1) / p).expand() == 0
    assert (cost.messages - 2 * (p - 1)).expand() == 0
    assert not cost.words.has(unioncost.u)
    assert [check.verdict.word.name for check in cost.checks] == ["TESTED", "PROVED"]


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
    """TopkDSA goes dense at a third: between that and a half, the sparse two-shot sends fewer words."""
    for kept, fewer in ((199, False), (200, True), (299, True), (300, False)):
        dsa, pairs = (
            sparring.cost(name, support="identical", **given).at(p=4, n=600, k=kept).pairs
            for name, given in (("dsar_split_allgather", {"thirds": 1}), ("two_shot_sparse", {}))
        )
        assert (pairs < dsa) == fewer


def test_closed_forms_with_a_rule_have_both_cases():
    """Bytes and words say where a region goes dense, and evaluate to what is counted."""
    cost = sparring.cost("dsar_split_allgather", thirds=1, support="identical").simplify("p | n")
    at = {"p": 4, "n": 600}
    for kept in (0, 100, 199, 200, 300, 600):
        here = {p: at["p"], n: at["n"], k: kept}
        assert cost.words.subs(here) == sparring.cost("dsar_split_allgather", thirds=1, support="identical").at(
            **at, k=kept
        ).pairs  # fmt: skip
    assert cost.words.has(sympy.Piecewise)


@pytest.mark.parametrize("given", [PAGE, TOPKDSA], ids=["dsar", "topkdsa"])
@pytest.mark.parametrize("ranks", [2, 3, 6])
def test_predicted_is_what_a_run_sends(ranks, given):
    """Byte for byte, from the supports alone."""
    rng, length = random.Random(ranks), 40 * ranks + 1
    supports = [sorted(rng.sample(range(length), rng.randrange(length // 3))) for _ in range(ranks)]
    xs = [SparseVector(tuple(at), (1.0,) * len(at), length) for at in supports]

    sent = [[0] * ranks for _ in range(2)]
    for step, wire in enumerate(run(given, xs).trace):
        for src, _, entries in wire:
            sent[step][src] += given.octets(len(entries.indices), entries.n, 8)

    assert contributions.predicted(given, supports, length, 8) == sent


def test_whose_contributions_is_proved():
    assert contributions.prove(PAGE, contributions.contributions(PAGE))[0] == PROVED


def test_a_rule_that_is_not_the_pages_is_seen(monkeypatch):
    """A statement that the second step is as cheap as it can be, or that the first is dense, predicts other bytes."""
    xs = [SparseVector((r, 50 + r), (1.0, 1.0), 100) for r in range(4)]
    sent = sum(PAGE.octets(len(m.entries.indices), m.entries.n, 8) for wire in run(PAGE, xs).trace for m in wire)

    def told():
        return sum(map(sum, contributions.predicted(PAGE, [x.indices for x in xs], 100, 8)))

    assert told() == sent
    for wrong in (lambda m, size, t, p: False, lambda m, size, t, p: True):
        monkeypatch.setattr(densely, "stated", lambda page, wrong=wrong: wrong)
        assert told() != sent


def test_a_bound_on_pairs_is_not_one_on_values():
    """Where words have no index, fewer than twice the entries of the union may do."""
    assert "pairs" not in sparring.cost("dsar_split_allgather", support="disjoint").bounds
    assert "pairs" in sparring.cost("two_shot_sparse", support="disjoint").bounds


def test_a_rule_of_many_steps_is_not_summed(monkeypatch):
    """Step by step is how a rule is read."""
    monkeypatch.setattr(densely, "stated", lambda page: lambda m, size, t, p: True)
    with pytest.raises(Undecided, match="step by step"):
        sparring.cost("ring_sparse")
