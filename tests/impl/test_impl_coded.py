"""Allreduces that code gradients give their pages' bits and bytes on simulated and real ranks; faults are found."""

from __future__ import annotations

import functools
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl.core.everyone import above, begin, below
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import Case, vectors
from sparring.proofs.core.refinement import difference, sizes

TARGETS = Path(__file__).with_name("coded_targets.py")
DTYPES = ("float32", "float64")
WAYS = {
    "one_bit": [{}, {"norm": 1}],
    "thc": [{}, {"bits": 1, "seed": 3}, {"bits": 7}, {"bits": 8}],
    "qsgd": [{}, {"levels": 1, "by_max": 1}, {"levels": 15, "seed": 2}, {"levels": 300}],
}
WRONG = {
    "one_bit": [({"norm": 0}, "norm = 0: it must be a whole number, 1 or more"), ({"norm": 1}, "norm=1")],
    "thc": [({"bits": 0}, "bits = 0: it must be a whole number, 1 or more"), ({"seed": 2}, "seed=2"),
            ({"seed": -1}, "seed = -1: it must be a whole number, 0 or more"), ({"bits": 9}, "bits=9")],
    "qsgd": [({"levels": 0}, "levels = 0: it must be a whole number, 1 or more"), ({"seed": 2}, "seed=2"),
             ({"by_max": -1}, "by_max = -1: it must be a whole number, 0 or more"), ({"by_max": 1}, "by_max=1")],
}  # fmt: skip
BEYOND = {
    "one_bit": ({"norm": 3}, "norm = 3: it must be 1 or 2"),
    "thc": ({"bits": 9}, "bits = 9: a code must have 1 to 8 bits"),
    "qsgd": ({"levels": 65537}, "levels = 65537: there must be 1 to 65536"),
}
FAULTS = {
    "one_bit": [
        ("OneBitOwnerExact", "result"), ("OneBitNotAdded", "result"), ("OneBitServerForgets", "result"),
        ("OneBitZeroIsMinus", "result"), ("OneBitOtherOrder", "steps"),
    ],
    "thc": [
        ("ThcNearest", "result"), ("ThcSameChances", "result"), ("ThcTooFewBits", "volume"), ("ThcOwnGrid", "result"),
        ("ThcOwnerExact", "agreement"),
    ],
    "qsgd": [
        ("QsgdNearest", "result"), ("QsgdByMax", "result"), ("QsgdOneUnit", "agreement"), ("QsgdOwnExact", "agreement"),
        ("QsgdNoSigns", "volume"),
    ],
}  # fmt: skip
TWINS = {"one_bit": "OneBitTwin", "thc": "ThcTwin", "qsgd": "QsgdTwin"}
EACH = [(name, i) for name, ways in WAYS.items() for i in range(len(ways))]


def expected(name, xs, **params):
    """By rank the page's results, call after call, one after the other."""
    done = [*iterations.expected(sparring.page(name, **params), xs)]
    return [np.concatenate([call[r].result for call in done]) for r in range(len(xs))]


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Every rank sends to every other and hears from every other; blocks are all of the vector."""
    for r in range(p):
        assert sorted(above(r, i, p) for i in range(p)) == sorted(below(r, i, p) for i in range(p)) == [*range(p)]
        assert all(below(above(r, i, p), i, p) == r for i in range(p))
    for n in (0, 1, p, 3 * p + 1):
        ends = [begin(c, n, p) for c in range(p + 1)]
        assert (ends[0], ends[-1]) == (0, n) and ends == sorted(ends)


@pytest.mark.parametrize(("name", "i"), EACH)
@pytest.mark.parametrize("p", [*range(1, 10), *(pytest.param(p, marks=pytest.mark.slow) for p in range(10, 17))])
def test_simulated(p, name, i):
    """The page's bits on all ranks, call after call, whatever is in the vectors."""
    params = WAYS[name][i]
    for n in sizes(p)[i % 2 :: 2]:
        flaws = iterations.on_numbers(
            sparring.page(name, **params), f"sparring.impl.{name}:Allreduce",
            Case(0, vectors(DTYPES[(p + n) % 2], p, n)), "result",
        )  # fmt: skip
        assert flaws == []


@pytest.mark.mpi
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p, name):
    """So also under MPI."""
    for i, n in enumerate(sizes(p)):
        params = WAYS[name][i % len(WAYS[name])]
        xs = vectors(DTYPES[(p + i) % 2], p, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            wanted = expected(name, xs, **params)
        ran = group.run(f"{TARGETS}:calls", xs, name=name, **params)
        assert all(difference(y, right) is None for y, right in zip(ran, wanted)), n


@pytest.mark.mpi
@pytest.mark.parametrize("name", WAYS)
def test_large(group, name):
    """Messages far above the size that MPI sends eagerly: all ranks have the same bits."""
    xs = [np.random.default_rng(r).standard_normal((2, 300_001)).astype(np.float32) for r in range(3)]
    first, *rest = group.run(f"{TARGETS}:calls", xs, name=name)
    assert all(y.tobytes() == first.tobytes() for y in rest)
    assert np.isfinite(first).all()


@pytest.mark.parametrize(("name", "i"), EACH)
def test_check_compares_its_messages_step_by_step(name, i):
    """A run is the page's, message by message."""
    report = sparring.check(
        f"sparring.impl.{name}:Allreduce", name, level="steps", ranks=[1, 2, 3, 5], max_examples=10, **WAYS[name][i]
    )
    assert report.verdict == "holds"


def refuted(target, name):
    """The properties that are."""
    report = sparring.check(f"{TARGETS}:{target}", name, level="steps", ranks=[1, 2, 3], max_examples=20)
    return {one.property for one in report.results if str(one.verdict) == "refuted"}


@pytest.mark.parametrize(("name", "fault", "what"), [(name, *one) for name, ones in FAULTS.items() for one in ones])
def test_a_planted_fault_is_found(name, fault, what, tmp_path, monkeypatch):
    """Each leaves the page, and by what it says."""
    monkeypatch.chdir(tmp_path)
    assert what in refuted(fault, name)


@pytest.mark.parametrize("name", TWINS)
def test_the_same_class_without_a_fault_holds(name):
    """So that it is the fault that is found."""
    assert refuted(TWINS[name], name) == set()


def told(name, wrong, bad, p=3):
    """By rank the text of its error, of which each has one."""
    call = functools.partial(lambda function, comm, x, **how: function(comm, x, **how), name=name, wrong=wrong, bad=bad)
    outcome = world.run(f"{TARGETS}:refused", p, [np.ones(5)] * p, call=call)
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]


@pytest.mark.parametrize(("name", "wrong", "text"), [(name, *one) for name, ones in WRONG.items() for one in ones])
def test_bad_parameters_are_told_on_all_ranks(name, wrong, text):
    texts = told(name, wrong, 1)
    assert all(texts) and text in texts[1]


@pytest.mark.parametrize("name", WAYS)
def test_whole_numbers_are_told_on_all_ranks(name):
    texts = told(name, {}, 2)
    assert texts[2].startswith("x has dtype int64: it must be float32 or float64")
    assert texts[0] == texts[1] == "rank 2's arguments are refused, as its own error says; nothing was computed"


@pytest.mark.parametrize("name", BEYOND)
def test_what_no_rank_may_have(name):
    """All ranks are wrong in the same way."""
    params, text = BEYOND[name]
    assert told(name, params, 0, p=1) == [text]


@pytest.mark.parametrize("name", WAYS)
def test_importing_starts_no_mpi(name):
    """The arithmetic can be read without an MPI library."""
    code = f"import sys, sparring.impl.{name}; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
