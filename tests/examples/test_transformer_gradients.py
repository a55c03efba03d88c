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
