"""Compositions beside dense programs of numpy, which know no messages: call after call; and faults that these tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.spec.core.runner import run
from tests.algorithms import ALGORITHMS
from tests.proofs.wrong_texts import wrong

CALLS = 5
PROGRAMS = {name: one.program for name, one in ALGORITHMS.items() if one.program}


def fractions(p, n):
    """By call and rank small fractions full of ties, a third of them zeros."""
    rng = np.random.default_rng([p, n])
    many = [Fraction(int(v), 3) for v in rng.integers(-9, 10, CALLS * p * n) * (rng.random(CALLS * p * n) < 0.7)]
    return np.array(many, object).reshape(CALLS, p, n)


def normal(p, n):
    return np.random.default_rng([p, n]).standard_normal((CALLS, p, n))


def unlike(page, p, n):
    """In which call the page is not the program, and in which of results and what is kept; None where it always is."""
    program = PROGRAMS[page.name]
    calls, left, state = (fractions if program.exact else normal)(p, n), 0, None
    for i, (xs, (results, memory)) in enumerate(zip(calls, program.calls(calls, **page.params))):
        ran = run(page, (xs + left).tolist(), state)
        state = ran.state
        has = [*ran.results]
        if page.selecting:
            left = np.stack([dense(y) for y in ran.residuals])
            has = [*map(dense, has), *left]
        elif program.kept and len(memory):
            has += program.kept(state)
        for r, (one, right) in enumerate(zip(has, [*results, *memory], strict=True)):
            alike = near if right.dtype == np.float64 else np.array_equal
            if not alike(np.array([*one], right.dtype), right):
                return i, r
    return None


def near(x, y):
    return np.allclose(x, y, rtol=1e-10, atol=1e-10)


def dense(y):
    x = np.zeros(y.n, object)
    x[[*y.indices]] = y.values
    return x


@pytest.mark.parametrize(
    ("name", "params"), [(name, one) for name, program in PROGRAMS.items() for one in program.params]
)
def test_every_call_is_the_dense_programs(name, params):
    page, lengths = sparring.page(name, **params), PROGRAMS[name].lengths
    assert {unlike(page, p, n) for p in (1, 3, 4) for n in lengths(p)} == {None}


FAULTS = {
    f"{name}: {fault}": (name, *one) for name, program in PROGRAMS.items() for fault, one in program.wrong.items()
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told(fault):
    name, old, new, params = FAULTS[fault]
    assert unlike(wrong(name, old, new, **params), 3, 35)
