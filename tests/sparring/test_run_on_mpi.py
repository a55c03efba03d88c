"""``sparring run`` on real ranks: as the driver of a group, and as the program that mpiexec starts."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from sparring.checks import launch

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
COMMAND = [sys.executable, "-c", "from sparring.cli import main; main()", "run"]


def job(ranks, *args):
    """``mpiexec -n RANKS sparring run ARGS``."""
    return launch.run([*COMMAND, *map(str, args)], ranks, timeout=60)


def test_a_job_compares_itself_with_the_reference(tmp_path):
    """One answer for the whole job, from rank 0."""
    file = tmp_path / "mine.npz"
    np.savez(file, np.random.default_rng(1).standard_normal((3, 50)))

    done = job(3, "ring", "--input", file, "--json")

    assert done.returncode == 0, done.stdout
    envelope = json.loads(done.stdout)
    assert (envelope["verdict"], envelope["run"]["on"], envelope["run"]["ranks"]) == ("holds", "this MPI job", 3)
    assert envelope["results"][0]["detail"] == "on every rank the reference's bits"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["rinng"], "no algorithm 'rinng'"),
        (["ring", "--ranks", 5], "--ranks 5, but mpiexec started 3 ranks"),
        (["ring", "--input", "nothing.npz"], "nothing.npz"),
    ],
    ids=["algorithm", "ranks", "input"],
)
def test_bad_input_is_told_once_and_ends_the_job(args, sentence):
    """Not once a rank, with exit code 2, and in no time."""
    done = job(3, *args)

    assert done.returncode == 2
    assert done.stdout.count(sentence) == 1


def test_a_rank_that_raises_takes_the_job_down(tmp_path):
    """With its own traceback; nobody waits for it."""
    program = tmp_path / "program.py"
    program.write_text(
        "from sparring import api, runs\n"
        "from sparring.checks import target\n"
        "target.load = lambda name: lambda comm, x: 1 / 0 if comm.Get_rank() == 1 else comm.Barrier()\n"
        "print(api.run_report('ring'))\n"
    )

    done = launch.run([sys.executable, str(program)], 3, timeout=60)

    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stdout


def test_the_driver_runs_real_ranks(sparring_on_mpi):
    """``--on mpi`` without mpiexec starts the ranks itself."""
    assert sparring_on_mpi["verdict"] == "holds"
    assert sparring_on_mpi["run"]["on"] == "real MPI"


@pytest.fixture
def sparring_on_mpi():
    from click.testing import CliRunner

    from sparring.cli import cli

    return json.loads(CliRunner().invoke(cli, ["run", "ring", "--ranks", "3", "--on", "mpi", "--json"]).stdout)
