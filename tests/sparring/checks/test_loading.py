"""Ranks load a target first; what that takes, or keeps them from it, is no matter of an example."""

from __future__ import annotations

import signal
import time
from functools import partialmethod
from pathlib import Path

import numpy as np
import pytest

from sparring.checks import checking, places
from sparring.checks.checking import check
from sparring.checks.ranks import group
from sparring.checks.ranks.answers import Examined
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from sparring.refinement.example import Example
from tests.sparring.calling import called
from tests.sparring.checks.refuting import failed, words

SWALLOWING = """while comm.rank == 0:
        try:
            time.sleep(0.1)
        except Exception:
            pass"""
RIGHT = """\
import time

import numpy as np

{}
begun = []

def allreduce(comm, x):
    if not begun:
        time.sleep({})
        begun.append(comm)
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def hangs(comm, x):
    if comm.rank == 0 and comm.size > 1:
        comm.Recv(np.empty(1), 1, 99)
    return allreduce(comm, x)
"""
UNLOADABLE = {
    "raises": ("raise ImportError('no such library')", "ImportError: no such library"),
    "is no Python": ("def", "SyntaxError"),
    "waits": ("time.sleep(60)", "time.sleep(60)"),
}


@pytest.fixture
def hurried(monkeypatch):
    """Whatever loads for a second loads for ever."""
    monkeypatch.setattr(group, "LOADING", 1.0)
    monkeypatch.setattr(places, "LOADING", 1.0)


@pytest.mark.parametrize("what", UNLOADABLE)
def test_what_does_not_load_is_bad_input(target, hurried, what):
    """With its own traceback."""
    line, said = UNLOADABLE[what]
    with pytest.raises(InputError, match=r"mine\.py:allreduce d(oes|id) not load") as error:
        check(target(RIGHT.format(line, 0)))
    assert said in str(error.value) and 'mine.py", line' in str(error.value)


@pytest.mark.parametrize("line", ["while comm.rank == 0: pass", "comm.rank or threading.Event().wait()", SWALLOWING])
def test_what_turns_for_ever_stops_the_simulated_world(target, monkeypatch, line):
    """No verdict, since real ranks may do better, but the line; no second example is waited for."""
    monkeypatch.setattr(places.Simulated, "__init__", partialmethod(places.Simulated.__init__, patience=0.5))
    source = RIGHT.format("import threading", 0).replace("    if not begun:", f"    {line}\n    if not begun:")
    report = check(target(source), only=["result", "agreement"])
    assert words(report) == {"result": Word.NOT_COVERED, "agreement": Word.NOT_COVERED}
    assert report.verdict != "holds"
    for result in report.results:
        assert result.detail.startswith("no end within 0.5 s, and no message is waited for: a rank is at ")
        assert result.detail.endswith("in allreduce; --on mpi judges it")
        assert "mine.py:" in result.detail


@pytest.mark.mpi
def test_so_it_does_on_real_ranks(target, launcher, monkeypatch, unshrunk):
    """And in the simulated run that looks for a smaller example."""
    monkeypatch.setattr(checking, "TIMEOUT", 0.5)
    source = RIGHT.format("", 0).replace("    if not begun:", "    while comm.rank == 0: pass\n    if not begun:")
    report = check(target(source), on="mpi", ranks=[2], only=["result"], timeout=0.5)
    assert failed(report).keys() == {"deadlock"}


def test_an_alarm_of_somebody_else_goes_off_in_its_time(target, monkeypatch):
    """pytest-timeout's, for one."""
    gone_off: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: gone_off.append(number))
    theirs, _ = signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        places.Simulated().load(target(RIGHT.format("", 0)))
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 0 < left < 0.3
        time.sleep(0.4)
        assert gone_off == [signal.SIGALRM]
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, theirs)


@pytest.mark.mpi
@pytest.mark.parametrize("what", [*UNLOADABLE, "ends"])
def test_on_real_ranks_too(target, hurried, launcher, what):
    """Also where a process ends with it."""
    line, said = {**UNLOADABLE, "ends": ("import os; os._exit(3)", "the process ended without an answer")}[what]
    code, _, sentence = called("check", target(RIGHT.format(line, 0)), "--on", "mpi", "--ranks", "2")
    assert code == 2
    assert "mine.py:allreduce does not load" in sentence
    assert said in sentence or (what == "waits" and 'mine.py", line 5 in <module>' in sentence)


