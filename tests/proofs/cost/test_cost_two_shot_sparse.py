"""What the sparse two-shot costs: one rank's entries in each message of the first step, all ranks' in the second."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

import sparring
from sparring import page, run
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.proofs.cost import contributions, unioncost
from sparring.proofs.cost.symbols import k, p
from sparring.spec.core.numbers import where
from sparring.spec.core.sparse import SparseVector

PAGE = page("two_shot_sparse")
many = contributions.contributions(PAGE)


def test_in_sizes_of_unions():
    """ZEN's Eq. 1: k entries of one rank to be added, then the union of all, each to p - 1 ranks, a p-th in each."""
    cost = sparring.cost("two_shot_sparse").simplify("p | n")
    union = unioncost.u(p)

    assert (cost.words - 2 * (p - 1) * (k + union) / p).expand() == 0
    assert (cost.added - (p - 1) * k / p).expand() == 0
    assert (cost.messages - 2 * (p - 1)).expand() == 0
    assert [check.verdict.word.name for check in cost.checks] == ["TESTED", "PROVED"]


def test_less_than_the_sparse_ring_where_supports_differ():
    """The ring forwards unions: as much where all supports are the same, more where they are not."""
    ring, shot = (
        sparring.cost(name, support="identical").simplify("p | n") for name in ("ring_sparse", "two_shot_sparse")
    )
    assert (ring.words - shot.words).expand().simplify() == 0
    for support in ("independent", "disjoint"):
        around, direct = (
            sparring.cost(name, support=support).at(p=8, n=80_000, k=800) for name in ("ring_sparse", "two_shot_sparse")
        )
        assert direct.pairs < around.pairs and direct.messages == around.messages


@pytest.mark.parametrize("ranks", [2, 3, 6])
def test_predicted_is_what_a_run_sends(ranks):
    """Byte for byte, from the supports alone."""
    rng, n = random.Random(ranks), 40 * ranks + 1
    supports = [sorted(rng.sample(range(n), rng.randrange(n // 3))) for _ in range(ranks)]
    xs = [SparseVector(tuple(at), (1.0,) * len(at), n) for at in supports]

    sent = [[0] * ranks for _ in range(2)]
    for step, wire in enumerate(run("two_shot_sparse", xs).trace):
        for src, _, entries in wire:
            sent[step][src] += PAGE.octets(len(entries.indices), entries.n, 8)

    assert contributions.predicted(PAGE, supports, n, 8) == sent


def test_whose_contributions_is_proved():
    assert contributions.prove(PAGE, many)[0] == PROVED


@pytest.mark.parametrize(
    ("count", "first"),
    [
        (lambda t, p: 1, lambda r, c, t, p: where(t < 1, r, c)),
        (lambda t, p: p, lambda r, c, t, p: where(t < 1, r, c)),
        (lambda t, p: where(t < 1, 1, p), lambda r, c, t, p: c),
        (lambda t, p: where(t < 1, 1, p), lambda r, c, t, p: where(t < 1, (r + 1) % p, c)),
        (lambda t, p: where(t < 1, 1, p), lambda r, c, t, p: where(t < 1, r, p)),
    ],
    ids=["one throughout", "all at once", "the chunk's", "the next rank's", "no rank's"],
)
def test_other_statements_are_refuted_and_seen(monkeypatch, count, first):
    """By the solvers, and in the schedule."""
    monkeypatch.setattr(
        contributions, "companion", lambda page: SimpleNamespace(contributions=count, contributor=first)
    )

    assert contributions.prove(PAGE, count)[0] == REFUTED
    if first(0, 0, 1, 3) < 3:
        assert contributions.unlike(PAGE, count, range(2, 5))


def test_pieces_that_miss_a_message_are_seen():
    """A piece a message short."""
    cost = sparring.cost("two_shot_sparse")
    first, second = cost.pieces
    short = first._replace(span=first.span._replace(end=first.span.end - 1))

    assert unioncost.miscounted(cost) == ""
    assert "the spans say" in unioncost.miscounted(unioncost.replace(cost, pieces=(short, second)))
