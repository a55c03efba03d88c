"""Documented defects, made again, in the world; what `check` says of them, the catalogue of wrong allreduces asks."""

from pathlib import Path

import numpy as np

from sparring import world
from sparring.world import Kind

DEFECTS = Path(__file__).with_name("defects.py")


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
