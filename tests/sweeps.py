"""What a test is run for: a few always, the others with the slow tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sweep(values: Collection[Any], few: Collection[Any] = (1, 2, 3, 5)) -> list[Any]:
    """``values``, mostly numbers of ranks, as parameters, tuples as several each; all but a ``few`` are slow."""
    slow = [pytest.param(*(one if isinstance(one, tuple) else [one]), marks=pytest.mark.slow) for one in values]
    return [one if one in few else param for one, param in zip(values, slow)]


def third(names: Iterable[Any]) -> list[Any]:
    """``names`` as parameters; all but every third are slow."""
    return sweep(named := [*names], few=named[::3])
