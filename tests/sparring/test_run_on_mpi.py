"""``sparring run`` on real ranks: as the driver of a group, and as the program that mpiexec starts."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from sparring.checks.ranks import launch, runtimes
from tests.sparring.calling import envelope_of, refused
from tests.sweeps import third

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
COMMAND = [sys.executable, "-c", "from sparring.cli import main; main()", "run"]


def job(ranks, *args):
    """``mpiexec -n RANKS sparring run ARGS``."""
    return launch.run([*COMMAND, *map(str, args)], ranks, timeout=60)


def unlike(first, others):
    """``mpiexec -n 1 sparring run FIRST : -n 2 sparring run OTHERS``."""
    return launch.run([*COMMAND, *first, ":", "-n", "2", *COMMAND, *others], 1, timeout=60)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with inputs, good and bad, to work in."""
    monkeypatch.chdir(tmp_path)
    parts = {"indices0": [1, 4], "values0": [1.0, 2.0], "indices1": [0, 1], "values1": [3.0, 4.0], "n": 6}
    np.savez("good.npz", **parts)
    np.savez("unsorted.npz", **{**parts, "indices1": [1, 0]})
    np.savez("missing.npz", **{name: part for name, part in parts.items() if name != "values1"})


def test_a_job_compares_itself_with_the_reference(tmp_path):
    """One answer for the whole job, from rank 0."""
    file = tmp_path / "mine.npz"
    np.savez(file, np.random.default_rng(1).standard_normal((2, 50)))

    done = job(2, "ring", "--input", file, "--json")

    assert done.returncode == 0, done.stdout
    envelope = json.loads(done.stdout)
    assert (envelope["verdict"], envelope["run"]["on"], envelope["run"]["ranks"]) == ("holds", "this MPI job", 2)
    assert envelope["results"][0]["detail"] == "on every rank the reference's bits"


@pytest.mark.parametrize(
    ("args", "sentence"),
    third([
        (["rinng"], "no algorithm 'rinng'"),
        (["ring", "--ranks", 5], "--ranks 5, but mpiexec started 2 ranks"),
        (["ring_allgather", "--input", "unsorted.npz"],
         "unsorted.npz: entry 'indices1' (rank 1): indices not strictly ascending: indices[1]=0 follows 1"),
    ]),
    ids=["algorithm", "ranks", "unsorted"],
)  # fmt: skip
@pytest.mark.usefixtures("files")
def test_bad_input_is_told_once_and_ends_the_job(args, sentence):
    """Not once a rank, with exit code 2, and in no time."""
    done = job(2, *args)

    assert done.returncode == 2
    assert done.stdout.count(sentence) == 1
    assert said(done.stdout) == 1


def said(output: str) -> int:
    """How many sentences of ours there are, and nothing else of ours; some launchers add words of their own."""
    assert "Traceback" not in output
    if launch.runtime(launch.launcher()) is runtimes.MPICH:  # which adds nothing
        return output.count("\n")
    return sum(line.startswith("sparring: ") for line in output.splitlines())


@pytest.mark.parametrize(
    ("first", "others", "sentence"),
    third(
        [
            (["-k", "3"], ["-k", "4"], "rank 1: it has other vectors than rank 0; right: one command and one file"),
            (["-k", "3"], ["--keep", "-1"], "rank 1: --keep -1: it must be 0 or more"),
            (["--input", "nothing.npz"], [], "nothing.npz: no such file"),
        ]
    ),
    ids=["other vectors", "others refuse", "the first refuses"],
)
@pytest.mark.usefixtures("files")
def test_ranks_that_differ_do_not_start(first, others, sentence):
    """No rank waits for one that will not come: rank 0 says what is wrong, exit code 2."""
    done = unlike(["ring_allgather", *first], ["ring_allgather", *others])

    assert (done.returncode, said(done.stdout)) == (2, 1)
    assert sentence in done.stdout


def test_a_job_on_sparse_vectors(files):
    """Says what the simulated world says, but for the time that it took."""
    mine = json.loads(job(2, "ring_allgather", "--input", "good.npz", "--json").stdout)
    world = envelope_of("run", "ring_allgather", "--input", "good.npz", "--ranks", "2")

    assert (mine["verdict"], mine["run"].pop("on")) == ("holds", "this MPI job")
    assert (world["run"].pop("on"), world["run"].pop("seconds")) == ("simulated", pytest.approx(0, abs=60))
    assert mine["run"].pop("seconds") > 0
    assert mine["run"] == world["run"]


LOSSY = """
from sparring.sparse import Sparse
def wrong(comm, x):
    return Sparse(x.indices[1:], x.values[1:], x.n)
"""


def test_a_wrong_sum_of_sparse_vectors_is_seen(files, tmp_path):
    """In a job, as what it is; no rank hangs."""
    (tmp_path / "wrong.py").write_text(LOSSY)
    (tmp_path / "program.py").write_text(
        "import sparring.verification.algorithm\n"
        f"sparring.verification.algorithm.implementation = lambda page: {str(tmp_path / 'wrong.py') + ':wrong'!r}\n"
        "from sparring.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, str(tmp_path / "program.py"), "run", "ring_allgather", "--input", "good.npz"]

    done = launch.run(command, 2, timeout=60)

    assert done.returncode == 1
    assert "rank 0 has nothing at index 0, the reference an entry" in done.stdout


@pytest.mark.parametrize(
    ("fault", "told"),
    third([
        ("if launched()[0] == 1: run_inputs.vectors = None", "'NoneType' object is not callable"),
        ("target.load = lambda name: lambda comm, x: 1 / 0 if comm.Get_rank() == 1 else comm.Barrier()",
         "ZeroDivisionError"),
    ]),
    ids=["of ours", "of a target"],
)  # fmt: skip
def test_a_fault_on_one_rank_ends_all(tmp_path, fault, told):
    """What nobody foresaw is told with its traceback, and the other ranks do not wait."""
    (tmp_path / "program.py").write_text(
        "from sparring import run_inputs, run_reports\nfrom sparring.checks.ranks import target\n"
        "from sparring.job import launched\n"
        f"{fault}\nrun_reports.run_report('ring')\n"
    )

    done = launch.run([sys.executable, str(tmp_path / "program.py")], 2, timeout=60)

    assert done.returncode != 0
    assert told in done.stdout


def test_the_driver_runs_real_ranks():
    """``--on mpi`` without mpiexec starts the ranks itself."""
    envelope = envelope_of("run", "ring_allgather", "--ranks", "3", "--on", "mpi")

    assert (envelope["verdict"], envelope["run"]["on"]) == ("holds", "real MPI")
    assert envelope["run"]["messages"] == [envelope["run"]["steps"]] * 3


@pytest.mark.usefixtures("files")
def test_the_driver_refuses_before_it_starts_ranks():
    """The same sentence as everywhere."""
    sentence = refused("run", "ring_allgather", "--input", "missing.npz", "--ranks", "2", "--on", "mpi")

    assert "no entry 'values1' (rank 1)" in sentence
