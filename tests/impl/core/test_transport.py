from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sparring.checks.ranks import launch
from sparring.impl.core import transport
from tests.sweeps import sweep

pytestmark = pytest.mark.runtimes

PROGRAM = str(Path(__file__).with_name("transport_program.py"))


def run(*arguments, timeout=60):
    """The program on three ranks."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    return launch.run([sys.executable, PROGRAM, *arguments], 3, timeout=timeout)


@pytest.mark.mpi
@pytest.mark.parametrize("check", sweep(["wildcard", "back_to_back", "overlapping", "freed"], few=["wildcard"]))
def test_transport(check):
    """Our messages are ours alone, in every setting that the program makes."""
    done = run(check)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.mpi
def test_without_duplicate():
    """Planted: on the user's own communicator his receive takes a message of ours, which then is missing."""
    with pytest.raises(launch.TimedOut):
        run("wildcard", "no_duplicate", timeout=4)


@pytest.mark.mpi
def test_without_delete():
    """Planted: a duplicate that outlives its communicator is noticed."""
    done = run("freed", "no_delete")
    assert done.returncode != 0
    assert "assert mine == MPI.COMM_NULL" in done.stdout


def test_one_key():
    """Whichever thread makes a key, one key counts."""
    made = iter((5, 6))

    class Comm:
        @staticmethod
        def Create_keyval(delete_fn):
            key = next(made)
            if key == 5:
                assert transport.keyval(Comm) == 6  # another thread comes between
            return key

    assert transport.keyval(Comm) == transport.keyval(Comm) == 6
    del transport.KEYS[Comm]
