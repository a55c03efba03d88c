"""Which contributions a message holds is proved and counted; bytes predicted from supports are those on the wire."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import sparring
from sparring import InputError, Sparse, Undecided, run, world
from sparring.impl.core.selection import top
from sparring.inputs import digits
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.proofs.cost import contributions, encodings
from sparring.proofs.cost.contributions import predicted, prove, unlike
from sparring.spec import ring_sparse
from sparring.spec.core.numbers import where
from sparring.spec.core.sparse import SparseVector

SPARSE = ("ring_sparse", "two_shot_sparse", "ssar_recursive_doubling", "dsar_split_allgather")
PAGE = sparring.page("ring_sparse")
P, N = 4, 4 * 70_000  # chunks of two blocks, so that there is a table of offsets


def stated(name):
    """How many contributions the page's messages hold."""
    return contributions.contributions(sparring.page(name))


def own(name):
    """The same, whatever is planted beside the page."""
    return import_module(f"sparring.proofs.{name}").contributions


def one_then_all(t, p):
    """What the two-shot says: one in the first step, all in the second."""
    return where(t < 1, 1, p)


WRONG = [
    ("ring_sparse", {"contributions": lambda t, p: own("ring_sparse")(t, p) + 1}),
    ("ring_sparse", {"contributions": lambda t, p: own("ring_sparse")(t, p) - 1}),
    ("ring_sparse", {"contributions": lambda t, p: where(t < p - 2, t + 1, p)}),
    ("ring_sparse", {"contributions": lambda t, p: t + 1}),
    ("two_shot_sparse", {"contributions": lambda t, p: 1}),
    ("two_shot_sparse", {"contributions": lambda t, p: p}),
    ("two_shot_sparse", {"contributor": lambda r, c, t, p: c}),
    ("two_shot_sparse", {"contributor": lambda r, c, t, p: where(t < 1, (r + 1) % p, c)}),
    ("ssar_recursive_doubling", {"contributions": lambda t, p: own("ssar_recursive_doubling")(t, p) + 1}),
    ("ssar_recursive_doubling", {"contributed": lambda r, t, p: own("ssar_recursive_doubling")(t, p)}),
    ("ssar_recursive_doubling", {"contributor": lambda r, c, t, p: r}),
]


def drawn(density, p=P, n=N):
    """Independent supports with values, one vector a rank."""
    rng = np.random.default_rng([p, n, int(1000 * density)])
    supports = [np.flatnonzero(rng.random(n) < density) for _ in range(p)]
    return [Sparse(at, rng.standard_normal(at.size).astype("float32"), n) for at in supports]


def counted(name, xs):
    """What the implementation of that name puts on the wire, in order."""
    with warnings.catch_warnings(action="ignore"):
        outcome = world.run(f"sparring.impl.{name}:allreduce", len(xs), xs)
    return sorted((m.src, m.dst, m.nbytes) for m in outcome.messages)


def told(page, xs):
    """The same for what is predicted from the supports."""
    p = len(xs)
    sent = predicted(page, [x.indices.tolist() for x in xs], xs[0].n, xs[0].values.itemsize)
    return sorted((r, page.dst(r, t, p), nbytes) for t, step in enumerate(sent) for r, nbytes in enumerate(step))


@pytest.mark.parametrize("name", SPARSE)
def test_contributions_are_proved_and_counted(name):
    """For every number of ranks by both solvers, and in the schedule for 1 to 64."""
    assert prove(sparring.page(name), stated(name))[0] == PROVED
    assert unlike(sparring.page(name), stated(name), range(1, 65)) == ""


@pytest.mark.parametrize(("name", "planted"), WRONG)
def test_a_wrong_statement_is_refuted_and_seen(monkeypatch, name, planted):
    """By the solvers with a counterexample, and in the schedule."""
    right = vars(import_module(f"sparring.proofs.{name}"))
    wrong = SimpleNamespace(**{**right, **planted})
    monkeypatch.setattr(contributions, "companion", lambda page: wrong)
    verdict, why = prove(sparring.page(name), wrong.contributions)
    assert verdict == REFUTED and " fails at " in why
    assert unlike(sparring.page(name), wrong.contributions, range(1, 9)).startswith("p=")


