"""What ``verify --mutants`` tells: who was killed, who is equivalent, who lives and why."""

from __future__ import annotations

import ast
import importlib
import json
from functools import partial

import pytest
from click.testing import CliRunner

import sparring
from sparring.cli import cli
from sparring.mutation import survey
from sparring.mutation.judging import Fate
from sparring.parallel import spread
from sparring.proofs.mutants.syntax import Mutant

NAME = "ring_allgather"
PAGE = sparring.page(NAME)
EVERY = 5


@pytest.fixture(scope="module")
def found():
    """The fates of some of one algorithm."""
    return survey.judge_mutants(PAGE, lambda items, _: items, EVERY)


@pytest.mark.slow
def test_the_command_tells_how_many_and_who(monkeypatch, found):
    """In its envelope and in a table; the counts of parts and of operators add up to those of all."""
    monkeypatch.setattr(survey, "judge_mutants", lambda page, _, full: found if page == PAGE else [])
    plain, envelope = (
        CliRunner(env={"COLUMNS": "200"}).invoke(cli, ["verify", NAME, "--ranks", "2", "--mutants", *more])
        for more in ([], ["--json"])
    )
    told = json.loads(envelope.stdout)["mutants"]

    assert (plain.exit_code, envelope.exit_code) == (0, 0)
    assert told["killed"] == len(found) and told["survived"] == told["equivalent"] == 0 and told["survivors"] == []
    assert set(told["algorithms"][NAME]["parts"]) == set(survey.PARTS)
    for parts in (told["operators"], told["algorithms"][NAME]["parts"]):
        assert sum(counts["killed"] for counts in parts.values()) == len(found)
    (line,) = (line for line in plain.output.splitlines() if line.startswith("all "))
    assert line.split() == ["all", str(len(found)), "0", "0"]


@pytest.mark.parametrize(
    ("name", "function", "part"),
    [
        ("ring_allgather", "whose", "index functions"),
        ("ring_allgather", "allgather", "implementation"),
        ("ring_topk", "__call__", "implementation"),
        ("recursive_doubling", "partner", "index functions"),
    ],
)
def test_parts_of_an_implementation(name, function, part):
    """Index functions have numbers alone."""
    module = importlib.import_module(f"sparring.impl.{name}")

    assert survey.part(module, function) == part


def test_why_a_survivor_lives():
    """The proof module knows, by the line that is changed; else it is said that nobody does."""
    known, unknown = (
        survey.entry(
            PAGE,
            "implementation",
            Fate(Mutant("constant", "f", 1, "1 becomes 2", ast.parse(""), text=text), word, ""),
            {"return 1": "it is never called"},
        )
        for text, word in (("return 1", "survived"), ("return 2", "survived"))
    )
    told = survey.summary([known, unknown])

    assert [one["why"] for one in told["survivors"]] == ["it is never called", survey.NO_REASON]
    assert told["algorithms"][NAME]["alive"] == told["survivors"]
    assert told["operators"] == {"constant": {"killed": 0, "survived": 2, "equivalent": 0}}


@pytest.mark.slow
def test_several_processes_find_the_same(found):
    """Each has an algorithm; one without an implementation has a page alone.

    How a mutant is found out may differ, as some return memory that nobody has written to.
    """
    names = (NAME, "./sparring/templates/page.py")
    two = spread(partial(survey.judge_mutants, every=EVERY), names, lambda items, _: items, jobs=2)
    told = survey.summary(two)["algorithms"]

    assert [fate._replace(why="") for fate in two if fate.algorithm == NAME] == [
        fate._replace(why="") for fate in found
    ]
    assert [*told] == [NAME, "page"]
    assert [*told["page"]["parts"]] == ["page"]
