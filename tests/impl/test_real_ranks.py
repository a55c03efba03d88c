"""All implementations on real ranks, of which one launch serves all: the pages' bits, and messages of any length."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import sparse_lists
from sparring.refinement import comparison, stateful
from sparring.refinement.differential import options
from sparring.refinement.example import Example
from sparring.refinement.looks import variants
from sparring.sparse import Sparse
from sparring.verification.samples import on_real_ranks
from tests.impl.algorithms import PAGES, RANKS, TARGETS, simulated
from tests.sweeps import sweep

pytestmark = pytest.mark.mpi


BITS = [*itertools.product(PAGES, [3]), *itertools.product([*PAGES][::3], [8])]
"""Of eight ranks a third: how many there are is told to all in the same way, and simulated ranks go further."""


@pytest.mark.parametrize(("name", "p"), sweep(BITS, few=BITS[: len(PAGES)]))
def test_bits(group, name, p):
    """Of all dtypes and parameters, call after call."""
    every = itertools.cycle(variants(PAGES[name]))
    for dtype, n in itertools.product(PAGES[name].dtypes, (p - 1, 3 * p + 1)):
        params = next(every)
        assert unlike(group, name, dtype, p, n, params) == "", (dtype, n, params)


def unlike(group, name, dtype, p, n, params):
    """Where real ranks leave the page."""
    page = sparring.page(name, **params)
    if page.stateful:
        example = Example(stateful.vectors(dtype, p, n), "mpi", {"k": n // 3})
        return on_real_ranks(page, TARGETS[name], example, group, example)
    xs = sparse_lists.page_inputs(page, comparison.vectors(dtype, p, n))
    ys = group.run(TARGETS[name], xs, **options(page, TARGETS[name]))
    return "; ".join(flaw.detail for flaw in comparison.compared(page, xs, ys, "mpi"))


WRONG = """
from sparring.impl.one_bit import Allreduce as Right


class Allreduce(Right):
    @property
    def server_residual(self):
        kept = super().server_residual
        return kept if kept is None else kept + 1
"""


def test_what_a_class_keeps_is_looked_at_on_real_ranks_too(group, tmp_path):
    """Where results are right; without the fault nothing is found."""
    (tmp_path / "wrong.py").write_text(WRONG)
    page, example = PAGES["one_bit"], Example(stateful.vectors("float32", 3, 7), "mpi")
    assert on_real_ranks(page, TARGETS["one_bit"], example, group, example) == ""
    assert "server_residual" in on_real_ranks(page, f"{tmp_path / 'wrong.py'}:Allreduce", example, group, example)


@pytest.mark.parametrize("name", PAGES)
def test_large(group, name):
    """Messages far above the size that MPI sends eagerly: the bits of simulated ranks."""
    n = 100_001
    params: Any = {"k": 60_000} if PAGES[name].selecting else {}
    rngs = [np.random.default_rng(r) for r in range(3)]
    xs = [rng.standard_normal(n).astype(np.float32) for rng in rngs]
    if PAGES[name].sparse and not PAGES[name].stateful:
        supports = [np.flatnonzero(rng.random(n) < 0.3) for rng in rngs]
        xs = [Sparse(at, x[at], n) for at, x in zip(supports, xs)]
    real, there = (run(f"{RANKS}:once", xs, name=name, **params) for run in (group.run, simulated))
    assert np.any(real[0])
    assert [y.tobytes() for y in real] == [y.tobytes() for y in there]
