from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.errors import InputError
from sparring.impl.codecs import bit_planes
from sparring.impl.core import arguments
from sparring.impl.core.selection import top
from tests.impl.algorithms import called

REFUSAL = f"{Path(__file__).parents[1] / 'on_ranks.py'}:refusal"
F = np.float32


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ([1.0], "x is a list: it must be a numpy array"),
        (np.zeros((2, 2), F), "x has 2 dimensions: it must have 1; x.reshape(-1) flattens it"),
        (np.zeros((), F), "x has 0 dimensions: it must have 1; x.reshape(-1) flattens it"),
        (np.zeros(4, np.int8), "x has dtype int8: it must be float32, float64, int32 or int64"),
        (np.zeros(4, ">f4"), "x has dtype >f4: it must be float32, float64, int32 or int64"),
        (np.zeros(8, F)[::2], "x has gaps between its entries: it must be contiguous; x.copy() is"),
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


DIFFERENT = [
    (
        [np.zeros(7), np.zeros(7), np.zeros(7, F)],
        "rank 2 has float32 and 7 entries, rank 0 float64 and 7 entries: all ranks need one dtype and length",
    ),
    (
        [np.zeros(7), np.zeros(6), np.zeros(5)],
        "rank 1 has float64 and 6 entries, rank 0 float64 and 7 entries: all ranks need one dtype and length",
    ),
]


def texts(ys):
    return [bytes(y).decode() for y in ys]


@pytest.mark.mpi
@pytest.mark.parametrize(("xs", "sentence"), DIFFERENT)
def test_ranks_differ(group, xs, sentence):
    """Every rank raises the same sentence, which names the first rank that differs; simulated ranks do, too."""
    assert texts(group.run(REFUSAL, xs)) == texts(world.run(REFUSAL, 3, xs).results) == [sentence] * 3


@pytest.mark.mpi
@pytest.mark.parametrize("bad", range(3))
def test_one_rank_refuses(group, bad):
    """A fault that one rank alone can see is heard of by all, so none waits for ever."""
    xs = [np.zeros((2, 2)) if r == bad else np.zeros(4) for r in range(3)]
    heard = texts(group.run(REFUSAL, xs))
    assert heard.pop(bad) == "x has 2 dimensions: it must have 1; x.reshape(-1) flattens it"
    assert heard == [f"rank {bad}'s arguments are refused, as its own error says; nothing was computed"] * 2


def test_exchange_can_be_left_out():
    """Without ``validate`` each rank still checks its own arguments, and no collective is called."""
    recorded = world.run(REFUSAL, 2, [np.zeros((2, 2))] * 2, call=partial(called, validate=False))
    assert all("2 dimensions" in text for text in texts(recorded.results))
    assert "Allgather" not in {one.name for one in recorded.collectives}


@pytest.mark.parametrize(
    ("x", "k", "options", "why"),
    [
        (np.ones(3), -1, {}, "k = -1: it must be 0 or more"),
        (np.array([1.0, np.nan]), 1, {"allow_nan": False}, r"x\[1\] is NaN"),
        (np.ones((2, 2)), 1, {}, "2 dimensions"),
        ([1.0], 1, {}, "must be a numpy array"),
    ],
)
def test_what_cannot_be_selected_from_is_refused(x, k, options, why):
    """One sentence."""
    with pytest.raises(InputError, match=why):
        top(x, k, **options)


@pytest.mark.parametrize("bits", [0, 9])
def test_other_widths_of_codes_are_refused(bits):
    with pytest.raises(InputError, match="it must have 1 to 8"):
        bit_planes.widths(bits)
