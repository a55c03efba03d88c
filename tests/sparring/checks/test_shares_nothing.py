"""Simulated ranks share no module that a user wrote; what they cannot have apart is noticed when it changes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from sparring.checks.checking import check
from sparring.proofs.core.verdicts import Word
from sparring.proofs.world import modules
from tests.sparring.checks.refuting import detail, words

HELPER = """\
class Box:
    calls = {}

box = []

def add(x, kept=[]):
    kept.append(x)
    return sum(kept)
"""
SOURCE = """\
import os
import random

import numpy as np

import sub.between as between
from further import deep

def right(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def counts_its_calls(comm, x):
    calls = deep.Box.calls
    calls["number"] = calls.get("number", 0) + 1
    number = np.array(calls["number"])
    every = np.empty(comm.size, number.dtype)
    comm.Allgather(number, every)
    if (every != number).any():
        raise RuntimeError(f"calls {every}")
    return right(comm, x)

def adds_in_a_list(comm, x, box=deep.box):
    box.append(x.copy())
    comm.Barrier()
    y = sum(box)
    comm.Barrier()
    box.clear()
    comm.Barrier()
    return y.astype(x.dtype)

def adds_in_a_default(comm, x):
    comm.Barrier()
    return between.add(x, comm)

def sets_the_environment(comm, x):
    os.environ["OF_RANK"] = str(comm.rank)
    return right(comm, x)

def goes_elsewhere(comm, x):
    os.chdir("/")
    return right(comm, x)

def draws(comm, x):
    random.random()
    return right(comm, x)

def draws_of_numpy(comm, x):
    np.random.seed(comm.rank)
    return right(comm, x)

def draws_of_its_own(comm, x):
    random.Random(3).random(), np.random.default_rng(3).random()
    return right(comm, x)
"""
BETWEEN = """\
from further.deep import add as added

def add(x, comm):
    y = added(x.copy())
    comm.Barrier()
    return y.astype(x.dtype)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch, unshrunk):
    """Judges one of these: a file that loads a package without __init__.py, and another, which has state."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"code/mine.py": SOURCE, "code/sub/between.py": BETWEEN, "code/further/deep.py": HELPER}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "code/further/__init__.py").touch()
    return lambda name, **asked: check(f"code/mine.py:{name}", **{"max_examples": 20, "ranks": range(1, 5), **asked})


@pytest.mark.parametrize("name", ["right", "counts_its_calls", "draws_of_its_own"])
def test_what_is_right_among_processes_is_right_here(mine, name):
    """Counters, too, which each rank has of its own; nothing of it stays in this process."""
    before, path = {*sys.modules}, [*sys.path]
    judged = words(mine(name, only=["result", "agreement", "reproducibility", "hygiene"]))
    assert set(judged.values()) == {Word.TESTED}
    assert sys.path == path and not {"further", "sub", "further.deep"} & ({*sys.modules} - before)


@pytest.mark.parametrize("name", ["adds_in_a_list", "adds_in_a_default"])
def test_what_only_shared_memory_makes_right_is_refuted(mine, name):
    """A list of a module's module, and a function's default."""
    assert words(mine(name, only=["result"])) == {"result": Word.REFUTED}


def test_modules_that_this_process_has_loaded_are_not_theirs(mine, monkeypatch, tmp_path):
    """As a conftest.py may have."""
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    import further.deep as ours  # type: ignore[import-not-found]  # written by the fixture

    try:
        assert words(mine("adds_in_a_list", only=["result"])) == {"result": Word.REFUTED}
        assert ours.box == [] and sys.modules["further.deep"] is ours
    finally:
        for name in ("further.deep", "further"):
            del sys.modules[name]


@pytest.mark.parametrize(("name", "what"), [
    ("sets_the_environment", "the environment"), ("goes_elsewhere", "the working directory"),
    ("draws", "the generator of random"), ("draws_of_numpy", "the generator of numpy"),
])  # fmt: skip
def test_what_cannot_be_apart_is_told(mine, name, what):
    """Nothing is tested then, and this process goes on as before."""
    here = Path.cwd()
    report = mine(name, only=["result", "agreement"])
    assert words(report) == dict.fromkeys(["result", "agreement"], Word.NOT_COVERED)
    assert detail(report, "result") == f"simulated ranks share {what}, which the target changes: --on mpi"
    assert "OF_RANK" not in os.environ and Path.cwd() == here


@pytest.mark.mpi
def test_on_real_ranks_they_are_apart(mine, launcher, ranks):
    """And are judged."""
    report = mine("sets_the_environment", only=["result"], on="both", group=ranks)
    assert words(report) == {"result": Word.TESTED}


def test_libraries_are_shared():
    """The standard library, and what is installed, as numpy is; sparring itself."""
    assert not any(modules.users(sys.modules[name].__spec__) for name in ("os", "json", "pytest", "sparring"))
    assert not modules.users(np.__spec__)
