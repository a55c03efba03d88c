"""The simulated world against the MPI that is installed."""

import json
import sys
from pathlib import Path

import pytest

from sparring import world
from sparring.checks import launch
from sparring.world import Kind

PROGRAMS = [Path(__file__).with_name(name) for name in ("mpi_calls.py", "mpi_collectives.py")]
RUNNER = Path(__file__).with_name("on_real_ranks.py")
P = 3


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """What three real processes return, by file of programs: one launch for all."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    out = tmp_path_factory.mktemp("mpi") / "results.json"
    done = launch.run([sys.executable, *map(str, (RUNNER, out, *PROGRAMS))], P, timeout=60)
    assert done.returncode == 0, done.stdout
    return json.loads(out.read_text())


@pytest.mark.mpi
@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("scheduler", ["round-robin", "seeded"])
@pytest.mark.parametrize("file", PROGRAMS, ids=lambda path: path.stem)
def test_simulated_ranks_return_what_real_ones_do(real, file, scheduler, buffers):
    """Every program has the same results on every rank, under both schedulers and buffers."""
    outcome = world.run(f"{file}:everything", P, scheduler=scheduler, seed=3, buffers=buffers)
    assert {finding.kind for finding in outcome.findings} <= {Kind.LEAK}  # they end, and then all is freed
    for rank, (simulated, wanted) in enumerate(zip(outcome.results, real[str(file)], strict=True)):
        assert simulated.keys() == wanted.keys()
        for name in wanted:
            assert simulated[name] == wanted[name], (rank, name)
