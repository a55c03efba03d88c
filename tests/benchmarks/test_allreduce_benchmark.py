"""The benchmark of the implementations: it measures real ranks, refuses wrong results, and its tables are right."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from sparring import world
from sparring.checks.ranks import launch

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "allreduce.py"
needs_mpi = [pytest.mark.mpi, pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")]

MINE = """
import numpy as np

from sparring.impl import ring_allgather
from sparring.impl.core.selection import top


def right(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


def lossy(comm, x):
    y = right(comm, x)
    y[-1] = 0
    return y


def lost(comm, x):
    y = right(comm, x)
    y[7] = np.nan
    return y


def wide(comm, x):
    return right(comm, x).astype(np.float64)


def torn(comm, x):
    y = right(comm, x)
    y[0] = np.nextafter(y[0], np.inf) if comm.rank else y[0]
    return y


def raises(comm, x):
    if comm.rank:
        raise RuntimeError("planted")
    return right(comm, x)


class Memory:
    def __init__(self, comm, n, k):
        self.comm, self.k, self.residual = comm, k, np.zeros(n, np.float32)

    def __call__(self, x):
        whole = x + self.residual
        kept = top(whole, self.k)
        self.residual = whole - kept.dense()
        return ring_allgather.allreduce(self.comm, kept)


class Forgetful(Memory):
    def __call__(self, x):
        y = super().__call__(x)
        self.residual[:] = 0
        return y


def short(comm, x):
    return ring_allgather.allreduce(comm, x.having(x.indices[1:], x.values[1:]))
"""


def run(*arguments: str, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The script at two ranks on a short vector, from outside of the checkout's ``benchmarks``."""
    path = os.pathsep.join(map(str, filter(None, (packages, ROOT))))
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )


SMALL = ("--ranks", "2", "--sizes", "1000", "--seconds", "0.1", "--rounds", "5")


