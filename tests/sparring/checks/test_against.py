"""Two targets, or two settings of a library, beside each other: the same bits on the same input."""

from __future__ import annotations

import pytest

from sparring.checks.checking import check
from sparring.checks.ranks.launch import find
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from tests.sparring.checks.refuting import detail, failed, replayed, words

SOURCE = """\
import numpy as np

def library(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def in_order(comm, x, ranks=1):
    every = np.empty((comm.size, x.size), x.dtype)
    comm.Allgather(x, every)
    y = every[0].copy()
    for row in every[1:][::ranks]:
        y = y + row
    return y

def backwards(comm, x):
    return in_order(comm, x, -1)

def raises(comm, x):
    raise ValueError("planted")
"""
MPICH = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"
SAME = ["result", "same bits"]


@pytest.fixture
def mine(target, unshrunk):
    """Judges one of these against something else."""
    target(SOURCE)
    return lambda name, other, **asked: check(f"mine.py:{name}", against=other, **{"only": SAME, **asked})


def test_another_order_of_addition_has_other_bits(mine):
    """Both are right; and the script that is written says so again."""
    assert words(mine("in_order", "mine.py:in_order", max_examples=20)) == dict.fromkeys(SAME, Word.TESTED)
    report = mine("in_order", "mine.py:backwards", ranks=[3, 4])
    assert failed(report).keys() == {"same bits"}
    assert "with mine.py:backwards" in detail(report, "same bits")
    assert replayed("same bits").startswith("refuted: same bits")


def test_what_does_not_end_tells_nothing(mine):
    """Nor is it this target's fault."""
    report = mine("library", "mine.py:raises", max_examples=10)
    assert words(report) == {"result": Word.TESTED, "same bits": Word.NOT_COVERED}
    assert "mine.py:raises does not come to its end: rank 0 raised ValueError" in detail(report, "same bits")
    with pytest.raises(InputError, match="NAME is set for real ranks alone"):
        mine("library", "NAME=VALUE")


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason='no mpiexec: pip install "sparring[mpich]"')
def test_settings_of_the_library(mine):
    """MPICH's ring adds in another order than recursive doubling, which it takes for short vectors."""
    asked = {"on": "mpi", "ranks": [3], "max_examples": 40}
    assert words(mine("library", f"{MPICH}=recursive_doubling", **asked)) == dict.fromkeys(SAME, Word.TESTED)
    other = mine("library", f"{MPICH}=ring", **asked)
    assert words(other) == {"result": Word.TESTED, "same bits": Word.REFUTED}
    assert f"with {MPICH}=ring" in detail(other, "same bits")
