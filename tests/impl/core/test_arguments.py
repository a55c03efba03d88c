"""Vectors and places for results, alone; what ranks hear of each other's is in test_refusals.py."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.impl.core import arguments

F = np.float32


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        (np.zeros((2, 2), F), "x has 2 dimensions: it must have 1; x.reshape(-1) flattens it"),
        (np.zeros((), F), "x has 0 dimensions: it must have 1; x.reshape(-1) flattens it"),
        (np.zeros(4, np.int8), "x has dtype int8: it must be float32, float64, int32 or int64"),
        (np.zeros(4, ">f4"), "x has dtype >f4: it must be float32, float64, int32 or int64"),
    ],
)
def test_bad_vector(x, sentence):
    """A wrong argument gets one sentence: what is wrong and what would be right."""
    with pytest.raises(InputError) as caught:
        arguments.result(x, None)
    assert str(caught.value) == sentence


def read_only():
    out = np.zeros(4, F)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        (np.zeros(3, F), "out has 3 entries of float32, x 4 of float32: they must be alike"),
        (np.zeros(4), "out has 4 entries of float64, x 4 of float32: they must be alike"),
        (np.zeros((2, 2), F), "out has 2 dimensions: it must have 1; out.reshape(-1) flattens it"),
        (read_only(), "out is read-only: it must be writable"),
    ],
)
def test_bad_out(out, sentence):
    """So does a wrong place for the result."""
    with pytest.raises(InputError) as caught:
        arguments.result(np.zeros(4, F), out)
    assert str(caught.value) == sentence


def test_overlap():
    """``out`` may be ``x``, also as another view of it, or lie beside it, but not overlap it in part."""
    memory = np.zeros(12, F)
    x = memory[4:8]
    for start in (0, 4, 8):
        arguments.result(x, memory[start : start + 4])
    for start in (1, 3, 5, 7):
        with pytest.raises(InputError, match="out overlaps x in part"):
            arguments.result(x, memory[start : start + 4])


def test_empty_vectors_never_overlap():
    """Vectors of no entries go anywhere."""
    memory = np.zeros(4, F)
    arguments.result(memory[2:2], memory[3:3])
