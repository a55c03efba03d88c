"""Which contributions a message holds is proved and counted; bytes predicted from supports are those on the wire."""

from __future__ import annotations

import random
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import pytest

import sparring
from sparring import InputError, Undecided, run
from sparring.costs.derivation import message_bytes
from sparring.costs.supports import contributions
from sparring.costs.supports.contributions import predicted, prove, unlike
from sparring.proofs.logic.verdicts import REFUTED
from sparring.spec.core.numbers import where
from sparring.spec.core.sparse import SparseVector
from tests.algorithms import ALGORITHMS
from tests.sweeps import third

SPARSE = [name for name in sparring.pages() if sparring.page(name).data == "sparse"]
WRONG = [(name, planted) for name, one in ALGORITHMS.items() for planted in one.wrong_contributions]
PAGE = sparring.page("ring_sparse")


def stated(name):
    """How many contributions the page's messages hold."""
    return contributions.contributions(sparring.page(name))


@pytest.mark.parametrize(("name", "planted"), third(WRONG))
def test_a_wrong_statement_is_refuted_and_seen(monkeypatch, name, planted):
    """By the solvers with a counterexample, and in the schedule."""
    right = vars(import_module(f"sparring.proofs.{name}"))
    wrong = SimpleNamespace(**{**right, **planted})
    monkeypatch.setattr(contributions, "companion", lambda page: wrong)
    _, verdict, why = prove(sparring.page(name), wrong.contributions)
    assert verdict == REFUTED and " fails at " in why
    assert unlike(sparring.page(name), wrong.contributions, range(1, 9)).startswith("p=")


def test_a_step_in_which_nobody_sends_costs_no_message():
    """A ring with one more step, a silent one, has no cost; its twin sends always, in other words."""
    silent = replace(PAGE, steps=lambda p: 2 * p - 2 + where(p > 1, 1, 0), active=lambda r, t, p: t < 2 * p - 2)
    assert (
        unlike(silent, stated(PAGE.name), range(1, 4))
        == "p=2, step 2: 0 contributions in the largest message, stated 2"
    )
    with pytest.raises(Undecided, match="in some step no rank is shown to send"):
        sparring.cost(silent)
    twin = sparring.cost(replace(PAGE, active=lambda r, t, p: t < 2 * p))
    assert twin.messages == sparring.cost(PAGE).messages


@pytest.mark.parametrize("ranks", [2, 3, 6, 8, 13])
@pytest.mark.parametrize("given", [*((name, {}) for name in SPARSE), ("dsar_split_allgather", {"thirds": 1})], ids=str)
def test_predicted_is_what_a_run_sends(ranks, given):
    """Byte for byte, from the supports alone."""
    page = sparring.page(given[0], **given[1])
    rng, length = random.Random(ranks), 40 * ranks + 1
    supports = [sorted(rng.sample(range(length), rng.randrange(length // 3))) for _ in range(ranks)]
    trace = run(page, [SparseVector(tuple(at), (1.0,) * len(at), length) for at in supports]).trace
    sent = [[0] * ranks for _ in trace]
    for step, wire in enumerate(trace):
        for src, _, entries in wire:
            sent[step][src] += page.octets(len(entries.indices), entries.n, 8)
    assert predicted(page, supports, length, 8) == sent


def test_a_rule_that_is_not_the_pages_is_seen(monkeypatch):
    """A statement that the second step is as cheap as it can be, or that the first is dense, predicts other bytes."""
    page = sparring.page("dsar_split_allgather")
    xs = [SparseVector((r, 50 + r), (1.0, 1.0), 100) for r in range(4)]
    sent = sum(page.octets(len(m.entries.indices), m.entries.n, 8) for wire in run(page, xs).trace for m in wire)
    for rule in (None, lambda m, size, t, p: False, lambda m, size, t, p: True):
        if rule:
            monkeypatch.setattr(message_bytes, "stated", lambda page, rule=rule: rule)
        assert (sum(map(sum, predicted(page, [x.indices for x in xs], 100, 8))) == sent) is (rule is None)


def test_what_a_page_makes_of_chunks_before_it_sends_them_is_counted():
    """All places sent from the second step on, by no rule that is stated, are refuted; so sent or not, pairs hold."""
    whole = replace(PAGE, sends=lambda x, c, t, p, n, w: x.full(t > 0))
    counted, *_ = sparring.cost(whole).checks
    assert counted.verdict == REFUTED
    assert counted.detail == (
        "bytes sent in a run by rank 0 at p=2, n=81, k=5, width=8, step 1: derived 54, counted 336"
    )
    twin = replace(PAGE, sends=lambda x, c, t, p, n, w: PAGE.sends(x, c, t, p, n, w) if w < 8 else x)
    counted, *_ = sparring.cost(twin).checks
    assert str(counted.verdict) == "tested (64 examples)" and counted.detail.endswith("bytes in runs, p = 1-9, 12, 18")


def test_bad_supports_and_pages_without_a_statement():
    """One sentence each."""
    with pytest.raises(InputError, match=r"supports\[1\] has an index that is not in 0 .. 3"):
        predicted(PAGE, [[0], [4]], 4, 4)
    with pytest.raises(Undecided, match=r"not stated: contributions\(t, p\)"):
        stated("ring")