def module(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module in a file, its neighbours importable."""
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's file with right and wrong allreduces."""
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    return module(SCRIPT, monkeypatch)


@pytest.fixture
def timings(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The documentation's extension that makes tables."""
    for needed in ("sphinx", "matplotlib"):
        pytest.importorskip(needed, reason="the extra 'docs' is not installed: pip install '.[docs]'")
    return module(ROOT / "docs" / "_ext" / "timings.py", monkeypatch)


class TestUnderMpi:
    """What is measured by real ranks."""

    pytestmark = needs_mpi

    def test_every_implementation_is_measured(self, tmp_path, harness):
        """The file has each implementation in each cell, three quartiles in order, and what it ran on."""
        out = tmp_path / "out.json"
        done = run(*SMALL, "--densities", "1%,10%", "--out", str(out))
        assert done.returncode == 0, done.stdout
        found = json.loads(out.read_text(encoding="utf-8"))
        assert found["schema"] == 1
        assert {"mpi", "python", "numpy", "mpi4py"} <= set(found["versions"])
        assert found["machine"]["cores"] >= 1
        names = {"comm.Allreduce", *(a.name for a in harness.algorithms(""))}
        assert {"ring", "ring_allgather"} < names
        assert [(c["ranks"], c["size"], c["density"]) for c in found["cells"]] == [(2, 1000, 0.01), (2, 1000, 0.1)]
        for cell in found["cells"]:
            assert set(cell["seconds"]) == names | {"selection"}
            assert set(cell["ratios"]) == names
            assert set(cell["alone"]) == {a.name for a in harness.algorithms("") if a.target.endswith(":Allreduce")}
            assert cell["ratios"]["comm.Allreduce"] == [1, 1, 1]
            assert 3 <= cell["rounds"] <= 5
            assert cell["oversubscribed"] == (found["machine"]["cores"] < 2)
            for quartiles in (*cell["seconds"].values(), *cell["ratios"].values()):
                assert 0 < quartiles[0] <= quartiles[1] <= quartiles[2]

    def test_a_wrong_one_ends_it(self, mine, tmp_path):
        """With what the rank said, and nothing is written."""
        out = tmp_path / "out.json"
        done = run(*SMALL, "--densities", "1%", "--algorithms", f"ring,{mine}:raises", "--out", str(out))
        assert (done.returncode, "planted" in done.stdout, out.exists()) == (1, True, False)

    def test_a_wrong_sparse_one_ends_it(self, mine, harness):
        """A sparse sum that lacks an entry is refused, and forgotten mass; the same road measures right ones."""
        cell = harness.Cell(2, 1000, 0.1)
        right = [("right", "sparring.impl.ring_allgather:allreduce"), ("memory", f"{mine}:Memory")]
        rivals = [harness.Algorithm(*one, sparse=True) for one in right]  # a class gets the dense vector all the same
        assert harness.measure(cell, rivals, 0.0, 1)["rounds"] == 1
        for name in ("short", "Forgetful"):
            with pytest.raises(harness.Failed, match=f"{name}: entry"):
                harness.measure(cell, [harness.Algorithm(name, f"{mine}:{name}", sparse=True)], 0.0, 1)


WRONG = [
    ("lossy", "mine.py:lossy: entry 999 is"),
    ("lost", "mine.py:lost: entry 7 is"),
    ("wide", "mine.py:wide: rank 0 got float64 of shape (1000,), not float32 of (1000,)"),
    ("torn", "mine.py:torn: rank 1 has other bits than rank 0"),
    ("right", ""),
]


@pytest.mark.parametrize(("name", "told"), WRONG)
def test_a_wrong_one_is_refused(mine, harness, name, told):
    """A lost entry, another dtype, bits that differ between ranks; a right one passes."""
    found = world.run(compared, 2, [f"{mine}:{name}"] * 2).findings
    assert bool(found) == bool(told) and told in "".join(finding.text for finding in found)


def compared(comm, target):
    """What a rank finds of one call of a target."""
    cell = import_module("cell")
    rival = cell.Rival(Path(target).name, cell.targets.load(target), sparse=False)
    given = cell.Input.drawn(comm.rank, 1000, 0.01)
    rival.compare(comm, given, rival.call(comm, given)())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--ranks", "0"], "'0' is no whole number from 1 on; right: 4, or 1e6"),
        (["--sizes", "1e3,1.5"], "'1.5' is no whole number"),
        (["--sizes", "inf"], "'inf' is no whole number"),
        (["--densities", "200%"], "'200%' is no density; right: 0.1%, or 0.001, up to 100%"),
        (["--densities", "much"], "'much' is no density"),
        (["--algorithms", "rnig"], "no implementation of 'rnig'; there are"),
        (["--algorithms", "nowhere.py:f"], "no file nowhere.py"),
        (["--out", "nowhere/x.json"], "there is no such folder"),
    ],
)
def test_bad_input_is_one_sentence(harness, capsys, arguments, told):
    """What cannot be measured is said before anything is started."""
    with pytest.raises(SystemExit) as ended:
        harness.arguments(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_arguments_are_read_as_people_write_them(harness):
    """Powers of ten and percents are understood."""
    options = harness.arguments(["--sizes", "1e4,500", "--densities", "0.1%,0.25,100%"])
    assert (options.ranks, options.sizes) == ([2, 4, 8], [10_000, 500])
    assert options.densities == pytest.approx([0.001, 0.25, 1])


class Counting:
    """Notes what it is called with."""

    def __init__(self, comm, n, k):
        self.had = []

    def __call__(self, x):
        self.had.append(x)
        return self.had


class Keeping(Counting):
    """One that keeps thresholds for some calls."""

    def __init__(self, comm, n, k, tau_prime=32):
        super().__init__(comm, n, k)


def test_a_class_gets_a_new_vector_in_each_call_and_settles_first(monkeypatch):
    """Where each call had the same vector, residuals would outgrow all thresholds that are kept."""
    cell = module(ROOT / "benchmarks" / "cell.py", monkeypatch)
    given = cell.Input.drawn(0, 100, 0.1)
    had = cell.Rival("counting", Counting, sparse=False).again(None, given)()
    assert len(had) == 1
    had = cell.Rival("keeping", Keeping, sparse=False).again(None, given)()
    assert len(had) == 1 + cell.SETTLED
    assert all(x.size == 100 for x in had)
    assert all((x != y).all() for x, y in pairwise(had))
    assert (given.kept.values == had[0][given.kept.indices]).all()


def cell(ranks: int, size: int, density: float, **seconds: float) -> dict[str, object]:
    """A measured cell with these medians."""
    quartiles = {name.replace("_allreduce", ".Allreduce"): [s / 2, s, 2 * s] for name, s in seconds.items()}
    theirs = seconds["comm_allreduce"]
    ratios = {name: [0.1, theirs / q[1], 9.0] for name, q in quartiles.items() if name != "selection"}
    return {
        "ranks": ranks, "size": size, "density": density, "oversubscribed": ranks > 2, "rounds": 7 * ranks,
        "seconds": quartiles, "alone": {}, "ratios": ratios,
    }  # fmt: skip


@pytest.fixture
def found() -> dict[str, object]:
    """A report of four cells."""
    return {
        "command": "python benchmarks/allreduce.py",
        "machine": {"cpu": "A processor", "cores": 2, "system": "An OS"},
        "versions": {"mpi": "An MPI 1.2", "python": "3.11"},
        "environment": {},
        "cells": [
            cell(2, 10_000, 0.001, comm_allreduce=0.004, selection=0.001, ring=0.002),
            cell(2, 10_000, 0.3, comm_allreduce=0.00123456, selection=0.5, ring=0.01),
            cell(2, 2500, 0.3, comm_allreduce=0.003, selection=0.5, ring=0.006),
            cell(4, 10_000_000, 0.1, comm_allreduce=1.5, selection=0.25, ring=1.0),
        ],
    }


def test_a_table_has_the_right_numbers(timings, found):
    """Medians in milliseconds, median ratios, the largest bold, a table for each number of ranks and length."""
    text = timings.section(found, "some")
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "|  | 30 % |", "|:--|--:|",
        "| comm.Allreduce | **3** |", "| ring | 6 ×0.50 |", "| *selection* | 500 |",
        "|  | 0.1 % | 30 % |", "|:--|--:|--:|",
        "| comm.Allreduce | 4 | **1.23** |", "| ring | **2 ×2.00** | 10 ×0.12 |", "| *selection* | 1 | 500 |",
        "|  | 10 % |", "|:--|--:|",
        "| comm.Allreduce | 1500 |", "| ring | **1000 ×1.50** |", "| *selection* | 250 |",
    ]  # fmt: skip
    assert [line for line in text.splitlines() if line.startswith("#") or "{table}" in line] == [
        "## An MPI 1.2",
        "### 2 ranks",
        "```{table} Vectors of 2500 entries, by density",
        "```{table} Vectors of 10⁴ entries, by density",
        "### 4 ranks, oversubscribed: 2 cores",
        "```{table} Vectors of 10⁷ entries, by density",
    ]
    assert "A processor, 2 cores, An OS" in text
    assert "14 to 28 a cell" in text
    assert "nothing set in its environment" in text


