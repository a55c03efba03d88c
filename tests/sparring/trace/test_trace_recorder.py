from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sparring import page
from sparring.checks.ranks import launch
from sparring.trace.compare import compare
from sparring.trace.files import read
from tests.sparring.trace.recorder_program import vector
from tests.sparring.trace.trace_targets import traced

PROGRAM = Path(__file__).with_name("recorder_program.py")
OURS = f"{PROGRAM.with_name('trace_targets.py')}:ours"


def channels(trace):
    """What is sent, channel by channel in the order of posting."""
    told = {}
    for e in trace.sends():
        told.setdefault((e.rank, e.peer), []).append((e.tag, e.context, e.count, e.dtype, e.nbytes, e.digest))
    return told


@pytest.mark.mpi
def test_the_recorder(tmp_path):
    """The recorder notes what it should, in every setting that the program makes.

    Recording changes no bit of our ring's result, and sees on every channel what the simulated world sees.
    """
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    done = launch.run([sys.executable, str(PROGRAM), str(tmp_path)], 4, timeout=110)
    assert done.returncode == 0, done.stdout
    for p in range(1, 5):
        for n in (0, 1, p, 2 * p + 1, 50_000):
            xs = [vector(r, n) for r in range(p)]
            seen = read(tmp_path / f"{p}-{n}")
            simulated = traced(OURS, xs)
            assert channels(seen) == channels(simulated)
            assert sum(map(len, channels(seen).values())) == 2 * p * (p - 1)
            assert {e.where.partition(":")[0] for e in seen.events} == {"ring.py"}
            for level in ("volume", "steps"):
                assert compare(page("ring"), xs, seen, level) is None


def test_importing_starts_no_mpi():
    """A driver can read and compare traces without an MPI library."""
    code = "import sys, sparring.trace.compare, sparring.trace.recorder; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
