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


def trained(*options):
    """What the script prints of a small transformer that it trains with three workers."""
    command = [sys.executable, SCRIPT, "--workers", "3", "--width", "16", "--depth", "1", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def layers(once):
    """The file with the gradients of four steps' last, and what was printed."""
    pytest.importorskip("torch", reason="torch is not installed here")
    folder, told = once("layers", lambda folder: trained("--steps", "4", "--out", folder / "t.npz"))
    return folder / "t.npz", told


@pytest.mark.torch
def test_its_gradients_can_be_advised_on(layers):
    """Several workers, every parameter a layer; trained ones have something in common."""
    out, printed = layers

    losses = [float(line.rpartition(" ")[2]) for line in printed.splitlines() if line.startswith("step")]
    assert losses[-1] < losses[0]
    with np.load(out) as arrays:
        shapes = {name: array.shape for name, array in arrays.items()}
    assert {shape[0] for shape in shapes.values()} == {3}
    told = json.loads(command("advise")(out, "--ranks", "8", "--json")[1])["advice"]
    assert [layer["name"] for layer in told["layers"]] == [*shapes]
    assert told["fused"]["overlap"] > 0.05


@pytest.mark.torch
def test_moments_are_whole_gradients(layers, tmp_path):
    """A row a worker: what the layers of that step are, one after the other."""
    trained("--steps", "5", "--moments", "0,3", "--out", tmp_path / "moments.npz")

    with np.load(layers[0]) as each, np.load(tmp_path / "moments.npz") as moments:
        assert moments.files == ["step0", "step3"]
        whole = np.concatenate([each[name].reshape(3, -1) for name in each.files], axis=1)
        np.testing.assert_allclose(moments["step3"], whole, rtol=1e-4, atol=1e-7)


@pytest.mark.torch
def test_a_moment_after_the_last_step_is_refused(tmp_path):
    """Before anything is trained."""
    pytest.importorskip("torch", reason="torch is not installed here")
    command = [sys.executable, SCRIPT, "--steps", "5", "--moments", "0,5", "--out", tmp_path / "t.npz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 2
    assert "argument --moments: steps are 0 to 4" in done.stderr
    assert not (tmp_path / "t.npz").exists()