def test_what_is_not_everywhere_is_told(timings, found):
    """An algorithm that came later leaves a gap; what is taken without others, and what tunes MPI, stand beside."""
    del found["cells"][1]["seconds"]["ring"], found["cells"][1]["ratios"]["ring"]
    found["cells"][0]["alone"] = {"ring": [0.0001, 0.0005, 0.002]}
    found["environment"] = {"UCX_TLS": "tcp"}
    text = timings.section(found, "some")
    assert "| ring | **2 (0.5) ×2.00** |  |" in text and "An MPI 1.2, `UCX_TLS=tcp`" in text


def test_what_is_not_installed_has_no_version(harness):
    """So a checkout that is on the path alone can be measured."""
    assert harness.versions("numpy", "sparring-of-nobody") == {"numpy": importlib.metadata.version("numpy")}


def test_the_picture_is_the_same_in_every_build(timings, found, tmp_path):
    """Two drawings are the same bytes; each algorithm is named, and so is each panel."""
    for name in ("a.svg", "b.svg"):
        timings.timeplot.draw(found["cells"], tmp_path / name)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "b.svg").read_text(encoding="utf-8")
    for told in ("ring", "density 0.1 %", "density 30 %", "2 ranks", "4 ranks", "oversubscribed", "10,000 entries"):
        assert f">{told}<" in text
    assert "selection" not in text
