"""Under mpiexec the ranks of the job share the algorithms."""

import json
import sys

import pytest

import sparring
from sparring.checks.ranks import launch

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
NAMES = ("ring_allgather", "ring")
COMMAND = [sys.executable, "-c", "from sparring.cli import main; main()", "verify"]


@pytest.mark.slow
def test_the_ranks_of_a_job_share_the_work(proved_once):
    """Under mpiexec rank 0 tells, once, what one process alone tells; the others work for it."""
    command = [*COMMAND, *NAMES, "--ranks", "1,2", "--json"]
    done = launch.run(command, 3, timeout=120)
    alone = sparring.verify(*NAMES, ranks=[1, 2])

    assert done.returncode == 0, done.stdout
    told = json.loads(done.stdout)
    assert told["verdict"] == "holds"
    assert told["algorithms"] == alone.extra["algorithms"] and list(told["algorithms"]) == list(NAMES)


@pytest.mark.parametrize("option", ["--jobs=2", "--on=mpi"])
def test_processes_within_a_job_are_refused(option):
    """The ranks are the processes, and mpiexec starts no mpiexec."""
    done = launch.run([*COMMAND, "ring", option], 2, timeout=60)

    assert done.returncode == 2
    assert "under mpiexec its ranks are the processes: no --jobs, and no --on" in done.stdout
