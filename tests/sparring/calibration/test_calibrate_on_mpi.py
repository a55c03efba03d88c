"""``sparring calibrate`` on real ranks: what comes of it can be used.  How fast anything is, is not looked at."""

from __future__ import annotations

import json
import sys

import pytest

from sparring.calibration import running
from sparring.calibration.quantities import REDUCED, WORKED
from sparring.checks.ranks import launch
from sparring.costs.links.machines import Machine
from tests.sparring.calling import called, refused
from tests.sweeps import third

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
ENOUGH = "from sparring.calibration import measuring\nmeasuring.ROUNDS = 3\n"
"""On a machine however busy: it ends after so many rounds, long before time is over."""
MAIN = "from sparring.cli import main\nmain()\n"


def job(ranks, *args, program=ENOUGH):
    """``mpiexec -n RANKS sparring calibrate ARGS``."""
    return launch.run([sys.executable, "-c", program + MAIN, "calibrate", *map(str, args)], ranks, timeout=110)


def test_a_job_measures_itself(tmp_path):
    """One answer, from rank 0; a machine that costs are evaluated on; a picture."""
    file, picture = tmp_path / "here.json", tmp_path / "here.svg"

    done = job(2, "ring", "ring_allgather", "--seconds", 100, "-o", file, "--plot", picture, "--json")

    assert done.returncode == 0, done.stdout
    assert done.stdout.count("calibrate: 2 ranks measure for 100 s") == 1
    envelope = json.loads(done.stdout[done.stdout.index("{") :])
    assert (envelope["command"], envelope["results"], envelope["not_covered"]) == ("calibrate", [], [])
    machine = Machine.load(file)
    assert json.loads(json.dumps(machine.dump())) == envelope["calibrate"] | {"name": "here"}
    sound(machine)
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    _, told, _ = called("cost", "ring_allgather", "--machine", file, "--at", "p=8,n=1000,k=10", "--format", "json")
    assert json.loads(told)["at"]["ring_allgather"]["time"] > 0


def sound(machine):
    """What must hold of any machine."""
    measured = machine.measured
    assert min(machine.alpha, machine.beta) >= 0 and machine.gamma > 0
    assert machine.alpha + machine.beta > 0  # on a busy machine one of these is lost in noise
    assert (measured.ranks, measured.hosts, measured.rounds) == (2, 1, 3) and measured.cores >= 1
    assert measured.crowded == (measured.cores < 2) and 0 < measured.clock < 0.1 < measured.seconds
    assert all(low <= high for low, high in measured.intervals.values()) and len(measured.intervals) == 3
    assert all(0 < t.seconds[0] <= t.seconds[1] <= t.seconds[2] <= t.seconds[3] for t in measured.timed)
    assert {kind: [size for size, _ in table] for kind, table in machine.work.items()} == dict.fromkeys(
        ("select", "merge", "pack"), WORKED
    )
    whole = [t for t in measured.timed if t.what == "algorithm"]
    assert [(t.algorithm, t.size) for t in whole] == [(name, n) for name in ("ring", "ring_allgather") for n in REDUCED]
    assert all(t.predicted > 0 for t in whole)


ALGORITHMS = """
import numpy as np
from mpi4py import MPI
from sparring.calibration.calls import call
from sparring.calibration.quantities import whole_allreduce
from sparring.sparse import Sparse
from sparring.spec.core import pages
comm = MPI.COMM_WORLD
for name in pages.names():
    page = pages.find(name)
    if page.dense:  # what ranks end with is no sum
        continue
    quantity = whole_allreduce(page, 1000, comm.size)
    y = call(comm, quantity, page)()
    assert (type(y) is Sparse) == page.sparse or page.stateful, name
    assert quantity.k is None or 12 <= len(y) <= 12 * comm.size or len(y) == 1002, name  # or all, where sums go dense
    y = y.dense() if isinstance(y, Sparse) else y
    assert y.size == 1002 == quantity.size and len({y.tobytes() for y in comm.allgather(y)}) == 1, name
    if quantity.k is None:
        xs = comm.allgather(np.random.default_rng([comm.rank, 0]).standard_normal(1002, np.float32))
        assert np.allclose(y, sum(xs), atol=1e-5), name
print("as they are")
"""


