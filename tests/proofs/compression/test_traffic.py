"""The bytes of all messages are those of the formula, rank by rank, for p = 1 to 64."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.proofs.compression import traffic
from tests.sweeps import sweep

WAYS = [{}, {"b1": 4}, {"b1": 3, "b2": 5, "g": 2, "spikes": 1}, {"b1": 4, "b2": 4, "g": 1}]


@pytest.mark.parametrize("p", sweep(range(1, 65), few=(1, 2, 3, 5, 8, 16, 33, 64)))
def test_counted(p):
    """For a length that p does not divide, and for one below p."""
    page = sparring.page("flash", **WAYS[p % len(WAYS)])
    for n, dtype in ((2 * p + p // 2 + 1, "float32"), (p // 2, "float64")):
        xs = [np.arange(n).astype(dtype)] * p
        assert traffic.counted(page, xs) == [traffic.sent(page, r, p, n, xs[0].itemsize) for r in range(p)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("width", [4, 8])
def test_the_closed_form(way, width):
    """Where groups and bytes are full, for every number of ranks."""
    page = sparring.page("flash", **way)
    form, g = traffic.closed(page, width), page.params["g"]
    for p in range(1, 65):
        for e in (0, 1, 3):
            n = 8 * p * g * e
            assert all(traffic.sent(page, r, p, n, width) == form.subs({"p": p}).subs(traffic.n, n).subs(traffic.p, p)
                       for r in range(p))  # fmt: skip


def test_bits_an_entry():
    """Ours, and as the public accounts have them with 16 bits each for step and zero."""
    ours = {(bits, g): traffic.Coding(g, 0, 4).per_entry(bits) for bits, g in ((8, 128), (4, 128), (4, 32))}
    assert ours == {(8, 128): Fraction(17, 2), (4, 128): Fraction(9, 2), (4, 32): 6}
    assert {at: x - Fraction(32, at[1]) for at, x in ours.items()} == {
        (8, 128): Fraction(33, 4), (4, 128): Fraction(17, 4), (4, 32): 5,
    }  # fmt: skip
    assert traffic.Coding(32, 1, 4).per_entry(2) == 2 + Fraction(8 * (4 * 4 + 2), 32)


def test_about_a_quarter_of_a_ring_s():
    """With 8 bits in groups of 128 float32: 17/64 of its bytes."""
    form = traffic.closed(sparring.page("flash"), 4)
    ring = 2 * 4 * (traffic.p - 1) * traffic.n / traffic.p
    assert (form / ring).simplify() == Fraction(17, 64)
