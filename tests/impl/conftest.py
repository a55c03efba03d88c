"""Real ranks for the implementations' tests: one launch for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sparring.checks import engine
from sparring.checks.ranks import launch
from sparring.checks.ranks.group import Group


@pytest.fixture(scope="session")
def group() -> Iterator[Group]:
    """Up to eight ranks under real MPI."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    with Group(8) as started:
        yield started


@pytest.fixture(autouse=True)
def unshrunk(monkeypatch):
    """Here it is asked what ``check`` finds false, not how small an example shows it."""
    monkeypatch.setattr(engine, "SHRINKING", 0.0)
