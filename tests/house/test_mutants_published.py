"""What the documentation publishes of mutants is what the command finds, and nobody is excused without a reason."""

from __future__ import annotations

import json
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring import mutation

RESULTS = Path(__file__).parents[2] / "docs/mutants"
PUBLISHED = sorted(path.stem for path in RESULTS.glob("*.json"))


def published(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_every_algorithm_is_counted():
    assert {*PUBLISHED} == {*sparring.pages()}


def test_the_goal_is_reached():
    """Of all faults in implementations 99 % are found."""
    counts = [published(name)["parts"]["implementation"] for name in PUBLISHED]
    killed, survived = (sum(one[word] for one in counts) for word in ("killed", "survived"))

    assert killed >= 99 * (killed + survived) / 100


def formulas(name: str) -> list[str]:
    """What the page defines itself."""
    module = sparring.page(name).module
    return [key for key, value in vars(module).items() if isfunction(value) and value.__module__ == module.__name__]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_algorithm_is_published(name):
    """On pages and index functions nothing survives; of each survivor elsewhere it is known why."""
    told = published(name)
    parts = told["parts"]

    own = ["page"] if formulas(name) else []  # a page may have all of them from others
    assert {*own, "implementation"} <= {*parts} <= {*mutation.PARTS}
    assert all(
        counts["killed"] > 0 and (counts["survived"] == 0 or part == "implementation") for part, counts in parts.items()
    )
    survivors = [one for one in told["alive"] if one["word"] == "survived"]
    assert len(survivors) == parts["implementation"]["survived"]
    assert [one for one in survivors if one["why"] == mutation.NO_REASON] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_published_is_what_is_found(name):
    """If this fails: sparring verify --mutants --json | python docs/mutants/keep.py."""
    found = mutation.told(sparring.page(name), lambda items, _: items)

    assert mutation.summary(found)["algorithms"][name] == published(name)
