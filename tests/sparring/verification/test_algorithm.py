"""verify finds a fault wherever it is planted: in the page, in the implementation, in its conduct."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import sparring
from sparring.checks.ranks.launch import find
from sparring.errors import InputError, MissingExtra, RankFailed
from sparring.proofs.logic.verdicts import NOT_COVERED, Word
from sparring.refinement import running
from sparring.verification import algorithm, plans
from tests.sweeps import third

pytestmark = pytest.mark.usefixtures("proved_once")
RING = sparring.page("ring")
SMALL = plans.Plan(terms=(1, 3), numbers=(1, 3))

IMPLEMENTATION = """\
import numpy as np
from sparring.impl import ring

def allreduce(comm, x):
    y = ring.allreduce(comm, x)
    {}
    return y
"""
FAULTS = {
    "terms": "y[:] = ring.allreduce(comm, x + x)",
    "agreement": "y = y + y if comm.Get_rank() else y",
    "deadlock": "comm.Get_size() > 1 and comm.Get_rank() == 0 and comm.Recv(y, 1)",
    "hygiene": "comm.Isend(y, (comm.Get_rank() + 1) % comm.Get_size())",
    "input untouched": "x[:] = y",
    "dtypes": "y = y.astype(np.float64) if x.dtype == np.float32 and x.size < 100 else y",
    "gradients": "y = y[::-1] if x.size > 100 else y",
    "long vectors": "y[1 << 16 :] = 0",
    "steps": "comm.Sendrecv(y, (comm.rank + 1) % comm.size, recvbuf=x.copy(), source=(comm.rank - 1) % comm.size)",
}


WILDCARD = """\
from mpi4py import MPI
    if comm.Get_size() > 2:
        if comm.Get_rank() == 0:
            inbox = x.copy()
            comm.Recv(inbox, MPI.ANY_SOURCE)
            comm.Recv(inbox, MPI.ANY_SOURCE)
        elif comm.Get_rank() < 3:
            comm.Send(x, 0)"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Makes verify take an implementation with that line in it for the ring's."""

    def plant(line: str):
        file = tmp_path / "mine.py"
        file.write_text(IMPLEMENTATION.format(line), encoding="utf-8")
        monkeypatch.setattr(algorithm, "implementation", lambda page: f"{file}:allreduce")

    return plant


def verdicts(plan=SMALL, page=RING) -> dict[str, Word]:
    results = algorithm.verify_page(plan, page, lambda items, _: items)
    return {r.property: r.verdict.word for r in results}


def test_the_correct_twin_passes(planted):
    """A wrapper that changes nothing is as good as what it wraps."""
    planted("pass")

    assert Word.REFUTED not in verdicts().values()


@pytest.mark.parametrize("prop", third(FAULTS))
def test_each_property_is_refuted_by_its_fault(planted, prop):
    """And what the fault does not touch is not."""
    planted(FAULTS[prop])

    found = verdicts()

    assert found[prop] is Word.REFUTED
    assert found["result"] is Word.PROVED


def test_what_runs_did_not_come_to_is_undecided(planted):
    """All but those on one rank wait for ever: nothing can be said of what they would have come to."""
    planted(FAULTS["deadlock"])
    found = verdicts()
    assert {found[prop] for prop in ("dtypes", "steps", "hygiene", "input untouched", "terms")} == {Word.UNDECIDED}
    assert found["deadlock"] is Word.REFUTED  # though it is proved of the page


def test_code_that_takes_the_world_waits_for_ranks_without_a_part(planted):
    """Runs on a communicator of some ranks show it."""
    planted("from mpi4py import MPI; comm.Barrier()")
    assert Word.REFUTED not in verdicts().values()
    planted("from mpi4py import MPI; MPI.COMM_WORLD.Barrier()")
    assert verdicts()["deadlock"] is Word.REFUTED


