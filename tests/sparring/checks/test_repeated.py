"""Real MPI again and again: the same verdicts, no hang, no orphan."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sparring.checks import launch
from sparring.checks.group import Group, Hang
from sparring.errors import RankFailed

BAD = Path(__file__).with_name("misbehaving.py")
XS = [np.arange(4.0) + r for r in range(3)]
RIGHT = [[3.0, 6.0, 9.0, 12.0]] * 3
WRONG = [RIGHT[0], [3.0, 6.0, 9.0, 13.0], RIGHT[0]]

EXAMPLES = {  # each failure ends its launch, so that there are three
    "total": RIGHT,
    "wrong": WRONG,
    "raises": ("RankFailed", 2, "ValueError: planted"),
    "hangs": ("Hang", (0,), "rank 0 of 3 did not answer within 0.5 s"),
    "exits": ("RankFailed", 1, ""),
}
JOB = f"""
import os, numpy as np
from sparring.checks.collective import Job
from sparring.errors import RankFailed

job, bad = Job(), {str(BAD)!r} + ":{{}}"
xs = [np.arange(4.0) + r for r in range(3)]
say = lambda *words: os.write(1, (" ".join(map(str, words)) + "\\n").encode())
say("pid", os.getpid())
say("total", [y.tolist() for y in job.examine(bad.format("total"), xs).ys[0]])
try:
    job.examine(bad.format("last_raises"), xs)
except RankFailed as failure:
    say("met", failure.rank)
job.examine(bad.format("raises"), xs)
say("never")
"""


def judged(group, name):
    """The verdict on one target, in comparable words."""
    try:
        return [y.tolist() for y in group.run(f"{BAD}:{name}", XS, timeout=0.5 if name == "hangs" else 30)]
    except Hang as hang:
        return "Hang", hang.ranks, str(hang).split("\n")[0]
    except RankFailed as failure:
        reason = failure.traceback.strip().split("\n")[-1]
        return "RankFailed", failure.rank, "" if name == "exits" else reason


def alive(pids):
    """Those that have not ended within five seconds."""
    end = time.monotonic() + 5
    while (left := set(pids) & set(launch.processes())) and time.monotonic() < end:
        time.sleep(0.01)
    return left


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.timeout(1500)
def test_thirty_groups(launcher):
    """A good example, a wrong result, a raising, a hanging and a dying rank: the verdicts never differ."""
    for _ in range(30):
        pids: set[int] = set()
        with Group(3) as group:
            for name, verdict in EXAMPLES.items():
                pids |= set(group.start().pids())
                assert judged(group, name) == verdict
        assert len(pids) >= 3 * 4  # three launches of a launcher and three ranks
        assert not alive(pids)


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.timeout(1500)
def test_thirty_jobs(launcher):
    """A good example, a failure at which all ranks meet, and one at which they cannot: never another end."""
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    for _ in range(30):
        done = launch.run([sys.executable, "-c", JOB], 3, timeout=30, env=env)
        lines = done.stdout.splitlines()
        assert done.returncode != 0
        assert [lines.count(s) for s in (f"total {RIGHT}", "met 2", "never")] == [3, 3, 0], done.stdout
        assert done.stdout.count("ValueError: planted") == 1, done.stdout
        assert "rank 2 of 3, outside of tests: Traceback" in done.stdout
        pids = [int(line.split()[1]) for line in lines if line.startswith("pid ")]
        assert len(pids) == 3
        assert not alive(pids)
