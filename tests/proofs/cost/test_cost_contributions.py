"""Which contributions a message holds is proved and counted; bytes predicted from supports are those on the wire."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import sparring
from sparring import InputError, Sparse, Undecided, world
from sparring.impl.core.selection import top
from sparring.inputs import digits
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.proofs.cost.contributions import contributions, predicted, prove, unlike
from sparring.spec import ring_sparse
from sparring.spec.core.numbers import where

PAGE = sparring.page("ring_sparse")
STATED = contributions(PAGE)
RANKS = range(1, 65)
WRONG = {
    "one too many": lambda t, p: STATED(t, p) + 1,
    "one too few": lambda t, p: STATED(t, p) - 1,
    "the second lap begins early": lambda t, p: where(t < p - 2, t + 1, p),
    "the second lap grows on": lambda t, p: t + 1,
}
P, N = 4, 4 * 70_000  # chunks of two blocks, so that there is a table of offsets


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


def test_contributions_are_proved_and_counted():
    """For every number of ranks by both solvers, and in the schedule for 1 to 64."""
    assert prove(PAGE, STATED)[0] == PROVED
    assert unlike(PAGE, STATED, RANKS) == ""


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_number_is_refuted(fault):
    """By the solvers with a counterexample, and by counting."""
    verdict, why = prove(PAGE, WRONG[fault])
    assert verdict == REFUTED
    assert " fails at " in why
    assert unlike(PAGE, WRONG[fault], RANKS).startswith("p=")


def test_ranks_elsewhere_are_refuted():
    """So many, but not from the chunk's rank on: chunks leave rank c + 1."""

    def shifted(r, t, p):
        return (r - t - 1) % p

    moved = replace(PAGE, chunk=shifted, holds=lambda q, r, c, t, p: PAGE.holds(q, r, (c + 1) % p, t, p))
    assert prove(moved, STATED)[0] == REFUTED
    assert unlike(moved, STATED, RANKS)


@pytest.mark.parametrize("density", [0.01, 0.1, 0.3, 0.9])
def test_predicted_is_on_the_wire(density):
    """From the supports alone, each message's bytes."""
    xs = drawn(density)
    assert told(PAGE, xs) == counted("ring_sparse", xs)


@pytest.mark.parametrize("step", ["step0", "step300"])
def test_predicted_is_on_the_wire_for_gradients(step):
    """Real supports, which overlap and are spread unevenly; p does not divide n."""
    xs = [top(x, x.size // 50) for x in digits(7, step)]
    assert xs[0].n % 7
    assert told(PAGE, xs) == counted("ring_sparse", xs)


@pytest.mark.parametrize("n", [0, 1, 3, 7])
def test_predicted_for_few_places(n):
    """Fewer places than ranks, empty supports and empty chunks."""
    xs = [Sparse(range(min(r, n)), np.ones(min(r, n), "float32"), n) for r in range(5)]
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
    runs = [drawn(density) for density in (0.01, 0.3)]
    assert any(told(wrong, xs) != counted("ring_sparse", xs) for xs in runs)


def test_a_wrong_number_of_contributions_is_not_on_the_wire(monkeypatch):
    """Nor is a message with a rank's contribution too few."""
    xs = drawn(0.1)
    monkeypatch.setattr("sparring.proofs.ring_sparse.contributions", lambda t, p: max(1, STATED(t, p) - 1))
    assert told(PAGE, xs) != counted("ring_sparse", xs)


def test_at_thirty_percent_it_sends_less_than_both_others():
    """On 8 ranks with independent supports; all three counted."""
    p, n = 8, 80_000
    xs = drawn(0.3, p, n)
    dense = [x.dense() for x in xs]
    ours = counted("ring_sparse", xs)
    assert ours == told(PAGE, xs)
    sent = sum(nbytes for *_, nbytes in ours)
    for others in (counted("ring", dense), counted("ring_allgather", xs)):
        assert sent < sum(nbytes for *_, nbytes in others)


def test_bad_supports_and_pages_without_a_statement():
    """One sentence each."""
    with pytest.raises(InputError, match=r"supports\[1\] has an index that is not in 0 .. 3"):
        predicted(PAGE, [[0], [4]], 4, 4)
    with pytest.raises(Undecided, match=r"not stated: contributions\(t, p\)"):
        contributions(sparring.page("ring"))
