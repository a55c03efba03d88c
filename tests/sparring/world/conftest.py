"""The programs for mpiexec are no tests: collecting them would start MPI in this process."""

from pathlib import Path

import pytest

from sparring.checks.ranks import launch
from sparring.checks.ranks.group import Group

collect_ignore = [path.name for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")]


@pytest.fixture(scope="module")
def group():
    """Three real ranks, started once."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    with Group(3) as started:
        yield started
