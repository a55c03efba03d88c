"""What the documentation publishes of mutants is what the command finds, and nobody is excused without a reason."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import sparring
from sparring.mutation import judging, survey
from sparring.proofs.mutants.syntax import IN_PAGES, OPERATORS, changes, mutants
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target

EVERY = 27  # all take an hour; odd, so that of a number off by one both signs are met
RESULTS = Path(__file__).parents[2] / "docs/mutants"
PUBLISHED = sorted(path.stem for path in RESULTS.glob("*.json"))


def published(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_the_goal_is_reached():
    """Of all faults in implementations that change a result or a message, 99 % are found by a default ``verify``."""
    told = [published(name) for name in PUBLISHED]
    killed = sum(counts["killed"] for one in told for part, counts in one["parts"].items() if part != "page")
    alive = [each for one in told for each in one["alive"] if each["word"] == "survived"]
    wrong = [each for each in alive if not each["why"].startswith(judging.SAME)]

    assert killed > 1500 and killed >= 99 * (killed + len(wrong)) / 100


def formulas(name: str) -> list[str]:
    """What the page defines itself."""
    module = sparring.page(name).module
    return [
        key for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_algorithm_is_published(name):
    """On pages and index functions nothing survives; of each survivor elsewhere it is known why.

    Proof alone refuses at least 99 in 100 faults of the page; of what lives, ``--full`` is asked, and that is told too.
    """
    told = published(name)
    parts = told["parts"]

    page = parts.get("page", {"killed": 0, "survived": 0, "by proof alone": 0})
    assert page["by proof alone"] >= 99 * (page["killed"] + page["survived"]) / 100
    own = ["page"] if formulas(name) else []  # a page may have all of them from others
    assert {*own, "implementation"} <= {*parts} <= {*survey.PARTS}
    assert all(
        counts["killed"] > 0 and (counts["survived"] == 0 or part == "implementation") for part, counts in parts.items()
    )
    survivors = [one for one in told["alive"] if one["word"] == "survived"]
    assert len(survivors) == parts["implementation"]["survived"]
    assert [one for one in survivors if one["why"] == survey.NO_REASON or one["full"] is None] == []
    found = sum(counts["by --full alone"] for part, counts in parts.items() if part != "page")
    assert found == sum(bool(one["full"]) for one in survivors)


@pytest.mark.parametrize("name", sparring.pages())
def test_as_many_are_published_as_are_planted(name):
    """Of each operator, in each part: the sources are those that the counts speak of."""
    counts = ((part, found["operators"]) for part, found in published(name)["parts"].items())
    told = {(part, operator): sum(words.values()) for part, found in counts for operator, words in found.items()}
    assert Counter(told) == planted(sparring.page(name))


def planted(page: Page) -> Counter[tuple[str, str]]:
    """How many mutants each operator makes in each part."""
    made = Counter(("page", operator) for operator, *_ in sites(page.module, IN_PAGES))
    code = importlib.import_module((find_target(page) or "").partition(":")[0])
    return made + Counter((survey.part(code, function), operator) for operator, function, *_ in sites(code))


def sites(module: ModuleType, operators: Mapping[str, Any] = OPERATORS) -> Iterator[tuple[Any, ...]]:
    """Where its source is changed, and by which operator."""
    return changes(ast.parse(inspect.getsource(module)), operators)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", PUBLISHED[::10])
def test_what_is_published_is_what_is_found(name):
    """Of every tenth algorithm one in 27; if not, write them anew, as docs/mutants/keep.py says."""
    found = [one._asdict() for one in survey.judge_mutants(sparring.page(name), lambda items, _: items, every=EVERY)]
    alive = [one | {"full": None} for one in published(name)["alive"]]
    killed = [one for one in found if one["word"] == "killed"]

    assert [one for one in found if one not in killed and one not in alive] == []
    assert {*map(place, killed)}.isdisjoint({*map(place, alive)} - twins(sparring.page(name)))
    assert len(killed) >= len(found) / 3


def place(told: dict[str, str]) -> tuple[str, ...]:
    """Which mutant it is."""
    return tuple(told[key] for key in ("part", "operator", "function", "line", "change"))


def twins(page: Page) -> set[tuple[str, ...]]:
    """Places of a page at which more than one mutant is told in the same words, as where a line has two ones."""
    told = Counter(
        ("page", m.operator, m.function, m.text, m.told) for m in mutants(inspect.getsource(page.module), IN_PAGES)
    )
    return {one for one, many in told.items() if many > 1}
