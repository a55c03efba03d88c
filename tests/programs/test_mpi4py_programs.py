"""A whole mpi4py program: the same results in the simulated world and under mpiexec, and every schedule of it.

What other calls do, by themselves and in random programs, is compared with real ranks in tests/sparring/world.
"""

import json
import sys
from pathlib import Path

import pytest

from sparring import world
from sparring.checks.ranks import launch
from sparring.world import Kind
from sparring.world.exploration import content

PROGRAM = Path(__file__).with_name("master_worker.py")
SHORT = [("PIECES = 24", "PIECES = 3"), ("np.arange(1000) + 0.5) / 1000", "np.arange(10) + 0.5) / 10")]
"""What makes it so short that all schedules can be gone through."""
RACE = ("sum(areas[i] for i in range(PIECES)), 9)\n\n\ndef w", "next(iter(areas.values())), 9)\n\n\ndef w")
"""The first result counts, whoever sent it."""


def simulated(**options):
    outcome = world.run(f"{PROGRAM}:main", 4, **options)
    assert outcome.findings == ()
    return outcome


@pytest.mark.mpi
def test_a_program_does_the_same_under_mpiexec():
    """Whatever the schedule and the buffers."""
    if launch.find() is None:
        pytest.skip("no mpiexec: install sparring[mpich]")
    done = launch.run([sys.executable, str(PROGRAM)], 4, timeout=60)
    assert done.returncode == 0, done.stdout
    real = json.loads(done.stdout.splitlines()[-1])
    for seed in range(3):
        for buffers in ("synchronous", "unbounded"):
            assert simulated(scheduler="seeded", seed=seed, buffers=buffers).results == real
    assert simulated().results == real


def test_it_computes_pi_and_leaves_the_deterministic_fragment():
    """The master takes from any source."""
    outcome = simulated()
    assert outcome.results[0] == pytest.approx(3.14159265, abs=1e-6)
    assert {reason.split(" (")[0] for reason in outcome.why_not} == {"recv from any source"}


def explored(folder, changes):
    """The program with these changes, and all its schedules on three ranks."""
    source = PROGRAM.read_text()
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    (target := folder / "changed.py").write_text(source)
    return f"{target}:main", world.explore(f"{target}:main", 3, buffers="synchronous", runs=2000)


def test_a_right_program_has_one_result(tmp_path):
    """Whatever MPI chooses."""
    _, seen = explored(tmp_path, SHORT)

    assert seen.exhausted and len(seen.results) == 1 and seen.findings == ()


def test_a_planted_race_is_found_and_replayed(tmp_path):
    """With fewest choices: without the last of them it does not show."""
    target, seen = explored(tmp_path, [*SHORT, RACE])
    found = min(seen.findings, key=lambda f: len(f.choices))
    usual, shown = (world.run(target, 3, choices=choices) for choices in ((), found.choices))

    assert found.what.kind is Kind.RACE and found.choices
    assert content(shown.results) != content(usual.results) and not shown.findings
    assert all(not world.run(target, 3, choices=found.choices[:i]).findings for i in range(len(found.choices)))
