"""An example counts for a property only if it came to the point where that is looked at."""

from __future__ import annotations

import json

import pytest

from sparring.checks.checking import check
from sparring.proofs.logic.verdicts import Word
from tests.sparring.calling import called
from tests.sparring.checks.refuting import detail, failed, words

SOURCE = """\
import numpy as np

def total(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def raises(comm, x):
    raise ValueError("planted")

def raises_on_long_ones(comm, x):
    if x.size > 8:
        raise ValueError("planted")
    return total(comm, x)

def raises_when_called_again(comm, x, seen=set()):
    if id(comm) in seen:
        raise ValueError("planted")
    seen.add(id(comm))
    return total(comm, x)

def aborts(comm, x):
    if comm.rank == 1:
        comm.Abort(5)
    return total(comm, x)

def hangs(comm, x):
    if comm.rank == 0 and comm.size > 1:
        comm.Recv(x.copy(), 1, 99)
    return total(comm, x)

def sends_vectors_first(comm, x):
    got = np.empty_like(x)
    for _ in range(7):
        comm.Send(x, (comm.rank + 1) % comm.size)
        comm.Recv(got, (comm.rank - 1) % comm.size)
    return total(comm, x)

def sends_to_itself(comm, x):
    got = np.empty_like(x)
    request = comm.Isend(x, comm.rank)
    comm.Recv(got, comm.rank)
    request.Wait()
    return total(comm, x)

def leaves_a_message_and_resizes(comm, x):
    comm.Isend(x.copy(), (comm.rank + 1) % comm.size, 9)
    y = total(comm, x)
    x.resize(x.size + 1, refcheck=False)
    return y
"""


@pytest.fixture
def mine(target, unshrunk):
    """Judges one of these."""
    target(SOURCE)
    return lambda name, page="allreduce", **asked: check(f"mine.py:{name}", page, **asked)


@pytest.mark.parametrize("name", ["raises", "aborts", "hangs"])
def test_what_no_run_came_to_is_undecided(mine, name):
    """And what kept runs from it is refuted, in each place that is judged."""
    report = mine(name, ranks=[2, 3], max_examples=20)
    stopped = {"deadlock"} if name == "hangs" else {"result", "edge sizes", "dtypes"}
    looked = {prop: word for prop, word in words(report).items() if word is not Word.NOT_COVERED}

    assert set(failed(report)) == stopped
    assert looked == {**dict.fromkeys(looked, Word.UNDECIDED), **dict.fromkeys(stopped, Word.REFUTED)}
    why = detail(report, "agreement")
    assert why.startswith("0 of 20 examples came to it; the others failed before")


@pytest.mark.parametrize(("name", "stopped"), [("raises", "result"), ("hangs", "deadlock")])
def test_what_ends_runs_is_told_whatever_is_asked_for(mine, name, stopped):
    """The exit code says so, too."""
    report = mine(name, only=["agreement"], ranks=[2], max_examples=20)
    assert words(report) == {"agreement": Word.UNDECIDED, stopped: Word.REFUTED}
    assert report.exit_code == 1


def test_what_half_of_the_runs_came_to_is_tested_with_their_number(mine):
    """The others are told of."""
    report = mine("raises_on_long_ones", ranks=[3, 4], max_examples=40, only=["agreement"])
    (found,) = [r for r in report.results if r.property == "agreement"]
    assert Word.TESTED is found.verdict.word and 12 <= found.verdict.number < 24
    assert f"; {found.verdict.number} of 24 examples came to it; the others failed before" in found.detail


def test_a_second_call_that_raises_leaves_the_first_one_judged(mine):
    """Agreement is looked at; whether the same comes again is not."""
    report = mine("raises_when_called_again", max_examples=20)
    assert {"agreement": Word.TESTED, "reproducibility": Word.UNDECIDED, "result": Word.REFUTED}.items() <= (
        words(report).items()
    )


def test_messages_are_compared_behind_a_deadlock(mine):
    """The run with buffers came to its end; asked for alone, steps raise the level."""
    asked = {"ranks": [2, 3], "max_examples": 20}
    both = mine("sends_vectors_first", "ring", only=["steps", "deadlock"], level="steps", **asked)
    alone = mine("sends_vectors_first", "ring", only=["steps"], **asked)
    assert set(failed(both)) == {"steps", "deadlock"}
    assert "the page sends 1 entry" in failed(alone)["steps"]


def test_a_message_to_oneself_crosses_no_link(mine):
    """It is one too many, and ends no check."""
    report = mine("sends_to_itself", "ring", level="steps", ranks=[1, 2], max_examples=20)
    assert set(failed(report)) == {"steps", "volume"}
    assert words(report)["contention"] is Word.TESTED


@pytest.mark.slow
def test_inputs_are_compared_behind_what_is_left_lying(mine):
    """All ranks returned."""
    assert set(failed(mine("leaves_a_message_and_resizes"))) == {"hygiene", "input untouched", "own memory"}


@pytest.mark.mpi
def test_real_ranks_tell_the_same(mine, launcher, ranks):
    """Where no more is tried after a hang, runs on one rank are not taken for all."""
    raised = mine("raises", on="mpi", group=ranks, ranks=[2], only=["agreement"], max_examples=5)
    asked = {"group": ranks, "ranks": [1, 2], "only": ["agreement", "input untouched"], "max_examples": 20}
    hung = mine("hangs", on="mpi", timeout=0.5, **asked)
    assert words(raised) == {"agreement": Word.UNDECIDED, "result": Word.REFUTED}
    assert set(words(hung).values()) == {Word.UNDECIDED, Word.REFUTED}
    assert detail(hung, "agreement").endswith("those that did are of one rank alone")
    assert "no more were tried after one that did not come to its end" in detail(hung, "agreement")


def test_a_command_ends_so_too(mine):
    """With the exit code of what is refuted."""
    code, said, _ = called(
        "check", "mine.py:raises", "--only", "agreement", "--ranks", 2, "--max-examples", 10, "--json"
    )
    assert code == 1
    results = json.loads(said)["results"]
    assert [(r["property"], r["verdict"]) for r in results] == [("agreement", "undecided"), ("result", "refuted")]


def test_a_decorated_test_fails_with_what_it_does_not_ask_for(mine, project):
    """Agreement of the short vectors alone is no agreement."""
    text = (
        "from sparring import conformance\n"
        "from sparring.checks import engine\n"
        "engine.SHRINKING = 0.0\n"
        "@conformance('mine.py:raises_on_long_ones', only=['agreement'], ranks=[4], max_examples=20)\n"
        "def test_mine(check):\n    check()\n"
    )
    done = project(text)
    assert done.returncode == 1
    assert "refuted: result at p=" in done.stdout
