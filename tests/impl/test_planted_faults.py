"""Every fault that is planted in an implementation is found, by what it breaks; without one nothing is."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparring
from sparring import Sparse
from sparring.refinement import differential, running
from sparring.refinement.example import Example
from tests.impl.algorithms import TARGETS, all_planted, called
from tests.impl.faults import FAULTS


def broken(name, p, params):
    """Which properties do not hold on so many ranks: terms, results, agreement, mass, steps."""
    page, found = sparring.page(name, **params), set()
    if not (page.stateful or page.composed):
        found |= {flaw.property for flaw in running.on_terms(page, TARGETS[name], p, 8, "synchronous")[0]}
    for example in examples(page, p):
        xs = example if page.stateful else [listed(x[-1]) if page.sparse else x[-1] for x in example]
        if page.stateful:
            flaws = running.on_calls(page, TARGETS[name], Example(xs, "result", {"k": 5}))
        else:
            call = partial(called, **differential.options(page, TARGETS[name]))
            flaws = running.on_numbers(page, TARGETS[name], xs, "result", call)
        found |= {flaw.property for flaw in flaws}
    return found


def examples(page, p):
    """Four vectors a rank: normal ones, the first of zeros; small whole ones, full of ties, some of which cancel."""
    rng = np.random.default_rng(p)
    normal = [rng.standard_normal((4, 13 * p + 2)).astype(page.dtypes[0]) for _ in range(p)]
    for x in normal:
        x[0] = 0
    small = rng.integers(-2, 3, (4, 30)).astype(page.dtypes[-1])
    few = [rng.integers(-9, 10, (4, 9)).astype(page.dtypes[-1]) for _ in range(p)]
    return normal, [small * (-1) ** r for r in range(p)], few


def listed(x):
    """A few entries of a long vector, which are sent with their indices."""
    return Sparse(np.arange(x.size), x, 40 * x.size)


@pytest.mark.parametrize("fault", [pytest.param(one, id=f"{one.page}: {one.name}") for one in FAULTS])
def test_a_planted_fault_is_found(fault):
    """What changes messages alone breaks nothing else."""
    with all_planted(fault.texts):
        found = broken(fault.page, fault.ranks, fault.params)

    assert found >= fault.breaks
    assert found == fault.breaks or fault.breaks != {"steps"}


RIGHT = {(fault.page, *sorted(fault.params.items())): fault for fault in FAULTS}


@pytest.mark.parametrize("fault", [pytest.param(one, id=f"{one.page} {dict(one.params)}") for one in RIGHT.values()])
def test_without_a_fault_nothing_is_found(fault):
    """So that it is the fault that is found."""
    assert broken(fault.page, fault.ranks, fault.params) == set()
