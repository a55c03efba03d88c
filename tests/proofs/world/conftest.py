"""The programs for mpiexec are no tests: collecting them would start MPI in this process."""

import pytest

from sparring.checks import launch
from sparring.checks.group import Group

collect_ignore = ["mpi_calls.py", "mpi_collectives.py", "on_real_ranks.py", "random_programs.py"]
collect_ignore += ["wild_programs.py"]


@pytest.fixture(scope="module")
def group():
    """Three real ranks, started once."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    with Group(3) as started:
        yield started
