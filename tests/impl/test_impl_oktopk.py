"""Ok-Topk on simulated and real ranks: the page's bits and messages; the published code's faults are found."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import Case, vectors
from sparring.proofs.mutants.beside import beside
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("oktopk_targets.py")
TARGET = "sparring.impl.oktopk:Allreduce"
DTYPES = ("float32", "float64", "int32", "int64")
OPTIONS = {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2}
OTHERS = [{"tau": 1, "tau_prime": 1, "trigger": 0, "bucket": 1, "gain": 0}, OPTIONS,
          {"tau": 3, "tau_prime": 9, "bucket": 3, "gain": 700}]  # fmt: skip
WRONG = {
    "negative k": "k = -1: it must be a whole number, 0 or more",
    "half a period": "tau = 1.5: it must be a whole number, 1 or more",
    "no period": "tau_prime = 0: it must be a whole number, 1 or more",
    "no bucket": "bucket = 0: it must be a whole number, 1 or more",
    "negative trigger": "trigger = -1: it must be a whole number, 0 or more",
    "negative gain": "gain = -1: it must be a whole number, 0 or more",
}
SAME = "n=5, k={}, tau=64, tau_prime=32, trigger=4, bucket={}, gain=12"


def simulated(xs, k, target=TARGET, buffers="synchronous", **options):
    """What every rank has after each call, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        call = functools.partial(iterate, k=k, **options)
        outcome = world.run(target, len(xs), xs, buffers=buffers, call=call)
    assert not outcome.findings, outcome.findings[0].text
    assert outcome.deterministic
    return outcome.results


def iterate(kind, comm, xs, *, k, **options):
    """Each call's result and residual."""
    instance = kind(comm, xs.shape[1], k=k, **options)
    return [iterations.checked(instance(x), instance.residual, x) for x in xs]


def unlike(xs, k, ran, **options):
    """Where this is not the page's, in words."""
    return iterations.compared(sparring.page("oktopk", **options), Case(k, xs), ran, "dtypes")


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep(range(1, 9)))
def test_simulated(p, buffers):
    """Bit for bit the page for every dtype, call after call, whatever the periods, the trigger and the bucket."""
    for i, (n, k) in enumerate([(0, 3), (1, 1), (p - 1, 2), (p, 0), (3 * p + 1, p), (40, 9), (40, 99)]):
        xs, options = vectors(DTYPES[(i + p) % 4], p, n), OTHERS[(i + p) % 3]
        assert unlike(xs, k, simulated(xs, k, buffers=buffers, **options), **options) == []


@pytest.mark.parametrize("p", sweep(range(1, 8)))
def test_messages_are_the_pages(p):
    """From each rank to each go messages of the page's lengths."""
    assert [*beside(sparring.page("oktopk"), TARGET, p)] == []


@pytest.mark.parametrize("options", OTHERS)
def test_conforms_step_by_step(options):
    """As a user would ask."""
    report = sparring.check(TARGET, "oktopk", level="steps", ranks=range(1, 5), max_examples=20, **options)
    assert report.verdict == "holds"
    assert {"steps", "volume", "conservation"} <= {r.property for r in report.results if "tested" in str(r.verdict)}


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("ByValue", "result"), ("OwnRegion", "result"), ("AllCleared", "conservation"), ("Strict", "selection"),
        ("NotAdded", "conservation"), ("Forgotten", "selection"),
        ("NoEmptyRank", "edge sizes"), ("NeverOneRank", "edge sizes"), ("Unbalanced", "steps"),
    ],
)  # fmt: skip
def test_published_faults_are_found(fault, what, tmp_path, monkeypatch):
    """Each by the property that it breaks."""
    monkeypatch.chdir(tmp_path)
    report = checked(f"{TARGETS}:{fault}", only=(what,))
    assert {r.property for r in report.results if str(r.verdict) == "refuted"} == {what}


def test_the_same_class_without_a_fault_holds():
    """So that it is the fault that is found."""
    assert checked(f"{TARGETS}:Changed").verdict == "holds"


def checked(target, **asked):
    """As a user would ask, of few ranks."""
    return sparring.check(target, "oktopk", level="steps", ranks=range(1, 4), max_examples=30, **asked, **OPTIONS)


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for i, dtype in enumerate(DTYPES):
        xs, options = vectors(dtype, p, 60), OTHERS[(i + p) % 3]
        ran = group.run(f"{Path(__file__).with_name('oktopk_targets.py')}:once", xs, k=7, **options)
        page = sparring.page("oktopk", k=7, **options)
        (*_, last) = iterations.expected(page, xs)
        for y, right in zip(ran, last, strict=True):
            np.testing.assert_array_equal(y, np.concatenate([right.result.dense(), right.residual]))


@pytest.mark.parametrize("what", WRONG)
def test_bad_when_made_on_one_rank_is_one_sentence_on_all(what):
    texts = heard("refused", what=what, bad=2)
    assert texts[2] == WRONG[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


@pytest.mark.parametrize(("what", "k", "bucket"), [("another k", 3, 4), ("another bucket", 2, 3)])
def test_ranks_that_differ_hear_it_alike(what, k, bucket):
    other, first = SAME.format(k, bucket), SAME.format(2, 4)
    assert heard("refused", what=what, bad=2) == [
        f"rank 2 has {other}, rank 0 {first}: all ranks need one value of each"
    ] * 4  # fmt: skip


@pytest.mark.parametrize("before", [0, 2])
def test_a_bad_call_leaves_residuals_as_they_were(before):
    texts = heard("refused_when_called", before=before)
    assert texts[2] == "x has 6 entries: this Allreduce was made for 5"
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", 4, [None] * 4, call=functools.partial(called, **params))
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)
