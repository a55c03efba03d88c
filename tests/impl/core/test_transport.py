from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sparring.check import launch
from sparring.impl.core import transport

PROGRAM = str(Path(__file__).with_name("transport_program.py"))


def run(*arguments):
    """The program on three ranks."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    return launch.run([sys.executable, PROGRAM, *arguments], 3, timeout=60)


@pytest.mark.mpi
@pytest.mark.parametrize("check", ["wildcard", "back_to_back", "overlapping", "freed"])
def test_transport(check):
    """Our messages are ours alone, in every setting that the program makes."""
    done = run(check)
    assert done.returncode == 0, done.stdout


@pytest.mark.mpi
@pytest.mark.parametrize(("check", "fault"), [("wildcard", "no_duplicate"), ("freed", "no_delete")])
def test_planted_faults(check, fault):
    """The same program fails without the duplicate, and with one that is never freed."""
    done = run(check, fault)
    assert done.returncode != 0
    assert "AssertionError" in done.stdout or "Truncat" in done.stdout, done.stdout


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
