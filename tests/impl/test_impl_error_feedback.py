"""Error feedback on simulated and real ranks: the page's bits, whatever selects and adds."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import sparring
from sparring.impl.error_feedback import LOSSLESS
from sparring.proofs.core.iterations import runs, vectors
from sparring.proofs.core.verdicts import Word
from sparring.proofs.implementation.beside import beside
from tests.impl.algorithms import planted, simulated

TARGET = "sparring.impl.error_feedback:ErrorFeedback"
WAYS = {
    "topk": {},
    "threshold": {"period": 2},
    "sampled": {"stride": 3, "seed": 1, "limit": 7},
    "gaussian": {"steps": 5},
}


def ran(xs, **params):
    """What every rank has after each call: result and residual."""
    return simulated(TARGET, xs, call=series, **params)


def series(kind, comm, xs, **params):
    """What each rank does: make the target and call it on each row."""
    feedback = kind(comm, xs.shape[1], **params)
    return [(feedback(x), feedback.residual.copy()) for x in xs]


def same(found, xs, **how) -> bool:
    """Whether all ranks have the page's bits after every call; any NaN is as good as any."""
    for i, call in enumerate(runs(sparring.page("error_feedback", **how), xs)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            results, left = call.results, call.state.residual
        for r, calls in enumerate(found):
            for has, want in zip(calls[i], (results[r], [*left[r]])):
                wanted = np.array(want, xs[0].dtype)
                if has.dtype != wanted.dtype or not np.array_equal(has, wanted, equal_nan=has.dtype.kind == "f"):
                    return False
                if not np.array_equal(np.signbit(has[has == 0]), np.signbit(wanted[wanted == 0])):
                    return False
    return True


@pytest.mark.parametrize(("allreduce", "selector"), [*product(LOSSLESS, WAYS)][::3])
def test_the_pages_bits(allreduce, selector):
    """Of every selector and on every lossless allreduce, for every dtype, n < p and n = 0 included."""
    cases = [(p, n) for p in (1, 2, 3, 5) for n in (0, 1, p - 1, 2 * p + 1, 30)]
    for i, (p, n) in enumerate(cases):
        how = {"allreduce": allreduce, "selector": selector, "k": (n // 4, n, 0, 2)[i % 4], **WAYS[selector]}
        xs = vectors(("float32", "float64", "int32", "int64")[(i + i // 4) % 4], p, n)
        assert same(ran(xs, **how), xs, **how), (p, n, how)


@pytest.mark.parametrize(("allreduce", "p"), [*product(LOSSLESS, range(1, 9))][::3])
def test_what_is_sent_has_the_pages_lengths(allreduce, p):
    """Message by message, in bytes; results and residuals, call after call, have its bits."""
    page = sparring.page("error_feedback", k=2, selector="threshold", period=2, allreduce=allreduce)
    assert [*beside(page, TARGET.replace("ErrorFeedback", "Allreduce"), p)] == []


@pytest.mark.parametrize("allreduce", LOSSLESS[3:])
def test_lists_are_the_pages(allreduce):
    """Entry by entry, where messages can be read."""
    how: dict[str, Any] = {"allreduce": allreduce, "selector": "threshold", "period": 2}
    report = sparring.check(TARGET, "error_feedback", level="steps", ranks=[1, 2, 3, 5], max_examples=20, **how)
    assert report.verdict == "holds", report.results


def test_functions_in_the_place_of_names():
    """The same bits as by names; and a selector that looks at nothing loses nothing."""

    def of_functions(kind, comm, xs):
        from sparring.impl.ring_allgather import allreduce
        from sparring.impl.selectors import topk

        return series(kind, comm, xs, selector=topk.Selector(k=2), allreduce=allreduce)

    def every_other(kind, comm, xs):
        def select(x):
            at = np.arange(comm.Get_rank() % 2, x.size, 2)
            return sparring.Sparse(at, x[at], x.size)

        return series(kind, comm, xs, selector=select, allreduce="two_shot_sparse")

    xs = vectors("float64", 3, 20)
    named, functions = ran(xs, k=2, allreduce="ring_allgather"), simulated(TARGET, xs, call=of_functions)
    assert repr(named) == repr(functions)
    small = [x[:2] for x in xs]
    found = simulated(TARGET, small, call=every_other)
    out = sum(result for result, _ in found[0]) + sum(calls[-1][1] for calls in found)
    assert np.array_equal(out, sum(x.sum(axis=0) for x in small))


EXACT = [
    ({}, [1, 2], 2, 2),
    pytest.param({}, [1, 2], 3, 2, marks=pytest.mark.slow),
    pytest.param({"allreduce": "bruck_allgather"}, [1, 2], 3, 2, marks=pytest.mark.slow),
    pytest.param({"selector": "threshold", "period": 2}, [1, 2], 2, 2, marks=pytest.mark.slow),
    ({"selector": "sampled", "stride": 2}, [1, 2], 2, 2),
    ({"selector": "threshold", "period": 3, "drift": 0}, [1], 2, 3),
]


@pytest.mark.parametrize(("params", "ranks", "n", "calls"), EXACT)
def test_every_real_input(params, ranks, n, calls):
    """On exact linear forms: in every case that comparisons can tell, ties included."""
    (result,) = sparring.selection(TARGET, ranks=ranks, n=n, k=1, calls=calls, **params).results
    assert result.verdict.word is Word.PROVED_UP_TO, result.detail


SENT, TAKEN = "sent = self._select(waiting)", "waiting = self._taken(x)"
CLEARED = "waiting[sent.indices] = 0"
PLANTED = {
    "the residual is not cleared": {CLEARED: "pass"},
    "the residual is cleared everywhere": {CLEARED: "waiting[:] = 0"},
    "cleared twice, the second time a place further": {
        CLEARED: f"{CLEARED}\n        waiting[(sent.indices + 1) % self._n] = 0"
    },
    "cleared where the result has something": {CLEARED: "waiting[total.indices] = 0"},
    "k entries cleared, k - 1 sent": {
        SENT: f"""{SENT}
        size = np.abs(sent.values)
        whole, above = sent, size > (size.min() if size.size else 0)
        sent = Sparse(sent.indices[above], sent.values[above], sent.n)""",
        CLEARED: "waiting[whole.indices] = 0",
    },
    "cleared by a search in indices that are not sorted": {
        CLEARED: """order = sent.indices[np.argsort(-np.abs(sent.values), kind="stable")]
        place = np.minimum(np.searchsorted(order, sent.indices), max(0, order.size - 1))
        waiting[sent.indices[order[place] == sent.indices]] = 0"""
    },
    "the vector is sent, not the sum": {SENT: f"{SENT}\n        sent = Sparse(sent.indices, x[sent.indices], sent.n)"},
    "the residual is forgotten": {TAKEN: f"{TAKEN}\n        np.copyto(waiting, x)"},
    "a sum of its own, not all ranks'": {"total = self._allreduce(self._ranks, sent)": "total = sent"},
}


@pytest.mark.parametrize("name", [None, *PLANTED])
def test_each_planted_bug_is_caught(name):
    """By the page's bits on ties and by all real inputs of a few entries; the code without one passes both."""
    rng = np.random.default_rng(0)
    xs = [rng.integers(-4, 5, (3, 12)).astype(np.float64) for _ in range(3)]
    how = {"k": 5, "selector": "topk", "allreduce": "ring_sparse"}
    with planted("error_feedback", *(PLANTED[name] if name else {}).items()):
        found = ran(xs, **how)
        (result,) = sparring.selection(
            TARGET, ranks=[1, 2], n=4 if name else 3, k=3 if name else 2, calls=1 + bool(name)
        ).results

    assert same(found, xs, **how) is (name is None)
    assert result.verdict.word is (Word.REFUTED if name else Word.PROVED_UP_TO), result.detail


@pytest.mark.mpi
def test_real_ranks(group):
    """Under mpiexec, three ranks, three calls: the page's bits."""
    xs = [np.random.default_rng(r).standard_normal((3, 50)).astype(np.float32) for r in range(3)]
    how = {"selector": "threshold", "allreduce": "two_shot_sparse", "k": 5, "period": 2}
    seen = group.examine(TARGET, xs, rows=True, **how)
    assert same([list(zip(ys, left)) for ys, left in zip(zip(*seen.ys), zip(*seen.residuals))], xs, **how)
