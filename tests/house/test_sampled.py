"""Faults drawn at random from all code of implementations: what is published is what a default ``verify`` finds."""

from __future__ import annotations

import ast
import json
import re
import runpy
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

import sparring
from sparring.mutation import sampled
from sparring.mutation.loading import SOURCES, loaded
from sparring.mutation.small_models import Trials
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.syntax import Mutant, mutants
from sparring.spec.core import selectors

ROOM = Path(__file__).parents[2] / "docs/mutants"
PUBLISHED, OF_WORLD = (
    json.loads((ROOM / f"sample/{name}.json").read_text(encoding="utf-8")) for name in ("sample", "world")
)
KILLED = [one for one in PUBLISHED["faults"] if one["word"] == "killed"]
EVERY = 24
NO_FAULT = "No fault"
"""How the reason begins by which a fault changes nothing; nobody has proved it."""


def test_the_goal_is_reached():
    """Of 200 and more, 98 % of those that are faults are found; of each other it is known why it lives."""
    faults = PUBLISHED["faults"]
    alive = [one for one in faults if one["word"] == "survived"]
    wrong = [one for one in alive if not one["why"].startswith(NO_FAULT)]

    assert len(faults) == PUBLISHED["count"] >= 200
    assert len(KILLED) >= 0.98 * (len(KILLED) + len(wrong)) and len(alive) <= 0.04 * len(faults)
    assert all(one["why"] for one in faults)


def test_each_fault_can_still_be_planted():
    """The lines are still there: else draw anew, by docs/mutants/sample.py."""
    assert [one for one in PUBLISHED["faults"] if words(one) not in plantable(source(one))] == []


def words(told):
    """What tells a fault from the others of its file."""
    return told["function"], told["line"], told["change"]


def source(told):
    """The file of an implementation."""
    return SOURCES[f"sparring.impl.{told['module']}"]


@cache
def plantable(file):
    """The words of all mutants of a file; the mutants themselves are large."""
    return {(m.function, m.text, m.told) for m in mutants(file.read_text(encoding="utf-8"))}


def found(told, file=None):
    """The mutants of a file, by default of the implementation's, that are told in these words."""
    every = mutants((file or source(told)).read_text(encoding="utf-8"))
    return [m for m in every if (m.function, m.text, m.told) == words(told)]


@pytest.mark.slow
@pytest.mark.parametrize("told", KILLED[::EVERY], ids=lambda told: f"{told['module']}, {told['function']}")
def test_what_is_published_is_what_is_found(told):
    """One in 24 of those that are found: of one that lives, all algorithms that load it would be asked, for minutes."""
    module = f"sparring.impl.{told['module']}"
    users, trials = sampled.loading(module), Trials(Memory())

    assert "killed" in [sampled.fate(module, mutant, users, trials).word for mutant in found(told)]


def of_world(script, told):
    """The file of a module of the simulated MPI."""
    return script.CHECKOUT / script.ROOM / f"{told['module']}.py"


@pytest.fixture(scope="module")
def script():
    """What draws faults in the simulated MPI."""
    return SimpleNamespace(**runpy.run_path(str(ROOM / "world.py")))


def test_faults_of_the_world_are_found(script):
    """Those that live are argued to be none.  If one cannot be planted any more, docs/mutants/world.py draws anew."""
    faults = OF_WORLD["faults"]
    alive = [one for one in faults if one["word"] == "survived"]

    assert len(faults) == OF_WORLD["count"] >= 60
    assert all(one["why"].startswith(NO_FAULT) for one in alive) and len(alive) <= 0.1 * len(faults)
    assert all(words(one) in plantable(of_world(script, one)) for one in faults)


def passed_before(told):
    """How many tests pass before one finds the fault; 0 where verify does."""
    passed = re.search(r"(\d+) passed", told["why"])
    return int(passed[1]) if passed else 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_published_of_the_world_is_what_is_found(script, tmp_path):
    """One that verify finds and one that few tests find; without a fault neither verify nor a file of tests does."""
    folder = script.copied(tmp_path / "copy")
    few = [f"{ask}/test_world_findings.py" if ask.endswith("/world") else ask for ask in script.TESTS]
    assert [script.wrong(script.looked(folder, *ask)) for ask in (("-c", script.LOOK), few)] == ["", ""]
    for by in ("verify", "tests"):
        told = min((one for one in OF_WORLD["faults"] if one["by"] == by), key=passed_before)
        assert by in [script.fate(folder, told["module"], one)["by"] for one in found(told, of_world(script, told))]


def test_every_algorithm_and_selector_loads_its_own_module_and_more():
    """Its own comes first among those that are asked."""
    names = {*sparring.pages(), *selectors.names()}

    assert {*sampled.subjects()} == names
    for name, own in sampled.subjects().items():
        assert sampled.loading(own)[0] == name
        assert len(loaded(own)) > 1
    coding = {*sampled.loading("sparring.impl.codecs.group_quantiser")}
    assert {"flash", "qgz", "sparse_loco"} <= coding and "ring" not in coding


@pytest.mark.parametrize(
    ("old", "new", "by"), [("size[::STRIDE]", "size[::1]", ""), ("near >= least", "near > least", "topk")]
)
def test_a_selector_is_asked_too(old, new, by):
    """A fault in what it loads is found by it; another sample is none."""
    module = "sparring.impl.core.selection"
    source = SOURCES[module].read_text(encoding="utf-8")
    mutant = Mutant("changed", "candidates", 1, new, ast.parse(source.replace(old, new)))

    one = sampled.fate(module, mutant, ["topk"], Trials(Memory()))
    assert (one.word, one.by) == ("killed" if by else "survived", by)
