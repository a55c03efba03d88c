"""What the documentation publishes of wrong allreduces is what the catalogue declares, and what the command says."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.sparring.checks.suites import CATALOGUE, SUITES, allowed, command_line, due, rows, twins

ROOM = Path(__file__).parents[2] / "docs/planted"
FIRST = dict(reversed([*rows(*SUITES)]))


def published(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOM / f"{kind}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("kind", CATALOGUE)
def test_every_row_of_the_catalogue_is_published(kind):
    """With its options, and found as it is declared; if not, write it anew, as docs/planted/judge.py says."""
    suite, told = CATALOGUE[kind], published(kind)

    assert [one["name"] for one in told["defects"]] == [*suite.defects]
    for one, defect in zip(told["defects"], suite.defects.values()):
        options = suite.options(defect)
        assert one["options"] == " ".join(command_line(options))
        assert due(defect, options) <= {*one["refuted"]} <= allowed(defect), one["name"]
        assert (one["first"] is not None) is bool(one["refuted"]), one["name"]


@pytest.mark.parametrize("kind", CATALOGUE)
def test_every_twin_passes(kind):
    """With all options that its wrong ones are found with."""
    told = [one["options"] for one in published(kind)["twins"] if not one["refuted"]]

    assert sorted(told) == sorted(" ".join(options) for _, _, *options in twins(kind))


def test_the_goal_is_reached():
    """At least 60, and all are found, most within seconds."""
    wrong = [one for kind in CATALOGUE for one in published(kind)["defects"]]

    assert len(wrong) >= 60 and all(one["refuted"] for one in wrong)
    assert sorted(one["first"] for one in wrong)[len(wrong) // 2] < 5


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "name"), FIRST.items())
def test_what_is_published_is_what_the_command_says(kind, name):
    """Of the first of each kind, with the seeds and examples of a default check."""
    told = runpy.run_path(str(ROOM / "judge.py"))["judged"](kind, [name])
    defect = SUITES[kind].defects[name]

    assert due(defect, SUITES[kind].options(defect)) <= {*told["defects"][0]["refuted"]} <= allowed(defect)
    assert told["twins"][0]["refuted"] == []