OTHERWISE = """\
import numpy as np
from sparring.impl.core.arguments import opened
from sparring.impl.core.transport import exchange

def allreduce(comm, x, /, *, out=None, validate=True):
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    parts = {r: x.copy()}
    for far in range(1, p):
        parts[(r - far) % p] = np.empty_like(x)
        exchange(own, parts[r], (r + far) % p, parts[(r - far) % p], (r - far) % p)
    for c in range(p):
        block = slice(c * x.size // p, (c + 1) * x.size // p)
        sums = parts[c][block]
        for far in range(1, p):
            sums = sums + parts[(c + far) % p][block]
        y[block] = sums + y.dtype.type(0)
    return y
"""


def test_another_algorithm_with_the_same_bits_is_not_this_one(tmp_path, monkeypatch):
    """Whole vectors to everybody, added in the ring's order: steps are refuted, and nothing is said of its peers."""
    file = tmp_path / "mine.py"
    file.write_text(OTHERWISE, encoding="utf-8")
    monkeypatch.setattr(algorithm, "implementation", lambda page: f"{file}:allreduce")
    results = {r.property: r for r in algorithm.verify_page(SMALL, RING, lambda items, _: items)}

    assert {prop for prop, result in results.items() if result.verdict.word is Word.REFUTED} == {"steps"}
    assert (results["peers"].verdict, results["lines"].verdict.word) == (NOT_COVERED, Word.TESTED)
    assert results["peers"].detail == "no run called ring.cut, ring.given, ring.left, ring.passed, ring.right"


def test_messages_on_the_callers_communicator_are_found(planted):
    """They meet a receive of the caller's own, which waits for any tag."""
    planted(FAULTS["steps"])
    results = {r.property: r for r in algorithm.verify_page(SMALL, RING, lambda items, _: items)}

    assert results["hygiene"].verdict.word is Word.REFUTED
    assert "mine.py:6" in results["hygiene"].detail, results["hygiene"].detail


def test_one_rank_alone_sends_nothing():
    """Then nothing is said of messages, nor of peers."""
    results = {
        r.property: r
        for r in algorithm.verify_page(SMALL._replace(numbers=(1,), terms=(1,)), RING, lambda items, _: items)
    }
    assert {prop for prop, r in results.items() if r.verdict.word is Word.UNDECIDED} == set()
    assert (results["steps"].verdict, results["peers"].verdict) == (NOT_COVERED, NOT_COVERED)


def test_what_no_run_reaches_is_named(planted):
    """A line, and a way that is left out; nothing is claimed where another tool watches the process."""
    planted("if x.size > 1 << 20:\n        y = y + 1")
    plan = SMALL._replace(terms=(2,), numbers=(2,))
    found = next(r for r in algorithm.verify_page(plan, RING, lambda items, _: items) if r.property == "lines")
    assert (found.verdict, found.detail) == (NOT_COVERED, "no run reached, in mine.py, line 7, 6 the other way")

    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        results = {r.property: r for r in algorithm.verify_page(plan, RING, lambda items, _: items)}
    finally:
        sys.settrace(before)
    assert {prop for prop, r in results.items() if "another tool traces" in r.detail} == {"lines", "peers"}


@pytest.mark.parametrize("ours", [True, False])
def test_a_tracer_of_the_users_own_sees_the_page_run(ours, monkeypatch):
    """Ours, which is there for implementations, does not; both see the implementation."""
    seen = set()

    def tracer(frame, *_):
        seen.add(frame.f_code.co_filename.rpartition("sparring/")[2])

    monkeypatch.setattr(running, "WATCHERS", [tracer] if ours else [])
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert running.on_numbers(RING, "sparring.impl.ring:allreduce", [np.ones(2)] * 2, "result") == []
    finally:
        sys.settrace(before)
    assert {"spec/ring.py", "impl/ring.py"} & seen == {"impl/ring.py", *([] if ours else ["spec/ring.py"])}


