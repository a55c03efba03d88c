"""The simulated world against the MPI that is installed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparring import world
from sparring.world import Kind

PROGRAMS = [Path(__file__).with_name(name) for name in ("mpi_programs.py", "mpi_calls.py", "mpi_collectives.py")]
MPIEXEC = Path(sys.executable).with_name("mpiexec")
P = 3


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda path: path.stem)
def real(request, tmp_path_factory):
    """A file of programs, and what three real processes return: one launch for each file."""
    if not MPIEXEC.exists():
        pytest.skip(f"no {MPIEXEC}: install sparring[mpich]")
    out = tmp_path_factory.mktemp("mpi") / "results.json"
    command = [str(MPIEXEC), "-n", str(P), sys.executable, str(request.param), str(out)]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        try:
            said, _ = job.communicate(timeout=60)
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
    assert job.returncode == 0, said.decode()
    return request.param, json.loads(out.read_text())


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("scheduler", ["round-robin", "seeded"])
def test_simulated_ranks_return_what_real_ones_do(real, scheduler, buffers):
    """Every program has the same results on every rank, under both schedulers and buffers."""
    outcome = world.run(f"{real[0]}:everything", P, scheduler=scheduler, seed=3, buffers=buffers)
    assert {finding.kind for finding in outcome.findings} <= {Kind.LEAK}  # they end, and then all is freed
    for rank, (simulated, wanted) in enumerate(zip(outcome.results, real[1], strict=True)):
        assert simulated.keys() == wanted.keys()
        for name in wanted:
            assert simulated[name] == wanted[name], (rank, name)
