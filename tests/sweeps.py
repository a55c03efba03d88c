"""What a test is run for: a few always, the others with the slow tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], few: Collection[Any] = (1, 2, 3, 5)) -> list[Any]:
    """``values``, mostly numbers of ranks, as parameters; all but a ``few`` are slow."""
    return [one if one in few else pytest.param(one, marks=pytest.mark.slow) for one in values]


def third(names: Iterable[Any]) -> list[Any]:
    """``names`` as parameters; all but every third are slow."""
    return sweep(named := [*names], few=named[::3])
