"""Documented defects, made again: each falsifies the property that is named beside it, and the right twins none."""

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.checks import engine
from sparring.world import Kind

DEFECTS = Path(__file__).with_name("defects.py")
FALSIFIES = {
    "own_order": "agreement",
    "in_place_of_four": "result",
    "corrupts_its_input": "input untouched",
    "same_block_for_all": "result",
    "whole_blocks_only": "result",
    "empty_is_an_error": "edge sizes",
    "powers_of_two_only": "result",
    "size_overwritten": "hygiene",
    "two_in_flight": "deadlock",
}


def judged(name, **asked):
    """Property by property, whether it is refuted."""
    report = sparring.check(f"{DEFECTS}:{name}", ranks=range(1, 6), max_examples=60, **asked)
    return {result.property: str(result.verdict) == "refuted" for result in report.results}


@pytest.mark.parametrize(("name", "prop"), FALSIFIES.items())
def test_the_defect_is_found(name, prop, tmp_path, monkeypatch):
    """By an example of its own, among at most five ranks, however large."""
    monkeypatch.chdir(tmp_path)  # for reproducers
    monkeypatch.setattr(engine, "SHRINKING", 0.0)
    assert judged(name, only=[prop]) == {prop: True}


@pytest.mark.parametrize("name", ["right", "size_kept"])
def test_a_right_twin_passes(name):
    """Nothing is refuted."""
    assert not any(judged(name).values())


def test_the_missing_wait_has_its_line():
    """As the report about it has."""
    line = next(i for i, text in enumerate(DEFECTS.read_text().splitlines(), start=1) if text.endswith("# bug"))
    found = world.run(f"{DEFECTS}:size_overwritten", 3, [np.ones(2)] * 3).findings

    assert {(f.kind, f.where) for f in found} == {(Kind.TOUCHED, f"defects.py:{line}")}


def test_the_depth_that_is_needed():
    """Two messages in flight need two places."""
    xs = [np.ones(2)] * 3

    assert world.smallest_depth(f"{DEFECTS}:two_in_flight", 3, xs) == 2
    assert world.smallest_depth(f"{DEFECTS}:right", 3, xs) == 0


def test_indices_survive_integers_alone():
    """At the first number that float32 does not have, without an array of that length."""
    for name, exact in (("indices_as_floats", False), ("indices_as_integers", True)):
        edge = np.array([2**24 - 1, 2**24, 2**24 + 1])
        outcome = world.run(f"{DEFECTS}:{name}", 2, [edge] * 2).raise_if_found()
        assert all((got == edge.tolist()) is exact for got in outcome.results)
        assert all(got[:2] == edge[:2].tolist() for got in outcome.results)