def test_ranks_elsewhere_are_refuted():
    """So many, but not from the chunk's rank on: chunks leave rank c + 1; or from one that is none."""

    def shifted(r, t, p):
        return (r - t - 1) % p

    moved = replace(PAGE, chunk=shifted, holds=lambda q, r, c, t, p: PAGE.holds(q, r, (c + 1) % p, t, p))
    assert prove(moved, stated("ring_sparse"))[0] == REFUTED
    assert unlike(moved, stated("ring_sparse"), range(1, 65))


def test_a_rank_that_is_none_is_refuted(monkeypatch):
    nowhere = SimpleNamespace(contributions=one_then_all, contributor=lambda r, c, t, p: where(t < 1, r, p))
    monkeypatch.setattr(contributions, "companion", lambda page: nowhere)
    assert prove(sparring.page("two_shot_sparse"), one_then_all)[0] == REFUTED


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


INPUTS = {
    **{f"density {density}": lambda density=density: drawn(density) for density in (0.01, 0.1, 0.3, 0.9)},
    **{step: lambda step=step: [top(x, x.size // 50) for x in digits(7, step)] for step in ("step0", "step300")},
    **{f"{n} places": lambda n=n: [Sparse(range(min(r, n)), np.ones(min(r, n), "float32"), n) for r in range(5)]
       for n in (0, 1, 3, 7)},
}  # fmt: skip
"""Drawn supports; real ones, which overlap and are spread unevenly; fewer places than ranks, and empty chunks."""


@pytest.mark.parametrize("what", INPUTS)
def test_predicted_is_on_the_wire(what):
    """From the supports alone, each message's bytes."""
    xs = INPUTS[what]()
    assert told(PAGE, xs) == counted("ring_sparse", xs)


FORGOTTEN = {
    "the header": lambda m, size, w: PAGE.octets(m, size, w) - ring_sparse.HEADER,
    "the table of offsets": lambda m, size, w: ring_sparse.HEADER
    + min(size * w, m * (w + 4), m * (w + 2), m * w + (size + 7) // 8),
    "the bitmap": lambda m, size, w: ring_sparse.HEADER
    + min(size * w, m * (w + 4), ring_sparse.offsets(m, size, w)),
}  # fmt: skip


@pytest.mark.parametrize("fault", FORGOTTEN)
def test_forgotten_bytes_are_noticed(fault):
    """A formula without them is not what is on the wire, at some density."""
    wrong = replace(PAGE, octets=FORGOTTEN[fault])
    assert any(told(wrong, xs) != counted("ring_sparse", xs) for xs in map(drawn, (0.01, 0.3)))


def test_a_rule_that_is_not_the_pages_is_seen(monkeypatch):
    """A statement that the second step is as cheap as it can be, or that the first is dense, predicts other bytes."""
    page = sparring.page("dsar_split_allgather")
    xs = [SparseVector((r, 50 + r), (1.0, 1.0), 100) for r in range(4)]
    sent = sum(page.octets(len(m.entries.indices), m.entries.n, 8) for wire in run(page, xs).trace for m in wire)
    for rule in (None, lambda m, size, t, p: False, lambda m, size, t, p: True):
        if rule:
            monkeypatch.setattr(encodings, "stated", lambda page, rule=rule: rule)
        assert (sum(map(sum, predicted(page, [x.indices for x in xs], 100, 8))) == sent) is (rule is None)


def test_at_thirty_percent_it_sends_less_than_both_others():
    """On 8 ranks with independent supports; all three counted."""
    xs = drawn(0.3, 8, 80_000)
    dense = [x.dense() for x in xs]
    sent = sum(nbytes for *_, nbytes in counted("ring_sparse", xs))
    for others in (counted("ring", dense), counted("ring_allgather", xs)):
        assert sent < sum(nbytes for *_, nbytes in others)


def test_bad_supports_and_pages_without_a_statement():
    """One sentence each."""
    with pytest.raises(InputError, match=r"supports\[1\] has an index that is not in 0 .. 3"):
        predicted(PAGE, [[0], [4]], 4, 4)
    with pytest.raises(Undecided, match=r"not stated: contributions\(t, p\)"):
        stated("ring")
