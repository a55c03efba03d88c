"""The reducers of two public repositories, where somebody has cloned them: what the documentation says of each."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
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
pytestmark = [pytest.mark.torch, pytest.mark.mpi]


@pytest.mark.parametrize("name", VERDICTS)
def test_they_are_what_the_documentation_says(monkeypatch, tmp_path, name):
    """By the bounds and the contract that it names."""
    folder = FOLDERS[name.partition(".")[0]]
    if folder not in os.environ or importlib.util.find_spec("torch") is None:
        pytest.skip(f"needs torch, and {folder}, the folder of the cloned code: docs/howto/public_reducers.md")
    monkeypatch.chdir(tmp_path)
    how = {"on": "mpi", "ranks": [2, 4], "dtypes": ["float32"], "max_examples": 40}
    found = check(f"{PUBLIC / name}", contract="error-feedback:mean=1", draw={"n": "16-64", "k": "1-8"}, **how)
    assert failed(found).keys() == VERDICTS[name]


@pytest.mark.parametrize("zeros", [0, 1])
def test_a_merge_of_two_ranks_by_hand(zeros):
    """The steps of gTop-k's merge in numpy alone: with too few entries that are no zeros one is written over."""
    mine, theirs = np.array([9, 0, 1, 2]), np.array([3, 4, 5, 9])
    ours, others = (np.array([1.0, 0, 0, 0]), np.zeros(4)) if zeros else (np.arange(4, 8.0), np.arange(1, 5.0))
    _, here, there = np.intersect1d(mine, theirs, return_indices=True)
    ours[here] += others[there]
    others[there] = 0
    top = np.abs(np.concatenate([ours, others])).argsort()[-4:]
    first, second = top[top < 4], top[top >= 4] - 4
    result = np.zeros(10)
    result[np.concatenate([mine[first], theirs[second]])] = np.concatenate([ours[first], others[second]])
    assert result[9] == (0 if zeros else 8)
