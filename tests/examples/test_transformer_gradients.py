"""The example that makes a transformer's gradients, as its first lines say it is used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.sparring.calling import command

SCRIPT = Path(__file__).parents[2] / "examples/torch/transformer_gradients.py"


@pytest.mark.torch
def test_its_gradients_can_be_advised_on(tmp_path):
    """Several workers, every parameter a layer; trained ones have something in common."""
    pytest.importorskip("torch", reason="torch is not installed here")
    out = tmp_path / "t.npz"
    options = ["--workers", "3", "--steps", "4", "--width", "16", "--depth", "1", "--out", out]

    done = subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True, timeout=110, check=True)

    losses = [float(line.rpartition(" ")[2]) for line in done.stdout.splitlines() if line.startswith("step")]
    assert losses[-1] < losses[0]
    assert done.stderr == ""
    with np.load(out) as arrays:
        shapes = {name: array.shape for name, array in arrays.items()}
    assert {shape[0] for shape in shapes.values()} == {3}
    told = json.loads(command("advise")(out, "--ranks", "8", "--json")[1])["advice"]
    assert [layer["name"] for layer in told["layers"]] == [*shapes]
    assert told["fused"]["overlap"] > 0.05


@pytest.mark.torch
def test_moments_are_whole_gradients(tmp_path):
    """A row a worker: what the layers of that step are, one after the other."""
    pytest.importorskip("torch", reason="torch is not installed here")
    small = ["--workers", "2", "--width", "8", "--depth", "1"]

    for out, more in (("layers.npz", ["--steps", "3"]), ("moments.npz", ["--steps", "4", "--moments", "0,2"])):
        command = [sys.executable, SCRIPT, *small, *more, "--out", tmp_path / out]
        subprocess.run(command, capture_output=True, text=True, timeout=110, check=True)

    with np.load(tmp_path / "layers.npz") as layers, np.load(tmp_path / "moments.npz") as moments:
        assert moments.files == ["step0", "step2"]
        whole = np.concatenate([layers[name].reshape(2, -1) for name in layers.files], axis=1)
        np.testing.assert_allclose(moments["step2"], whole, rtol=1e-4, atol=1e-7)


@pytest.mark.torch
def test_a_moment_after_the_last_step_is_refused(tmp_path):
    """Before anything is trained."""
    pytest.importorskip("torch", reason="torch is not installed here")
    command = [sys.executable, SCRIPT, "--steps", "5", "--moments", "0,5", "--out", tmp_path / "t.npz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 2
    assert "argument --moments: steps are 0 to 4" in done.stderr
    assert not (tmp_path / "t.npz").exists()
