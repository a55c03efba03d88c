"""The program that runs the same cases of real MPI many times sees what it is for."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparring.checks.ranks import launch

PROGRAM = Path(__file__).parents[2] / "benchmarks/repeated.py"


@pytest.fixture(scope="module")
def program():
    return runpy.run_path(str(PROGRAM))


def said(word="right", sentence="", seconds=1.0):
    return {"a case": {"word": word, "sentence": sentence, "seconds": seconds}}


@pytest.mark.parametrize(
    ("wrong", "counted"),
    [
        ({}, {}),
        ({"said": None}, {"hangs": 1}),
        ({"left": ["process 5", "a file"]}, {"orphans": 2}),
        ({"said": said("wrong")}, {"differing verdicts": 1}),
        ({"said": said(sentence="rank 1")}, {"differing sentences": 1}),
    ],
)
def test_what_is_counted(program, wrong, counted):
    """A run that hangs, what it leaves, and what it says otherwise."""
    right = program["Run"](said(), [], 3.0)
    found = program["summary"]([right, right._replace(**wrong), right])
    names = ("hangs", "orphans", "differing verdicts", "differing sentences")
    assert {name: found[name] for name in names} == {**dict.fromkeys(names, 0), **counted}
    assert "a case" in program["table"](found)


def test_a_process_that_lives_on_is_seen_and_ended(program):
    """Also one in a session of its own."""
    line = "import subprocess; print('{}'); subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=-3)"
    run = program["played"](["-c", line], 20)
    ((word, pid),) = [one.split() for one in run.left]
    assert (run.said, word) == ({}, "process")
    end = time.monotonic() + 5
    while int(pid) in launch.processes() and time.monotonic() < end:
        time.sleep(0.05)
    assert int(pid) not in launch.processes()


def test_a_run_that_hangs_is_seen_and_ended(program):
    """And what it has started is no orphan of a run that came to its end."""
    run = program["played"](["-c", "import time; time.sleep(60)"], 0.5)
    assert (run.said, run.left) == (None, [])


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
def test_twice(tmp_path):
    """Two runs say the same, and leave nothing."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--runs", "2"], cwd=tmp_path, capture_output=True, text=True, timeout=110,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[1])}, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("2 runs, 0 hangs, 0 orphans, 0 differing verdicts, 0 differing sentences;")
    assert done.returncode == 0
