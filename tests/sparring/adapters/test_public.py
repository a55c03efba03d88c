"""The reducers of two public repositories, where somebody has cloned them: what the documentation says of each."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from sparring.checks.checking import check
from tests.sparring.checks.refuting import failed

PUBLIC = Path(__file__).parents[3] / "examples/public"
FOLDERS = {"gtopkssgd": "GTOPKSSGD", "oktopk": "OKTOPK"}
VERDICTS = {
    "gtopkssgd.py:TopK": set(),
    "gtopkssgd.py:TopK2": set(),
    "gtopkssgd.py:GTopK": {"conservation"},
    "oktopk.py:TopkA": set(),
    "oktopk.py:Gaussiank": set(),
    "oktopk.py:TopkDSA": {"conservation"},
    "oktopk.py:OkTopk": {"result", "dtypes"},
}
HERE = importlib.util.find_spec("torch") is not None
BOUNDS = {"n": "16-64", "k": "1-8"}
pytestmark = [pytest.mark.torch, pytest.mark.mpi]


@pytest.mark.parametrize("name", VERDICTS)
def test_they_are_what_the_documentation_says(monkeypatch, tmp_path, name):
    """By the bounds and the contract that it names."""
    folder = FOLDERS[name.partition(".")[0]]
    if folder not in os.environ or not HERE:
        pytest.skip(f"needs torch, and {folder}, the folder of the cloned code: docs/howto/public_reducers.md")
    assert judged(monkeypatch, tmp_path, name) == VERDICTS[name]


ALLREDUCER = """
import torch

def list_rotate(l, n):
    return l[-n:] + l[:-n]

class AllReducer:
    def __init__(self, named, lock, key_lock, compression, sparse, density, msg_queue, msg_queue2):
        self.queue, self.compression, self.outputs, self.entries = msg_queue, compression, {}, {}
        self.k = int(density * named[0][1].numel())
        self._allreduce_counter, self._boundaries, self._region_offsets = {}, {}, {}

    def add_tensor(self, name, tensor):
        self.entries[name] = tensor

    def get_result(self, name):
        return self.outputs[name]

    def run(self):
        while (name := self.queue.get()) != "STOP":
            x = self.entries[name] + self.compression.residuals.get(name, 0)
            mine = torch.zeros_like(x)
            at = torch.topk(x.abs(), self.k).indices
            mine[at] = x[at]
            self.compression.residuals[name] = x - mine if self.compression.keeps else torch.zeros_like(x)
            total = torch.zeros_like(x)
            self._comm.Allreduce(mine.numpy(), total.numpy())
            self.outputs[name] = total / self._comm.size
"""
COMPRESSION = """
class TopKCompressor:
    residuals, zero_conditions, values, indexes, keeps = {}, {}, {}, {}, True

class gTopKCompressor(TopKCompressor):
    keeps = False

TopKCompressor2 = TopKACompressor = OKTopKCompressor = GaussianKCompressor = TopKCompressor
TopKSACompressor = gTopKCompressor
"""
"""What the adapters ask of the code that they adapt, in few lines: one kind of reducer is right, the other forgets."""


@pytest.mark.parametrize("name", VERDICTS)
def test_the_adapters_adapt(monkeypatch, tmp_path, name):
    """What stands in for the public code gets through each what it deserves."""
    if not HERE:
        pytest.skip('no torch here: pip install "sparring[torch]"')
    (tmp_path / "allreducer.py").write_text(ALLREDUCER, encoding="utf-8")
    (tmp_path / "compression.py").write_text(COMPRESSION, encoding="utf-8")
    monkeypatch.setenv(FOLDERS[name.partition(".")[0]], str(tmp_path))
    found = judged(monkeypatch, tmp_path, name, ranks=[2])  # each imports torch
    assert found == ({"conservation"} if name.endswith(("GTopK", "DSA")) else set())


def judged(monkeypatch, folder, name, **asked):
    """What is refuted by the contract and the bounds that the documentation names."""
    monkeypatch.chdir(folder)
    how = {"on": "mpi", "ranks": [2, 4], "dtypes": ["float32"], "max_examples": 40, **asked}
    return {*failed(check(f"{PUBLIC / name}", contract="error-feedback:mean=1", draw=BOUNDS, **how))}