def test_a_wrong_page_is_refuted_and_so_is_the_implementation_against_it():
    """The comparison has two sides; both are told."""
    wrong = replace(RING, steps=lambda p: RING.steps(p) - (1 if not isinstance(p, int) or p > 1 else 0))

    found = verdicts(page=wrong)

    assert (found["result"], found["terms"]) == (Word.REFUTED, Word.REFUTED)


def test_one_schedule_of_a_run_outside_the_fragment_is_only_tested(planted):
    """A target that asks which request came first is not decided by one run."""
    planted(WILDCARD)

    results = {r.property: r for r in algorithm.verify_page(SMALL, RING, lambda items, _: items)}

    assert results["terms"].verdict.word is Word.TESTED
    assert "one schedule only" in results["terms"].detail


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec: pip install sparring[mpich]")
def test_real_mpi_is_one_of_the_properties(planted):
    """Under mpiexec the implementation's bits are the reference's; a fault there is refuted there."""
    plan = SMALL._replace(on="mpi")

    assert verdicts(plan)["mpi"] is Word.TESTED
    assert verdicts(plan)["terms"] is Word.NOT_COVERED
    planted("y = y + 1 if comm.Get_rank() == 1 else y")
    assert verdicts(plan)["mpi"] is Word.REFUTED


@pytest.mark.parametrize(
    ("on", "word"), [("mpi", Word.UNDECIDED), ("both", Word.NOT_COVERED), ("simulated", Word.NOT_COVERED)]
)
def test_a_missing_launcher_counts_only_where_mpi_alone_was_asked_for(monkeypatch, on, word):
    """Otherwise it reads not covered, with the sentence that helps."""

    class Missing:
        def __init__(self, size):
            raise MissingExtra("no mpiexec")

    monkeypatch.setattr(algorithm, "Group", Missing)

    assert verdicts(SMALL._replace(on=on))["mpi"] is word


def test_a_rank_that_fails_under_mpiexec_refutes(monkeypatch):
    """With its own traceback."""

    class Failing:
        def __init__(self, size):
            raise RankFailed(1, "Traceback: planted")

    monkeypatch.setattr(algorithm, "Group", Failing)
    results = {r.property: r for r in algorithm.verify_page(SMALL._replace(on="mpi"), RING, lambda items, _: items)}

    assert results["mpi"].verdict.word is Word.REFUTED
    assert "rank 1 failed" in results["mpi"].detail


@pytest.mark.parametrize("asked", [{"ranks": []}, {"ranks": [0, 1]}, {"on": "cloud"}], ids=repr)
def test_what_cannot_be_planned_is_refused(asked):
    """One sentence."""
    with pytest.raises(InputError):
        sparring.verify("ring", **asked)


def test_full_runs_terms_for_all_numbers_of_ranks_to_64():
    """The plan of --full; it is not run here."""
    full, first = (plans.plan(None, full=full, on="both") for full in (True, False))
    assert full.terms == tuple(range(1, 65)) and {*full.gradients} >= {*full.numbers}
    assert {*range(1, 10)} == {*first.terms} < {*full.terms}


LENGTHS = """\
from sparring.spec.core.model import chunk_words
from sparring.spec.ring import adds, chunk, dst, holds, src, steps


def words(c, p, n):
    return chunk_words(c, p, n) + {}
"""


@pytest.mark.parametrize(("more", "word"), [(1, Word.REFUTED), (0, Word.PROVED)])
def test_what_is_judged_is_shown_though_such_pages_need_not_state_it(tmp_path, more, word):
    """Of whole chunks a page need not say how long they are; where it does and is wrong, that is no secret."""
    (tmp_path / "mine.py").write_text(LENGTHS.format(more))
    report = sparring.verify(f"{tmp_path}/mine.py")

    assert [r.verdict.word for r in report.results if r.property == "sizes"] == [word]
    assert report.verdict == ("holds" if word is Word.PROVED else "refuted")