def test_what_is_timed_of_an_algorithm_is_the_algorithm():
    """All of them that sum, also such as come: one sum on all ranks, of as many entries as are predicted."""
    done = launch.run([sys.executable, "-c", ALGORITHMS], 3, timeout=60)
    assert done.stdout.count("as they are") == 3, done.stdout


def test_ranks_are_started_where_there_is_no_job(tmp_path, monkeypatch):
    """And nothing of them is left, in a folder of theirs or elsewhere."""
    program = "import sys, msgspec\nfrom sparring.calibration.rank import Task, main\n"
    program += "main(msgspec.json.decode(sys.argv[1], type=Task))\n"
    monkeypatch.setattr(running, "RANK", ("-c", ENOUGH + program))

    code, text, error = called("calibrate", "ring", "--ranks", 2, "--seconds", 100, "-o", tmp_path / "here.json")

    assert code == 0, text + error
    assert "2 ranks of " in text and "held-out sizes" in text
    assert "2 ranks of " in (source := Machine.load(tmp_path / "here.json").source) and "3 rounds" in source


def test_ranks_that_fail_are_told_with_what_they_said(monkeypatch):
    monkeypatch.setattr(running, "RANK", ("-c", "raise SystemExit('no memory left')"))
    _, _, error = called("calibrate", "ring", "--ranks", 2)
    assert "the ranks ended with code" in error and "no memory left" in error


def test_a_rank_that_raises_takes_the_job_down():
    """With its own traceback; nobody waits for it."""
    fault = (
        "from sparring.calibration import measuring\nfrom sparring.job import launched\n"
        "if launched()[0] == 1: measuring.once = lambda *_: 1 / 0\n"
    )
    done = job(2, "ring", "--seconds", 100, program=fault)
    assert done.returncode != 0 and "ZeroDivisionError" in done.stdout


@pytest.mark.parametrize(
    ("args", "sentence"),
    third(
        [
            (("--ranks", 3), "--ranks 3, but mpiexec started 2 ranks"),
            (("--seconds", 1e-9), "calls were timed fewer than 3 times"),
        ]
    ),
)
def test_bad_input_is_told_once_and_ends_the_job(args, sentence):
    done = job(2, "ring", *args)
    assert done.returncode == 2, done.stdout
    assert done.stdout.count(sentence) == 1 == done.stdout.count("sparring: ") and "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--ranks", 1), "1 rank sends no messages that could be timed; right: mpiexec -n 2"),
        *((("--seconds", s), f"--seconds {s}: how long to measure is a number above 0") for s in ("-1", "nan", "inf")),
        (("rinng",), "no algorithm 'rinng'"),
        (("-o", "no/folder.json"), "no/folder.json cannot be written: No such file or directory"),
        (("-o", "folder.txt"), "the name of a machine's file ends in .json"),
        (("--plot", "x.jpg"), "the name of a picture ends in .svg, .png, .pdf"),
    ],
)
def test_the_driver_refuses_before_it_starts_ranks(args, sentence, monkeypatch):
    monkeypatch.setattr(launch, "run", None)
    assert sentence in refused("calibrate", *args)


def test_an_algorithm_without_implementation(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "run", None)
    (tmp_path / "mine.py").write_text((running.Path(running.pages.__file__).parents[1] / "ring.py").read_text())
    sentence = refused("calibrate", tmp_path / "mine.py", "--ranks", 2)
    assert "mine: there is no implementation of this name" in sentence


def test_a_place_is_tried_and_left_as_it_is(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text("old")
    for file in (old, new):
        running.check_writable(file)
    assert old.read_text() == "old" and not new.exists()
