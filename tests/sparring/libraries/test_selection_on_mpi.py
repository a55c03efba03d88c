"""The selection audit of the MPI library that is installed, on two ranks.  How fast anything is, is not looked at."""

from __future__ import annotations

import pytest

from sparring.checks.doctor.ranks import cores
from sparring.checks.ranks import launch
from sparring.costs.links.machines import Machine
from sparring.libraries import counting, timing
from sparring.libraries.choice_audit import audit_choices
from sparring.libraries.selection import OWN, Library, installed

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]
SIZES = (1, 4096)


def test_the_library_that_is_installed(monkeypatch):
    """Its own choice and the first two algorithms: every length is timed, and each that is chosen sends some page's."""
    every = Library.choices
    monkeypatch.setattr(Library, "choices", lambda self, names: every(self, names)[:3])
    monkeypatch.setattr(timing, "LEAST", 2)
    monkeypatch.setattr(timing, "SECONDS", 0.05)

    machine = None if cores() > 1 else Machine("1us", "1ns")  # without times, none can be fitted
    found = audit_choices("allreduce", machine=machine, ranks=[2], sizes=SIZES, budget=0.1)

    assert found.library == installed().version
    tells = counting.tells(installed())
    assert [(one.ranks, one.size) for one in found.choices] == ([(2, n) for n in SIZES] if tells else [])
    assert all(one.page and one.derived and one.factor is not None for one in found.choices)
    assert [one.ranks for one in found.taken] == [2] * (cores() > 1)
    for taken in found.taken:
        assert taken.rounds == 2 and OWN in taken.seconds
        assert None not in taken.seconds[OWN]
        assert all(0 < low <= middle <= high for low, middle, high in filter(None, taken.seconds[OWN]))
        assert [loss.size for loss in found.losses] == [*SIZES]
        assert all(loss.best in taken.seconds.keys() - {OWN} and min(loss.factor) > 0 for loss in found.losses)
