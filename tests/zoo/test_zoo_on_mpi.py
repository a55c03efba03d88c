"""Real ranks agree with the simulated world: right programs end, and where MPI raises so does the world."""

import json
import sys
from pathlib import Path

import pytest
from zoo_classes import CLASSES
from zoo_parts import slug

from sparring import world
from sparring.checks.ranks import launch

HERE = Path(__file__)
SPECIMENS = {
    f"{slug(family)}_{slug(specimen.name)}": specimen
    for family, specimens in CLASSES.items()
    for specimen in specimens()
}
pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("ranks", [2, 3])
def test_real_ranks_do_as_the_world_says(ranks, tmp_path):
    """One launch for all: right twins end, and so do faults that MPI lives with; where it raises so does the world.

    A leak, a race, a buffer touched too early: no exception tells of them.  What is raised is raised on the same ranks.
    """
    here = {name: s for name, s in SPECIMENS.items() if s.ranks == ranks}
    twins = {s.good: f"{name}_twin" for name, s in here.items()}  # of which many are one
    programs = {name: source for source, name in twins.items()}
    programs |= {name: s.bad for name, s in here.items() if s.real in ("ends", "raises")}
    for name, source in programs.items():
        (tmp_path / f"{name}.py").write_text(source)
    command = [sys.executable, str(HERE.with_name("real_ranks.py")), str(tmp_path), str(tmp_path / "told.json")]
    done = launch.run(command, ranks, timeout=110)
    assert done.returncode == 0, done.stdout
    told = {
        name.removesuffix(".py"): raised for name, raised in json.loads((tmp_path / "told.json").read_text()).items()
    }

    assert told.keys() == programs.keys()
    for name, raised in told.items():
        expected = [""] * ranks
        if name in here and here[name].real == "raises":
            found = world.run(f"{tmp_path / name}.py:main", ranks).findings
            by_rank = {finding.rank: finding.call.replace("MPIException", "Exception") for finding in found}
            expected = [by_rank.get(rank, "") for rank in range(ranks)]
            assert any(expected), name
        assert raised == expected, name
