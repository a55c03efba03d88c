"""The benchmarks of stragglers and of training under them: what their files hold, and that ranks' clocks tell it."""

from __future__ import annotations

import importlib
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sparring.checks.ranks import launch
from sparring.spec.training.drop_compute import RULES

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"


@pytest.fixture(scope="module")
def dropping():
    """The script as a module; its neighbours are found beside it."""
    pytest.importorskip("sklearn", reason="the extra 'examples' is not installed: pip install '.[examples]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("dropping")


@pytest.fixture
def ran(dropping, monkeypatch, capsys):
    """``ran(script, *options)``: its file of results, made in this process."""
    monkeypatch.setattr(dropping, "ProcessPoolExecutor", lambda _: nullcontext(SimpleNamespace(map=map)))

    def run(script, *options):
        *_, out = options
        monkeypatch.setattr(sys, "argv", [script, *map(str, options)])
        importlib.import_module(script).main()
        assert capsys.readouterr().err == ""
        return json.loads(out.read_text(encoding="utf-8"))

    return run


def test_a_file_of_training(dropping, ran, tmp_path):
    """A row for each way, that which waits first: all of it is completed, and the others are done sooner."""
    found = ran("dropping", "--ranks", "2", "--seeds", "2", "--steps", "24", "--out", tmp_path / "out.json")

    waits, *others = found["rows"]
    assert [row["way"] for row in found["rows"]] == [*dropping.WAYS]
    assert (waits["completed"], waits["loss_above"], waits["tau"]) == ([1, 1], [0, 0, 0], None)
    for row in others:
        assert all(0.5 < share < 1 for share in row["completed"])
        assert row["time_of"][0] < 1
        assert [len(curve) for curve in row["losses"]] == [len(curve) for curve in row["moments"]] == [4, 4]
        assert all(curve[-1] < curve[0] for curve in row["losses"])
        assert row["tau"] == others[0]["tau"]  # the rule has no part in what is timed


@pytest.mark.mpi
@pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
def test_a_file_of_stragglers(ran, tmp_path):
    """A row for each rule and tau after the one that waits; what is drawn is exact, what is measured near or late."""
    options = ["--ranks", "2", "--iterations", "2", "--mean", "0.002"]
    found = ran("stragglers", *options, "--out", tmp_path / "out.json")

    waits, *others = found["rows"]
    assert waits["rule"] is None and waits["measured"]["completed"] == [12, 0]
    assert [row["rule"] for row in others] == [rule for rule in RULES for _ in range(7)]
    for row in others:
        assert 0 < row["measured"]["completed"][0] <= 12
        assert row["drawn"]["seconds"][0] <= waits["drawn"]["seconds"][0] * (1 + 1e-5)
        assert row["measured"]["seconds"][0] > 0
        assert (row["formula"] is None) is (row["rule"] != "analytic")


@pytest.mark.parametrize("name", ["stragglers", "dropping"])
def test_what_cannot_be_run(dropping, name, tmp_path, capsys):
    """One sentence, exit code 2."""
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(name).arguments(["--out", str(tmp_path / "none" / "out.json")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("there is no such folder")


def test_the_results_that_are_kept_agree_with_the_model():
    """Of each rule, the mean measured time of an iteration is near what exact clocks make of the same times."""
    rows = json.loads((RESULTS / "stragglers/mpich.json").read_text(encoding="utf-8"))["rows"]
    for rule in RULES:
        gaps = [row["measured"]["seconds"][0] / row["drawn"]["seconds"][0] - 1 for row in rows if row["rule"] == rule]
        assert abs(np.median(gaps)) < 0.05
        counts = [row["measured"]["completed"][0] - row["drawn"]["completed"][0] for row in rows if row["rule"] == rule]
        assert abs(np.median(counts)) < 0.5
