"""Every fault that is planted in an implementation is found, by what it breaks; without one nothing is."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparring
from sparring import Sparse, sparse_lists
from sparring.refinement import comparison, differential, running
from sparring.refinement.bits import judge_bits
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.world import simulation
from sparring.world.core.findings import Outcome
from tests.algorithms import ALGORITHMS
from tests.impl.algorithms import TARGETS, called, planted


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


FAULTS = [(name, fault) for name, one in ALGORITHMS.items() for fault in one.faults]


@pytest.mark.parametrize(("name", "fault"), [pytest.param(*one, id=f"{one[0]}: {one[1].name}") for one in FAULTS])
def test_a_planted_fault_is_found(name, fault):
    """What changes messages alone breaks nothing else."""
    with planted(fault.module or name, *fault.texts):
        found = broken(name, fault.ranks, fault.params)

    assert found >= fault.breaks
    assert found == fault.breaks or fault.breaks != {"steps"}


RIGHT = {f"{name} {dict(fault.params)}": (name, fault) for name, fault in FAULTS}


@pytest.mark.parametrize(("name", "fault"), RIGHT.values(), ids=RIGHT)
def test_without_a_fault_nothing_is_found(name, fault):
    """So that it is the fault that is found."""
    assert broken(name, fault.ranks, fault.params) == set()


UNLIKE = {
    "twice on one rank": ("ring", "ring", "    return y\n", "    return y if comm.Get_rank() else y + y\n", True),
    "another length": ("ring_allgather", "core.sparse_lists", "values, like.n)", "values, like.n + 1)", False),
    "no list": ("ring_allgather", "core.sparse_lists", "return Sparse.made(", "return values\n    (", False),
}


@pytest.mark.parametrize(("name", "module", "right", "wrong", "differ"), UNLIKE.values(), ids=UNLIKE)
def test_other_terms_on_some_rank_are_found(name, module, right, wrong, differ):
    """In a result of another sort, too; and only ranks that differ do not agree."""
    with planted(module, (right, wrong)):
        found = broken(name, 3, {})
    assert "terms" in found and ("agreement" in found) is differ


def test_lists_are_of_every_sort():
    """Empty, full and partial lists, near and far entries, both widths: what is drawn covers the cases."""
    ring, lists = sparring.page("ring"), sparring.page("ring_allgather")
    drawn = [sparse_lists.page_inputs(lists, [np.ones(n)] * p) for p in range(1, 9) for n in comparison.sizes(p)]
    xs = [x for some in drawn for x in some]
    assert {0, 1, 17} <= {len(x) for x in xs}
    assert {x.indices.dtype.name for x in xs} == {"int32", "int64"}
    assert max(x.n for x in xs) > 1 << 40
    assert sparse_lists.page_inputs(ring, [1, 2]) == [1, 2]


def test_what_comes_to_no_end_is_no_good_run(monkeypatch):
    """Neither a rank without a result, though the world finds nothing, nor a target that was called too seldom."""
    page = sparring.page("ring")
    nothing = Outcome([None, None], (), [], [], True, ())
    monkeypatch.setattr(simulation, "run", lambda *_, **__: nothing)
    (flaw,) = running.on_numbers(page, TARGETS["ring"], [np.ones(2)] * 2, "result")
    assert (flaw.property, "rank 0 came to no end" in flaw.detail) == ("result", True)

    page, xs = sparring.page("one_bit"), [np.ones((3, 4))] * 2
    seldom = Observed([[np.ones(4)] * 2], xs, None, {})
    assert "of 1 calls, the page has 3" in judge_bits(page, Example(xs, "result"), seldom, strict=True)["result"]
