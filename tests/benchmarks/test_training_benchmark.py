"""The benchmark of training: what it counts, that real ranks learn the same bits, and its intervals."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import sparring
import sparring.world
from sparring.checks.ranks import launch

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "training.py"


@pytest.fixture(scope="module")
def training():
    """The script as a module; its neighbours are found beside it."""
    pytest.importorskip("sklearn", reason="the extra 'examples' is not installed: pip install '.[examples]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        yield import_module("training")


def test_a_file_of_results(training, tmp_path):
    """As the documentation reads it: a row an algorithm, the dense one first, bytes as derived."""
    out = tmp_path / "out.json"
    options = ["--ranks", "2", "--seeds", "2", "--steps", "12", "--algorithms", "ring_topk", "--out", out]
    told = subprocess.run(
        [sys.executable, SCRIPT, *options], capture_output=True, text=True, timeout=100, check=False, cwd=ROOT
    )
    assert (told.returncode, told.stderr) == (0, "")

    found = json.loads(out.read_text(encoding="utf-8"))

    dense, sparse = found["rows"]
    assert [row["algorithm"] for row in (dense, sparse)] == ["ring", "ring_topk"]
    assert dense["loss_above_dense"] == [0, 0, 0] != sparse["loss_above_dense"]
    assert [len(curve) for curve in sparse["losses"]] == [3, 3]
    assert all(curve[-1] < curve[0] for row in found["rows"] for curve in row["losses"])
    n, kept = 9610, 96
    assert dense["bytes"] == [4 * sparring.cost("ring").at(p=2, n=n).words] * 2
    assert sparse["bytes"] == [4 * sparring.cost("ring_topk").at(p=2, n=n, k=kept).words] * 2


VARIANTS = ["ring", "ring_topk", "ring_sparse", "flash:b1=4:b2=4", "lossy_two_shot:running=1", "moshpit:dropping=300"]


OTHERS = [name for name in VARIANTS if name not in VARIANTS[::3]]


@pytest.mark.parametrize("names", [VARIANTS[::3], pytest.param(OTHERS, marks=pytest.mark.slow)])
@pytest.mark.mpi
@pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
def test_real_ranks_learn_the_same(training, names, tmp_path):
    """Under mpiexec, to the last bit."""
    jobs = [training.Job(name, 3, seed=1, steps=11, density=0.01) for name in names]
    (tmp_path / "ranks.py").write_text(
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
        "import training\nfrom mpi4py import MPI\n"
        f"for job in {[tuple(job) for job in jobs]!r}:\n"
        "    found = training.learn(MPI.COMM_WORLD, training.Job(*job))\n"
        "    if MPI.COMM_WORLD.rank == 0:\n        print('found', repr(found))\n"
    )

    done = launch.run([sys.executable, "-m", "mpi4py", str(tmp_path / "ranks.py")], 3, timeout=100)

    assert done.returncode == 0, done.stdout
    for simulated in map(training.learned, jobs):
        assert f"found {(simulated.losses, simulated.accuracy)!r}" in done.stdout


def test_parameters_stand_behind_a_name(training):
    """Those of the page, and how often ranks are missing; what it has not is said."""
    asked = training.variant("moshpit:m=4:dropping=100")
    assert (asked.page.name, asked.params, asked.dropping, asked.averages) == ("moshpit", {"m": 4}, 100, True)
    assert [training.variant(f"lossy_two_shot:running={i}").averages for i in (0, 1)] == [True, False]
    with pytest.raises(argparse.ArgumentTypeError, match="page flash has no parameter 'bits'"):
        training.variants("ring,flash:bits=3")


def test_who_is_missing_keeps_what_it_has(training):
    """The same ranks on all, other ones in the next call; with a chance of 1 nobody averages anything."""
    always = sparring.world.run(averaging, 4, [training] * 4, [1000] * 4).raise_if_found().results
    assert [ys[0].tolist() for ys in always] == [[0], [1], [2], [3]]
    never = sparring.world.run(averaging, 4, [training] * 4, [0] * 4).raise_if_found().results
    assert {y.item() for ys in never for y in ys} == {1.5}
    often = sparring.world.run(averaging, 4, [training] * 4, [400] * 4).raise_if_found().results
    rounds = {tuple(y.item() for y in call) for call in zip(*often)}
    assert len(rounds) > 1
    assert all(sum(call) == 6 for call in rounds)


def averaging(comm, training, thousandths):
    """Ten calls on each rank's own number."""
    reduce = training.missing(comm, partial(import_module("sparring.impl.moshpit").allreduce, comm), thousandths)
    return [reduce(np.array([float(comm.rank)])) for _ in range(10)]


def test_the_interval_is_students(training):
    """By hand: mean 2, standard deviation 1, and 4.303 standard errors of the mean at two degrees of freedom."""
    mean, low, high = training.interval([1, 2, 3])

    assert mean == 2
    assert (low, high) == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5), abs=1e-3)
    assert training.interval([1]) is None
