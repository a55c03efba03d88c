"""Unfolding a remainder changes nothing about its value, and unfolds no more than its range needs."""

from __future__ import annotations

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError, Undecided
from sparring.proofs.core.obligations import ROUND, c, p, q, r, t, within
from sparring.proofs.core.symbolic import Z3Reader
from sparring.spec.core.numbers import Sym, either, evaluate, where

HYPOTHESES = (*ROUND, within(t, 2 * (p - 1)))
TERMS = {
    "r + 1": (r + 1) % p, "r - t": (r - t) % p, "2 r + t": (2 * r + t) % p, "r - c - q": (r - c - q) % p,
    "nested": ((r - t) % p - (c + 1) % p) % p,
    "where": where(either(r < c, q == 0), (r - 1) % p, (c - t - 1) % p),
    "parity": (r + t) % 2, "half": (p + t) // 2,
}  # fmt: skip


@pytest.mark.parametrize("name", TERMS)
@given(data=st.data())
def test_a_reading_has_the_value_of_the_term(name, data):
    """z3's reading, evaluated at a point that satisfies the hypotheses, is Python's value there."""
    ranks = data.draw(st.integers(2, 40))
    point = {v: data.draw(st.integers(0, ranks - 1)) for v in "qrsc"}
    point |= {"p": ranks, "t": data.draw(st.integers(0, 2 * ranks - 3))}

    read = Z3Reader(HYPOTHESES, p)(TERMS[name])
    value = z3.simplify(z3.substitute(read, *((z3.Int(v), z3.IntVal(x)) for v, x in point.items())))

    assert value.as_long() == evaluate(TERMS[name], **point)


@pytest.mark.parametrize(
    ("x", "laps"),
    [
        (r, (0, 1)), (r + 1, (0, 2)), (r - 1, (-1, 1)), (r - t, (-2, 1)), (r + t, (0, 3)), (r + p, (1, 2)),
        (r - 2 * p, (-2, -1)),
    ],
    ids=repr,
)  # fmt: skip
def test_the_smallest_range_is_found(x, laps):
    """No case is unfolded that the hypotheses exclude."""
    reader = Z3Reader(HYPOTHESES, p)
    reader(x % p)

    assert list(reader.wraps.values()) == [laps]


@pytest.mark.parametrize("x", [(r * t) % p, (9 * r) % p, r % (p + 1), r // t, r % -2], ids=repr)
def test_what_has_no_reading_is_undecided(x):
    """Never a guess, never a nonlinear question that a solver may or may not answer."""
    with pytest.raises(Undecided):
        Z3Reader(HYPOTHESES, p)(x)


def test_what_is_no_integer_is_bad_input():
    """A float in a formula is named."""
    with pytest.raises(InputError, match=r"holds 0\.5"):
        Z3Reader(HYPOTHESES, p)(Sym("+", r, 0.5))
