"""Rounds of launches: who is launched how often, and what becomes of an algorithm that fails."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from sparring.checks.ranks.launch import TimedOut
from sparring.libraries import timing
from sparring.libraries.selection import OWN, Algorithm
from sparring.libraries.timing import Answer

ALGORITHMS = [Algorithm("allreduce", name) for name in (OWN, "a", "b", "c")]


@pytest.fixture
def launches(monkeypatch):
    """Launches that end at once: "b" refuses a length, "c" dies in its second."""
    made = []

    def launched(algorithm, ranks, sizes):
        made.append(algorithm.name)
        if algorithm.name == "c" and made.count("c") == 2:
            return Answer([], "it died")
        if algorithm.name == "b":
            return Answer([None, 2.0], "not with so few")
        return Answer([1.0, 2.0])

    monkeypatch.setattr(timing, "launched", launched)
    return made


def test_each_round_launches_each_algorithm_once_in_another_order(launches):
    told = []
    found = timing.timed(ALGORITHMS, 2, (1, 8), 0, told.append)
    assert (found.ranks, found.sizes, [*found.seconds]) == (2, [1, 8], [OWN, "a", "b"])
    assert found.seconds[OWN] == [[1.0, 2.0]] * timing.LEAST and found.seconds["b"] == [[None, 2.0]] * timing.LEAST
    assert found.failed == {"b": "not with so few", "c": "it died"}
    assert launches.count("c") == 2 and len(told) == timing.LEAST
    first, second = launches[:4], launches[4:8]
    assert sorted(first) == sorted(second) == sorted(one.name for one in ALGORITHMS) and first != second


def test_rounds_go_on_until_the_next_would_be_late(launches, monkeypatch):
    now = iter(range(0, 10_000, 5))
    monkeypatch.setattr(timing.time, "monotonic", lambda: next(now))
    found = timing.timed(ALGORITHMS[:1], 2, (1, 8), 100)
    assert timing.LEAST < len(found.seconds[OWN]) <= 100 / 5


@pytest.mark.parametrize(
    ("done", "why"),
    [
        (subprocess.CompletedProcess([], 3, ""), "the ranks ended with code 3"),
        (subprocess.CompletedProcess([], 0, ""), "the ranks ended with code 0"),
        (TimedOut(["x"], 2, 1.0, ""), "the ranks did not end within 91.5 s"),
    ],
)
def test_ranks_that_fail_have_no_times(monkeypatch, done, why):
    """Also those that end well and leave no times."""
    seen = []

    def run(command, ranks, *, timeout, env):
        seen.append(env)
        if isinstance(done, Exception):
            raise done
        return done

    monkeypatch.setattr(timing.launch, "run", run)
    assert timing.launched(Algorithm("allreduce", "a", {"CHOOSE": "a"}), 2, [1]) == Answer([], why)
    assert seen[0]["CHOOSE"] == "a"


@pytest.mark.parametrize(("cores", "kept"), [({2, 5}, [{2}, {5}, {2}]), ({7}, [{7}] * 3)])
def test_each_rank_stays_on_a_core_of_its_own(monkeypatch, cores, kept):
    """Ranks that their launcher has bound already stay where they are."""
    seen = []
    monkeypatch.setattr(timing.os, "sched_getaffinity", lambda _: cores, raising=False)
    monkeypatch.setattr(timing.os, "sched_setaffinity", lambda _, mine: seen.append(mine), raising=False)
    for rank in range(3):
        timing.stay(rank)
    assert seen == kept


class Alone:
    """A communicator of one rank, for which nothing is to be told."""

    def bcast(self, value):
        return value


def test_time_does_not_end_before_each_length_was_timed_a_few_times(monkeypatch):
    now = iter(range(0, 10_000, 100))
    monkeypatch.setattr(timing.measuring.time, "monotonic", lambda: next(now))
    alone: Any = Alone()
    deadline = timing.Deadline(alone, 1.0, lambda _: None)
    assert [deadline.over(rounds) for rounds in range(timing.FEWEST + 2)] == [False] * timing.FEWEST + [True] * 2
