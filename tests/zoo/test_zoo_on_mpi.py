"""Real ranks agree with the simulated world: right programs end, and where MPI raises so does the world."""

import json
import sys
from pathlib import Path

import pytest
from zoo_classes import CLASSES
from zoo_parts import slug

from sparring import world
from sparring.checks import launch

HERE = Path(__file__)
SPECIMENS = {
    f"{slug(family)}_{slug(specimen.name)}": specimen
    for family, specimens in CLASSES.items()
    for specimen in specimens()
}
pytestmark = pytest.mark.mpi


def really(folder, ranks, programs):
    """Which ranks of which program raised what: one launch for all."""
    for name, source in programs.items():
        (folder / f"{name}.py").write_text(source)
    told = folder / "told.json"
    command = [sys.executable, str(HERE.with_name("real_ranks.py")), str(folder), str(told)]
    done = launch.run(command, ranks, timeout=100)
    assert done.returncode == 0, done.stdout
    return {name.removesuffix(".py"): raised for name, raised in json.loads(told.read_text()).items()}


@pytest.mark.parametrize("ranks", [2, 3])
def test_right_twins_end(ranks, tmp_path):
    """Without an exception on any rank."""
    told = really(tmp_path, ranks, {name: s.good for name, s in SPECIMENS.items() if s.ranks == ranks})

    assert told and {name: raised for name, raised in told.items() if any(raised)} == {}


@pytest.mark.parametrize("ranks", [2, 3])
def test_faults_that_mpi_lives_with_end_too(ranks, tmp_path):
    """A leak, a race, a buffer touched too early: no exception tells of them."""
    quiet = {name: s.bad for name, s in SPECIMENS.items() if s.ranks == ranks and s.real == "ends"}
    told = really(tmp_path, ranks, quiet)

    assert told and {name: raised for name, raised in told.items() if any(raised)} == {}


def test_where_mpi_raises_the_world_does(tmp_path):
    """On the same ranks, and the same exception."""
    loud = {name: s.bad for name, s in SPECIMENS.items() if s.real == "raises"}
    told = really(tmp_path, 2, loud)
    simulated = {}
    for name in loud:
        found = world.run(f"{tmp_path / name}.py:main", 2).findings
        by_rank = {finding.rank: finding.call.replace("MPIException", "Exception") for finding in found}
        simulated[name] = [by_rank.get(rank, "") for rank in range(2)]

    assert loud and {name: (told[name], simulated[name]) for name in loud if told[name] != simulated[name]} == {}
