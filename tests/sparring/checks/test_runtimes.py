"""Every algorithm under the MPI that is installed, whichever it is, and what ranks of ours leave behind: nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sparring import impl
from sparring.checks.checking import check
from sparring.checks.ranks import group, launch, runtimes
from sparring.checks.ranks.group import Group, Hang
from sparring.proofs.logic.verdicts import Word
from sparring.spec.core import pages
from sparring.trace.links import exclusive
from sparring.verification import algorithm, plans
from tests.sparring.checks.refuting import failed
from tests.sweeps import third

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
FILE = Path(__file__).with_name("misbehaving.py")
PAGES = {name: pages.find(name) for name in pages.names()}
TARGETS = {name: target for name, page in PAGES.items() if (target := algorithm.find_target(page))}
FIRST = ("ring", "ring_allgather", "ring_sparse", "ring_topk", "recursive_multiplying")
"""One of each kind of data, and one that sends several messages in a step; the others are slow."""


CHECKED = [pytest.param(name, marks=[pytest.mark.slow] * (name not in FIRST)) for name in TARGETS]


AROUND = {"drop_compute", "tuned"}


def test_no_implementation_is_left_out():
    """Each module of impl is among those that run here, but for what is put around other algorithms."""
    modules = {path.stem for path in Path(impl.__path__[0]).glob("[!_]*.py")}

    assert modules == {*TARGETS, *AROUND}


@pytest.mark.parametrize("name", third(FIRST))
def test_an_algorithm_gives_the_reference(name):
    """The page's bits on every rank, for edge sizes of all dtypes and for gradients."""
    plan = plans.plan(range(1, 4), full=False, on="mpi")
    result = algorithm.on_mpi(PAGES[name], TARGETS[name], plan, lambda inputs, _: inputs)

    assert result.verdict.word is Word.TESTED, result.detail


@pytest.mark.parametrize("name", CHECKED)
def test_an_algorithm_passes_check(name, ranks, tmp_path, monkeypatch):
    """Every property that real ranks show, message by message, and call after call where state is kept."""
    monkeypatch.chdir(tmp_path)
    report = check(TARGETS[name], name, ranks=range(1, 5), on="mpi", level="steps", max_examples=15, group=ranks)

    assert report.verdict == "holds", [result.detail for result in report.results]
    judged = {result.property for result in report.results if result.verdict.word is Word.TESTED}
    unclaimed = set() if exclusive(PAGES[name]) else {"contention"}
    assert judged == {result.property for result in report.results} - {"hygiene"} - unclaimed
    assert {"result", "steps", "deadlock", "dtypes"} <= judged
    assert PAGES[name].agrees == ("agreement" in judged)
    assert PAGES[name].selecting == ({"selection", "conservation"} <= judged)


@pytest.mark.parametrize(
    ("name", "prop", "words"),
    [
        ("total", None, ""),
        ("wrong", "result", "rank 1 has"),
        ("raises", "result", "planted"),
        pytest.param("hangs", "deadlock", "did not answer", marks=pytest.mark.slow),
        ("aborts", "result", "rank 1 failed"),
    ],
)
def test_what_goes_wrong_is_said(name, prop, words, ranks, tmp_path, monkeypatch):
    """A wrong sum, an exception, a hang and an abort falsify the same property on each MPI; their twin passes."""
    monkeypatch.chdir(tmp_path)
    asked = ["result", "deadlock", "hygiene"]
    report = check(f"{FILE}:{name}", ranks=[2, 3], on="mpi", only=asked, max_examples=8, group=ranks, timeout=3)
    found = {result.property: result for result in report.results}

    assert [*failed(report)] == ([prop] if prop else [])
    assert not prop or (words in found[prop].detail and found[prop].witness["p"] == 2)  # shrunk in the world
    assert found["hygiene"].detail == "only the simulated world sees it"


@pytest.mark.parametrize("end", ["idle", "hangs", "exits"])
def test_a_group_leaves_nothing_behind(end, gone):
    """No process, no file of shared memory, no folder; neither after an idle end nor after one by force."""
    with Group(3) as ranks:
        workers = ranks.start()
        pids, shared = workers.pids(), launch.segments(workers.pids())
        if end != "idle":
            with pytest.raises(Hang if end == "hangs" else group.RankFailed):
                ranks.run(f"{FILE}:{end}", [np.zeros(2)] * 3, timeout=1)
    assert not gone(pids)
    assert shared or launch.runtime(launch.launcher()) is runtimes.INTEL_MPI  # Intel's have no names
    assert [path for path in (*shared, workers.folder) if path.exists()] == []


def test_no_rank_is_bound_to_a_core(ranks, tmp_path):
    """Ranks may use all the cores that this process may, so that two groups at a time do not meet on one."""
    (tmp_path / "cores.py").write_text(
        "import os, numpy as np\ndef cores(comm, x): return np.array(sorted(os.sched_getaffinity(0)))\n"
    )
    found = ranks.run(f"{tmp_path}/cores.py:cores", [np.zeros(1)] * 4)

    assert [set(y.tolist()) for y in found] == [os.sched_getaffinity(0)] * 4


def test_temporary_files_of_ranks_go_with_them(tmp_path):
    """What a rank, or its MPI, writes to the folder for temporary files does not outlive the group."""
    (tmp_path / "leaves.py").write_text(
        "import tempfile, numpy as np\n"
        "def leaves(comm, x): return np.frombuffer(tempfile.mkdtemp().encode().ljust(500), np.uint8)\n"
    )
    with Group(1) as ranks:
        (y,) = ranks.run(f"{tmp_path}/leaves.py:leaves", [np.zeros(1)])
        left = Path(bytes(y).decode().strip())
        assert left.is_dir()
    assert not left.exists()


PRTERUN = """
   Process name: [prterun-vm-15673@1,2]
   Exit code:    3
"""
ABORT = """
MPI_ABORT was invoked on rank 0 in communicator MPI COMM 5 SPLIT FROM 3
  Proc: [[63182,1],1]
  Errorcode: 5
"""


@pytest.mark.parametrize(
    ("launcher", "own", "rank"),
    [("", {}, 0), (PRTERUN, {}, 2), (ABORT, {}, 1), ("", {1: "Abort(5) on node 1: called MPI_Abort"}, 1)],
    ids=["nobody says", "exit", "abort", "its own words"],
)
def test_who_took_the_others_down(launcher, own, rank):
    """The rank that called for it, or that the launcher names; else the one whose line ended first."""
    logs = {None: launcher, **own}
    workers: Any = SimpleNamespace(log=lambda r=None: logs.get(r, ""), end=lambda r: None)

    assert group.first(workers, [0, 2, 1]) == rank


def test_an_idle_rank_sleeps(ranks):
    """Between examples no rank takes a core, however its MPI waits for messages."""
    ranks.run(f"{FILE}:total", [np.zeros(2)] * 4)
    pids = [int(y[0]) for y in ranks.run(f"{FILE}:pids", [np.zeros(1)] * 4)]
    before = [ticks(pid) for pid in pids]
    time.sleep(1)
    spent = [ticks(pid) - start for pid, start in zip(pids, before)]

    assert max(spent) < os.sysconf("SC_CLK_TCK") / 4


def ticks(pid):
    """The processor time of a process, in clock ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