@pytest.mark.slow
@pytest.mark.mpi
def test_time_is_the_calls(target, launcher, monkeypatch, unshrunk):
    """A long import is nobody's fault, nor a first call that is longer than an example may be; a hang is found."""
    monkeypatch.setattr("sparring.checks.checking.TIMEOUT", 0.8)
    slow = target(RIGHT.format("time.sleep(1.8)", 1))
    assert words(check(slow, on="mpi", ranks=[2], max_examples=10, only=["result"])) == {"result": Word.TESTED}
    Path("quick.py").write_text(RIGHT.format("", 0), encoding="utf-8")
    hung = failed(check("quick.py:hangs", on="mpi", ranks=[3], max_examples=10, only=["result"]))
    assert hung.keys() == {"deadlock"}
    assert "ranks 0, 1, 2 of 3 did not answer within" in hung["deadlock"]
    for place in ("rank 0 is here:", "ranks 1, 2 are here:", "line 18 in hangs", "line 13 in allreduce"):
        assert place in hung["deadlock"]
    assert "recorder.py" not in hung["deadlock"]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(("imported", "first", "each"), [(5, 4, 0), (0, 0, 1.5)])
def test_slow_ones_have_time_enough(target, launcher, imported, first, each):
    """By default: a slow import, a slow first call, and one where every call is slow."""
    source = RIGHT.format(f"time.sleep({imported})", first).replace("    y = np", f"    time.sleep({each})\n    y = np")
    report = check(target(source), on="mpi", ranks=[2], max_examples=3, only=["result"])
    assert words(report) == {"result": Word.TESTED}


class Needing:
    """Ranks whose examples need ``seconds`` of a clock of their own, and hang where they get less."""

    size = 8

    def __init__(self, monkeypatch):
        self.now, self.seconds, self.limits = 0.0, 0.0, []
        monkeypatch.setattr(places.time, "monotonic", lambda: self.now)

    def load(self, target):
        self.now += 50

    def examine(self, target, xs, *, timeout, **how):
        self.limits.append(timeout)
        self.now += min(self.seconds, timeout)
        if self.seconds > timeout:
            raise group.Hang([0], len(xs), timeout, {0: ""})
        return Examined([list(xs)], list(xs), None, [])


def limits(ranks, *played, **how):
    """What examples of so many ranks that need so many seconds get."""
    ranks.limits.clear()
    real = places.Real(ranks, timeout=10, **how)
    for p, ranks.seconds in played:
        real.observe("mine.py:allreduce", Example([np.zeros(2)] * p, "result"))
    return ranks.limits


def test_the_time_follows_what_the_target_needs(monkeypatch):
    """More for first examples of a rank, four times what the slowest needed, up to a minute; little after a hang."""
    ranks = Needing(monkeypatch)
    assert limits(ranks, (1, 1), (2, 1), (1, 1), (2, 1), (3, 1), fixed=False) == [20, 20, 10, 10, 20]
    assert limits(ranks, (2, 9), (2, 30), (2, 50), (2, 1), fixed=False) == [20, 36, 60, 60]
    assert limits(ranks, (2, 1), (2, 99), (2, 1), (2, 1), fixed=False) == [20, 10, 4, 4]
    assert limits(ranks, (2, 8), (2, 99), (2, 1), fixed=False) == [20, 32, 32]
    assert limits(ranks, (1, 1), (1, 1), fixed=False, costly=False) == [10, 10]
    assert limits(ranks, (1, 9), (2, 99), (1, 1), fixed=True) == [10, 10, 10]


@pytest.mark.mpi
def test_a_time_that_is_given_holds(target, launcher, unshrunk):
    """Nothing is played twice."""
    report = check(target(RIGHT.format("", 1)), on="mpi", ranks=[2], max_examples=5, only=["result"], timeout=0.2)
    assert failed(report).keys() == {"deadlock"}
    assert "did not answer within 0.2 s" in failed(report)["deadlock"]
