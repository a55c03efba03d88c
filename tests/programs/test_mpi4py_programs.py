"""Whole mpi4py programs of different kinds: the same results in the simulated world and under mpiexec."""

import json
import sys
from pathlib import Path

import pytest

from sparring import world
from sparring.checks.ranks import launch

PROGRAMS = Path(__file__).parent
NAMES = ("master_worker", "halo_exchange", "pipelined_broadcast")
P = 4


def simulated(name, p=P, **options):
    outcome = world.run(f"{PROGRAMS / name}.py:main", p, **options)
    assert outcome.findings == ()
    return outcome


@pytest.mark.mpi
@pytest.mark.parametrize("name", NAMES)
def test_a_program_does_the_same_under_mpiexec(name):
    """Whatever the schedule and the buffers."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    real = printed(name)
    for seed in range(3):
        for buffers in ("synchronous", "unbounded"):
            assert simulated(name, scheduler="seeded", seed=seed, buffers=buffers).results == real
    assert simulated(name).results == real


def printed(name):
    """What the program's rank 0 prints."""
    done = launch.run([sys.executable, f"{PROGRAMS / name}.py"], P, timeout=60)
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", NAMES)
def test_only_the_wildcards_leave_the_deterministic_fragment(name):
    """The master takes from any source; the others name all their sources."""
    why = {reason.split(" (")[0] for reason in simulated(name).why_not}
    assert why == ({"recv from any source"} if name == "master_worker" else set())


def test_they_compute_what_they_say():
    """Pi; a plate on which heat only spreads; one vector everywhere."""
    assert simulated("master_worker").results[0] == pytest.approx(3.14159265, abs=1e-6)
    plates = [simulated("halo_exchange", p).results for p in (1, 4, 6)]
    sums = [[sum(part[i] for part in plate) for i in range(10)] for plate in plates]
    assert sums[0] == pytest.approx(sums[1], rel=1e-12) and sums[0] == pytest.approx(sums[2], rel=1e-12)
    assert all(plate[0][-1] == plates[0][0][-1] for plate in plates)
    assert simulated("pipelined_broadcast", 6).results == [simulated("pipelined_broadcast", 1).results[0]] * 6
