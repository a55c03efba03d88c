"""The library's own allreduces are judged like anybody's: the contract, agreement, reproducibility; so are scripts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sparring.checks.checking import check
from sparring.checks.launch import find

TARGETS = Path(__file__).with_name("library_targets.py")
SCRIPT = Path(__file__).parents[3] / "examples/mpi4py_script.py"
MPI = pytest.mark.skipif(find() is None, reason='no mpiexec beside this Python: pip install "sparring[mpich]"')
PLACES = ["simulated", pytest.param("mpi", marks=[pytest.mark.mpi, MPI])]


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 2.0)


@pytest.mark.parametrize("on", PLACES)
@pytest.mark.parametrize("name", ["blocking", "nonblocking"])
def test_the_library(name, on):
    """Allreduce and Iallreduce give the sum, the same bits on all ranks and, as far as measured, again."""
    report = check(f"{TARGETS}:{name}", ranks=[1, 2, 3], max_examples=30, on=on)
    assert report.verdict == "holds"
    found = {r.property: str(r.verdict) for r in report.results}
    assert found["agreement"] == found["reproducibility"] == "tested (30 examples)"


@pytest.mark.parametrize(
    ("name", "prop"), [("never_waits", "hygiene"), ("touches", "hygiene"), ("rounds_on_rank_1", "agreement")]
)
def test_planted(name, prop):
    """A request that is never completed, a buffer touched early, and bits that differ are found."""
    (result,) = check(f"{TARGETS}:{name}", ranks=[2], max_examples=20, only=[prop]).results
    assert str(result.verdict) == "refuted"


@pytest.mark.mpi
@MPI
def test_a_script():
    """A script that runs at its top level is judged by its command and its files."""
    command = ["mpiexec", "-n", "{p}", sys.executable, str(SCRIPT), "{input}", "{output}"]
    report = check(command, ranks=[1, 2], max_examples=5)
    assert report.verdict == "holds"
    assert [str(r.verdict) for r in report.results if r.property == "agreement"] == ["tested (5 examples)"]
