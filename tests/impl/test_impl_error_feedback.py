"""Error feedback on simulated and real ranks: the reference's bits, and nothing is lost, whatever selects and adds."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import impl, world
from sparring.checks.group import Group
from sparring.checks.launch import find
from sparring.impl.error_feedback import LOSSLESS
from sparring.proofs.core.iterations import runs, vectors
from sparring.proofs.core.verdicts import Word
from sparring.proofs.mutants.beside import beside

TARGETS = Path(__file__).with_name("feedback_targets.py")
TARGET = "sparring.impl.error_feedback:ErrorFeedback"
CODE = (Path(impl.__file__).parent / "error_feedback.py").read_text(encoding="utf-8")
WAYS = {
    "topk": {},
    "threshold": {"period": 2},
    "sampled": {"stride": 3, "seed": 1, "limit": 7},
    "gaussian": {"steps": 5},
}


def simulated(xs, target: str = TARGET, **params):
    """What every rank has after each call: result and residual of a class, or what a function returns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        outcome = world.run(target, len(xs), xs, call=functools.partial(called, **params))
    assert not outcome.findings, outcome.findings
    return outcome.results


def called(target, comm, xs, **params):
    """What each rank does: make the target and call it on each row, or call it."""
    if not isinstance(target, type):
        return target(comm, xs, **params)
    feedback: Any = target(comm, xs.shape[1], **params)  # type: ignore[call-arg]  # as targets of this kind are made
    return [(feedback(x), feedback.residual.copy()) for x in xs]


