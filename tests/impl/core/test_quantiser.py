"""The fast quantiser writes the page's bytes, and reads from them the page's bits."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from sparring.impl.core import quantiser
from sparring.impl.core.quantiser import Quantiser, extremes
from sparring.proofs.core.refinement import difference, vectors
from sparring.spec.core import groups

SIZES = (0, 1, 2, 7, 8, 9, 33, 100)


def both_ways(x, bits, g, spikes):
    """The message that is written, and what is read from it."""
    made = Quantiser(x.dtype, bits=bits, g=g, spikes=spikes)
    message, y = np.full(made.size(x.size), 255, np.uint8), np.full_like(x, 7)
    made.encode(x, message)
    made.decode(message, y)
    return message, y


def same(x, bits, g, spikes):
    """Whether these are the page's."""
    message, y = both_ways(x, bits, g, spikes)
    with np.errstate(all="ignore"):
        coded = groups.encode(x, bits, g, spikes)
        wanted = np.array(groups.decode(coded), x.dtype)
    return message.tobytes() == bytes(groups.written(coded)) and difference(y, wanted) is None


@pytest.fixture(params=[1, 64], ids=["small blocks", "blocks of 64"])
def block(request, monkeypatch):
    """How many entries are looked at together, where groups let one choose."""
    monkeypatch.setattr(quantiser, "BLOCK", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("g", [1, 3, 8, 33, 300])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bytes_and_bits_are_the_page_s(dtype, g, spikes):
    """NaN, infinities, signed zeros, subnormals and all widths; groups that fill no bytes, and last ones."""
    for n in SIZES:
        for x in (*vectors(dtype, 2, n), (np.arange(n) % 5 - 2).astype(dtype)):
            assert all(same(x, bits, g, spikes) for bits in (1, 3, 4, 8)), (n, x)


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("scale", [1, 1e-44, 1e-38, 1e38])
def test_widths_and_sizes_of_numbers(bits, scale):
    """Where steps are subnormal or none, too."""
    x = (np.random.default_rng(bits).standard_normal(200) * scale).astype(np.float32)
    assert same(x, bits, 16, False) and same(x, bits, 16, True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_are_where_a_search_finds_them(dtype):
    """In groups with one sign or both, with zeros of either, infinities and NaN; the first of equal ones."""
    special = np.array([0.0, -0.0, 1, -1, 2.5, -2.5, np.inf, -np.inf, np.nan, -np.nan, 1e-320, -1e-320]).astype(dtype)
    x = np.random.default_rng(0).choice(special, 6000)
    low, high = (at % 3 for at in extremes(x, np.arange(0, x.size, 3)))
    rows = x.reshape(-1, 3).tolist()
    bad = [[isnan(v) for v in row] for row in rows]
    assert 0 < sum(map(any, bad)) < len(rows)
    for row, nan, least, most in zip(rows, bad, low, high):
        wanted = (nan.index(True),) * 2 if any(nan) else (row.index(min(row)), row.index(max(row)))
        assert (least, most) == wanted


def test_nothing_is_warned_of():
    """Not of infinities, nor of what no code can be."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both_ways(np.array([np.inf, np.nan, -np.inf, 3e38, -3e38, 1], np.float32), 8, 2, True)


@pytest.mark.parametrize("fault", ["truncated", "planes the other way", "a group's step for all"])
def test_a_planted_fault_is_found(fault, monkeypatch):
    """And the twin without it is right."""
    x = np.random.default_rng(1).standard_normal(100).astype(np.float32)
    assert same(x, 3, 16, False)
    if fault == "truncated":
        monkeypatch.setattr(Quantiser, "_rounded", lambda self, steps: np.floor(steps, out=steps))
    elif fault == "planes the other way":
        monkeypatch.setattr(quantiser.planes, "widths", lambda bits: [w for w in (1, 2, 4, 8) if bits & w])
    else:
        plain = Quantiser._decoded

        def first(self, codes, told, out):
            plain(self, codes, told._replace(step=told.step[:1].repeat(told.step.size)), out)

        monkeypatch.setattr(Quantiser, "_decoded", first)
    assert not same(x, 3, 16, False)
