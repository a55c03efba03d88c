"""Simulated ranks share no module that a target loads; what they cannot have apart is noticed when it changes."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from sparring.checks.checking import check
from sparring.proofs.logic.verdicts import Word
from sparring.world import modules
from sparring.world.rank_state import numpys
from tests.sparring.checks.refuting import detail, words

HELPER = """\
import functools

class Box:
    calls = {}
    kept = []

box = []

def add(x, kept=[]):
    kept.append(x)
    return sum(kept)

@functools.lru_cache
def cached(n):
    return []
"""
SOURCE = """\
import builtins
import logging
import os
import random
import sys
import threading

import numpy as np

import installed
import sub.between as between
from further import deep
from further.deep import box as taken
from parts.inner import kept as inner

os.environ.setdefault("OF_LOADING", "1")
generator = np.random.default_rng(5)
scratch = np.zeros(1)

def right(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def same(comm, number):
    if len({*comm.allgather(number)}) > 1:
        raise RuntimeError("not the same")

def counts_its_calls(comm, x, of=deep.Box):
    of.calls["number"] = of.calls.get("number", 0) + 1
    same(comm, of.calls["number"])
    return right(comm, x)

def counts_in_what_is_installed(comm, x):
    return counts_its_calls(comm, x, installed.Box)

def same_list(comm, x):
    deep.box.append(1)
    same(comm, len(taken))
    assert len(taken) == len(deep.box)
    return right(comm, x)

def draws_of_its_own(comm, x):
    random.Random(3).random(), np.random.default_rng(3).random()
    same(comm, generator.random())
    return right(comm, x)

def has_its_own_array(comm, x):
    scratch[:] += 1
    same(comm, scratch[0])
    return right(comm, x)

def through(box, comm, x):
    box.append(x.copy())
    comm.Barrier()
    y = sum(box)
    comm.Barrier()
    box.clear()
    comm.Barrier()
    return y.astype(x.dtype)

def box_of(thing):
    if not hasattr(thing, "kept"):
        thing.kept = []
    return thing.kept

def adds_in_a_list(comm, x): return through(deep.box, comm, x)
def adds_in_the_list_taken(comm, x): return through(taken, comm, x)
def adds_in_a_class(comm, x): return through(deep.Box.kept, comm, x)
def adds_in_a_cache(comm, x): return through(deep.cached(3), comm, x)
def adds_in_what_is_installed(comm, x): return through(installed.box, comm, x)
def adds_in_a_class_installed(comm, x): return through(installed.Box.kept, comm, x)
def adds_in_a_part(comm, x): return through(inner.box, comm, x)
def adds_in_its_default(comm, x, box=[]): return through(box, comm, x)
def adds_in_sys(comm, x): return through(box_of(sys), comm, x)
def adds_in_builtins(comm, x): return through(box_of(builtins), comm, x)
def adds_in_numpy(comm, x): return through(box_of(np.random), comm, x)
def adds_in_the_thread(comm, x): return through(box_of(threading.current_thread()), comm, x)

def adds_in_a_default(comm, x):
    comm.Barrier()
    return between.add(x, comm)

def adds_in_files(comm, x):
    np.save(f"{comm.rank}.npy", x)
    comm.Barrier()
    y = sum(np.load(f"{r}.npy") for r in range(comm.size))
    comm.Barrier()
    return np.asarray(y, x.dtype)

def writes_a_log(comm, x):
    with open(f"{comm.rank}.log", "a") as log, open(os.devnull, "w"), open(os.devnull):
        log.write("called")
    return right(comm, x)

def exchanges_a_function(comm, x):
    os.getlogin = lambda: "somebody"
    return right(comm, x)

def sets_the_environment(comm, x):
    os.environ["OF_RANK"] = str(comm.rank)
    comm.Barrier()
    assert os.environ.pop("OF_RANK") == str(comm.rank)
    return right(comm, x)

def goes_elsewhere(comm, x):
    os.chdir("/usr" if comm.rank else "/")
    comm.Barrier()
    assert os.getcwd() == ("/usr" if comm.rank else "/")
    return right(comm, x)

def draws(comm, x):
    random.seed(7)
    comm.Barrier()
    same(comm, random.random())
    return right(comm, x)

def draws_of_numpy(comm, x):
    np.random.seed(7)
    comm.Barrier()
    same(comm, np.random.normal())
    return right(comm, x)

def draws_unseeded(comm, x):
    y = right(comm, x)
    return y + comm.bcast(np.asarray(random.getrandbits(20) + np.random.randint(1 << 20)).astype(x.dtype))

class Counts:
    calls = []

    def __init__(self, comm, n):
        self.comm = comm

    def __call__(self, x):
        self.calls.append(1)
        same(self.comm, len(self.calls))
        return right(self.comm, x)

def closure(kept, hold=True):
    def adds(comm, x):
        return through(kept if hold else [x], comm, x)
    return adds
"""
BETWEEN = """\
from further.deep import add as added

def add(x, comm):
    y = added(x.copy())
    comm.Barrier()
    return y.astype(x.dtype)
"""
ALONE = """\
import os

import numpy as np

def seldom(comm, x):
    os.getlogin = lambda: "somebody"
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y
"""
FILES = {
    "code/mine.py": SOURCE, "code/sub/between.py": BETWEEN, "code/further/__init__.py": "",
    "code/further/deep.py": HELPER, "site/installed.py": HELPER, "site/parts/inner/kept.py": HELPER,
}  # fmt: skip
TOPS = ("mine", "sub", "further", "installed", "parts")
RIGHT = (
    "right", "counts_its_calls", "counts_in_what_is_installed", "same_list", "draws_of_its_own", "has_its_own_array",
    "writes_a_log", "sets_the_environment", "goes_elsewhere", "draws", "draws_of_numpy",
)  # fmt: skip
WRONG = (
    "adds_in_a_list", "adds_in_the_list_taken", "adds_in_a_class", "adds_in_a_cache", "adds_in_what_is_installed",
    "adds_in_a_class_installed", "adds_in_a_part", "adds_in_its_default", "adds_in_a_default",
)  # fmt: skip
SHARED = {
    "adds_in_sys": "sys.kept",
    "adds_in_builtins": "builtins.kept",
    "adds_in_numpy": "numpy.random.kept",
    "adds_in_the_thread": "threading.current_thread().kept",
    "exchanges_a_function": "os.getlogin",
}


@pytest.fixture
def mine(tmp_path, monkeypatch, unshrunk):
    """Judges one of these: a file that loads packages with state, of the user and of distributions."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(modules, "INSTALLED", (*modules.INSTALLED, f"{tmp_path}{os.sep}site{os.sep}"))
    yield lambda name, **asked: check(
        f"code/mine.py:{name}" if isinstance(name, str) and ":" not in name else name,
        **{"max_examples": 5, "ranks": [1, 3], "only": ["result"], **asked},
    )
    for name in [name for name in sys.modules if name.partition(".")[0] in TOPS]:
        del sys.modules[name]


@pytest.fixture
def loaded(mine, monkeypatch, tmp_path):
    """The same file as a module of this process, as a test file has it."""
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    monkeypatch.delenv("OF_LOADING", raising=False)
    return importlib.import_module("mine")


def state():
    """What this process has."""
    return {**os.environ}, Path.cwd(), random.getstate(), numpys(), [*sys.path]


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_among_processes_is_right_here(mine, name):
    """Counters, too, generators and the environment, which each rank has of its own; nothing of it stays here."""
    before, loaded = state(), {*sys.modules}
    assert words(mine(name, only=["result", "agreement"])) == dict.fromkeys(["result", "agreement"], Word.TESTED)
    assert state() == before and not {"mine", "further", "installed"} & ({*sys.modules} - loaded)


@pytest.mark.parametrize("name", RIGHT)
def test_so_are_functions_of_this_process(mine, loaded, name):
    """Whatever their code names."""
    assert words(mine(getattr(loaded, name))) == {"result": Word.TESTED}
    assert loaded.deep.Box.calls == {} and loaded.deep.box == loaded.taken == [] and loaded.scratch[0] == 0


@pytest.mark.parametrize("name", WRONG)
def test_what_only_shared_memory_makes_right_is_refuted(mine, loaded, name):
    """A list in a module's module, in a class, a cache, a default, in what is installed, in a part of a package.

    The modules that this process has loaded, as a conftest.py may have, are not theirs.
    """
    assert words(mine(name)) == words(mine(getattr(loaded, name))) == {"result": Word.REFUTED}
    assert loaded.deep.box == [] and sys.modules["further.deep"] is loaded.deep


@pytest.mark.parametrize("name", SHARED)
def test_what_cannot_be_apart_is_told(mine, loaded, name):
    """Nothing is tested then, and this process goes on as before; no trace is left."""
    for target in (name, getattr(loaded, name)):
        report = mine(target)
        assert words(report) == {"result": Word.NOT_COVERED} and report.exit_code == 0
        why = f"simulated ranks share {SHARED[name]}, which the target changes: --on mpi"
        assert detail(report, "result") == why
    assert not any(hasattr(thing, "kept") for thing in (sys, np.random)) and "lambda" not in repr(os.getlogin)


def test_files_that_one_writes_and_another_reads_are_told(mine):
    """By their names."""
    report = mine("adds_in_files", ranks=[5])
    assert words(report) == {"result": Word.NOT_COVERED}
    files = " and ".join(f"the file {Path.cwd() / f'{rank}.npy'}" for rank in range(3))
    assert detail(report, "result").startswith(f"simulated ranks share {files} and 2 more, which the target changes")


def test_what_a_function_of_this_process_holds_is_told(mine, loaded):
    """In the variables around it; not where it does not change."""
    report = mine(loaded.closure([]))
    assert words(report) == {"result": Word.NOT_COVERED}
    assert "share kept in closure.<locals>.adds, which" in detail(report, "result")
    assert words(mine(loaded.closure([1], hold=False))) == {"result": Word.REFUTED}


def test_a_class_is_each_ranks_own(mine, loaded):
    """By its name, and itself."""
    assert words(mine("Counts")) == words(mine(loaded.Counts)) == {"result": Word.TESTED}
    assert loaded.Counts.calls == []


def test_generators_of_ranks_go_on(mine):
    """So that what depends on them is not the same again; as it is on real ranks."""
    assert words(mine("draws_unseeded", only=["reproducibility"])) == {"reproducibility": Word.REFUTED}


def test_compiled_modules_are_shared_and_watched(mine, monkeypatch, tmp_path):
    """They cannot be loaded twice; the package's other modules are each rank's own."""
    shared = (importlib.import_module(name) for name in ("_queue", "_json", "_bisect", "_heapq"))
    found = next((module for module in shared if modules.compiled(module)), None)
    if found is None:
        pytest.skip("this Python has all its compiled modules built in")
    name, file = found.__name__, Path(str(found.__file__))
    package = tmp_path / "code/package"
    package.mkdir()
    (package / file.name).write_bytes(file.read_bytes())
    (package / "__init__.py").write_text(
        f"from mine import *\nfrom . import {name} as compiled\n"
        "def adds(comm, x): return through(box_of(compiled), comm, x)\n"
        "def counts(comm, x):\n    deep.box.append(1)\n    same(comm, len(taken))\n    return right(comm, x)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    report = mine("package:adds")
    assert words(report) == {"result": Word.NOT_COVERED}
    assert f"share the state of package.{name}, which" in detail(report, "result")
    assert words(mine("package:counts")) == {"result": Word.TESTED}


@pytest.mark.mpi
def test_on_real_ranks_they_are_apart(mine, launcher, ranks):
    """What the simulated world cannot judge, these do."""
    Path("alone.py").write_text(ALONE, encoding="utf-8")
    assert words(mine("alone.py:seldom", on="simulated")) == {"result": Word.NOT_COVERED}
    assert words(mine("alone.py:seldom", on="both", group=ranks)) == {"result": Word.TESTED}


def test_libraries_are_shared():
    """The standard library, and numpy; sparring itself; what is installed, if it is large or compiled."""
    specs = [
        sys.modules[name].__spec__ for name in ("os", "json", "pytest", "sparring", "numpy", "hypothesis", "greenlet")
    ]
    assert not any(modules.users(spec) or modules.small(spec) for spec in specs)
    assert modules.small(importlib.util.find_spec("sortedcontainers"))