def same(ran, xs, **how) -> bool:
    """Whether all ranks have the page's bits after every call; any NaN is as good as any."""
    for i, call in enumerate(runs(sparring.page("error_feedback", **how), xs)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            results, left = call.results, call.state.residual
        for r, calls in enumerate(ran):
            for has, want in zip(calls[i], (results[r], [*left[r]])):
                wanted = np.array(want, xs[0].dtype)
                if has.dtype != wanted.dtype or not np.array_equal(has, wanted, equal_nan=has.dtype.kind == "f"):
                    return False
                if not np.array_equal(np.signbit(has[has == 0]), np.signbit(wanted[wanted == 0])):
                    return False
    return True


@pytest.mark.parametrize("selector", WAYS)
@pytest.mark.parametrize("allreduce", LOSSLESS)
def test_the_pages_bits(allreduce, selector):
    """Of every selector on every lossless allreduce, for every dtype, n < p and n = 0 included."""
    cases = [(p, n) for p in (1, 2, 3, 5) for n in (0, 1, p - 1, 2 * p + 1, 30)]
    for i, (p, n) in enumerate(cases):
        how = {"allreduce": allreduce, "selector": selector, "k": (n // 4, n, 0, 2)[i % 4], **WAYS[selector]}
        xs = vectors(("float32", "float64", "int32", "int64")[(i + i // 4) % 4], p, n)
        assert same(simulated(xs, **how), xs, **how), (p, n, how)


@given(st.integers(1, 5), st.integers(0, 40), st.data())
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost(p, n, data):
    """Small integers add exactly in every dtype: all inputs are all results and the residuals, call by call."""
    selector, allreduce = data.draw(st.sampled_from(sorted(WAYS))), data.draw(st.sampled_from(LOSSLESS))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    dtype = data.draw(st.sampled_from(["float32", "float64", "int32", "int64"]))
    xs = [rng.integers(-9, 9, (4, n)).astype(dtype) for _ in range(p)]

    ran = simulated(xs, selector=selector, allreduce=allreduce, k=data.draw(st.integers(0, n)), **WAYS[selector])

    put, out = np.zeros(n), np.zeros(n)
    for i in range(4):
        put += sum(x[i] for x in xs)
        out += ran[0][i][0]
        assert np.array_equal(put, out + sum(calls[i][1] for calls in ran))


EVERY = [pytest.param(p, marks=[pytest.mark.slow] if p > 4 else []) for p in range(1, 9)]


@pytest.mark.parametrize("p", EVERY)
@pytest.mark.parametrize("allreduce", LOSSLESS)
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
    xs = vectors("float64", 3, 20)
    named = simulated(xs, k=2, allreduce="ring_allgather")
    given_now = simulated(xs, f"{TARGETS}:of_functions")
    assert all(
        (a.tobytes(), b.tobytes()) == (c.tobytes(), d.tobytes())
        for one, other in zip(named, given_now) for (a, b), (c, d) in zip(one, other)
    )  # fmt: skip
    small = [x[:2] for x in xs]
    ran = simulated(small, f"{TARGETS}:every_other")
    out = sum(result for result, _ in ran[0]) + sum(calls[-1][1] for calls in ran)
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


@pytest.fixture
def target(tmp_path):
    """Writes a copy of the code with pieces of text replaced; returns the target."""

    def written(changes) -> str:
        code = CODE
        for old, new in changes.items():
            assert code.count(old) == 1
            code = code.replace(old, new)
        file = tmp_path / "mine.py"
        file.write_text(code, encoding="utf-8")
        return f"{file}:ErrorFeedback"

    return written


@pytest.mark.parametrize("name", [None, *PLANTED])
def test_each_planted_bug_is_caught(target, name):
    """By the reference's bits on ties and by all real inputs of a few entries; the copy without one passes both."""
    mine = target(PLANTED[name] if name else {})
    rng = np.random.default_rng(0)
    xs = [rng.integers(-4, 5, (3, 12)).astype(np.float64) for _ in range(3)]
    how = {"k": 5, "selector": "topk", "allreduce": "ring_sparse"}
    ran = simulated(xs, mine, **how)
    assert same(ran, xs, **how) is (name is None)
    (result,) = sparring.selection(
        mine, ranks=[1, 2], n=4 if name else 3, k=3 if name else 2, calls=1 + bool(name)
    ).results
    assert result.verdict.word is (Word.REFUTED if name else Word.PROVED_UP_TO), result.detail


CALLED = {
    "wrong length": "x has 4 entries: this ErrorFeedback was made for 5",
    "list": "x is a list: it must be a numpy array",
    "half precision": "x has dtype float16: it must be float32",
    "another dtype": "x has dtype float32, the residual float64",
}


@pytest.mark.parametrize("what", CALLED)
def test_what_a_call_may_not_have(what):
    """Is refused on all ranks, in the rank's own sentence, and leaves no trace."""
    texts = [
        t.tobytes().decode() for t in simulated([np.zeros(0)] * 3, f"{TARGETS}:refused_when_called", what=what, bad=1)
    ]
    assert CALLED[what] in texts[1]
    assert texts[0] == texts[2] == "rank 1's arguments are refused, as its own error says; nothing was computed"


MADE = {
    "selector": ("top", "no selector 'top': right is the name of a module of sparring.impl.selectors"),
    "allreduce": ("rinng", "no allreduce 'rinng': right is the name of a module of sparring.impl"),
    "k": (-1, "k = -1: it must be a whole number"),
    "n": (6, "rank 1 has n=6"),
}


@pytest.mark.parametrize("name", MADE)
def test_what_it_may_not_be_made_of(name):
    """On one rank alone: all are told; a name of nothing, a parameter that the selector refuses, another length."""
    value, why = MADE[name]
    texts = simulated([np.zeros(0)] * 2, f"{TARGETS}:refused_when_made", bad=1, **{name: value})
    first, second = (text.tobytes().decode() for text in texts)
    assert first and why in second


def test_ranks_have_one_allreduce():
    texts = simulated([np.zeros(0)] * 2, f"{TARGETS}:refused_when_made", bad=1, allreduce="ring_allgather")
    assert all("allreduce=4, rank 0 n=5, allreduce=0" in text.tobytes().decode() for text in texts)


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec: pip install sparring[mpich]")
def test_real_ranks():
    """Under mpiexec, three ranks, three calls: the reference's bits."""
    xs = [np.random.default_rng(r).standard_normal((3, 50)).astype(np.float32) for r in range(3)]
    how = {"selector": "threshold", "allreduce": "two_shot_sparse", "k": 5, "period": 2}
    with Group(3) as group:
        seen = group.examine(TARGET, xs, rows=True, **how)
    ran = [list(zip(ys, left)) for ys, left in zip(zip(*seen.ys), zip(*seen.residuals))]
    assert same(ran, xs, **how)
