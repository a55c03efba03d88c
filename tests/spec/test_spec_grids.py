"""Exchanges among the ranks along an axis of a grid: who meets, what each gets, and where ranks part ways."""

from __future__ import annotations

import itertools
from math import prod
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import sparring
from sparring.errors import InputError, ScheduleFault
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.grids import Axis, axes, member, place
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import wrong

GRIDS = [(1,), (2,), (3, 2), (2, 1, 4), (2, 3, 2)]
"""All sides of a few grids."""


def page(program):
    """A page with this text."""
    module: Any = ModuleType("mine")
    module.program, module.data = program, "dense"
    return load(module)


def whole(p, n):
    """Small whole numbers, of which sums are exact in any order."""
    return np.random.default_rng([p, n]).integers(-9, 10, (p, n)).astype(float)


@pytest.mark.parametrize("sides", GRIDS)
def test_groups_are_the_rows_of_the_grid(sides):
    """Along each axis those of numpy's; a rank is in its own place, and finds the others in theirs."""
    p = prod(sides)
    grid = np.arange(p).reshape(sides[::-1])  # the first axis is the last of numpy's
    for axis in axes(p, *sides[:-1]):
        rows = np.moveaxis(grid, len(sides) - 1 - axis.which, -1).reshape(-1, axis.size)
        assert sorted(axis.groups(p)) == sorted(rows.tolist())
        for ranks in axis.groups(p):
            for (i, r), (j, s) in itertools.product(enumerate(ranks), repeat=2):
                assert (place(r, axis.stride, axis.size), member(r, j, axis.stride, axis.size)) == (i, s)


def test_a_grid_has_a_place_for_each_rank():
    with pytest.raises(InputError, match=r"sides \[4\] of a grid: .* their product must divide p = 6"):
        axes(6, 4)
    with pytest.raises(InputError, match=r"sides \[0\] of a grid: each must be 1 or more"):
        axes(6, 0)
    with pytest.raises(ScheduleFault, match=r"a grid with sides \[2, 2\] has 4 places"):
        Axis((2, 2), 0).groups(6)


def both_ways(axis):
    """The sum along this axis, by both exchanges."""

    def program(x):
        some = yield reduce_scatter(x, among=axis)
        return (yield allgather(some, among=axis)) + (yield allreduce(x, among=axis))

    return page(program)


@pytest.mark.parametrize("n", [0, 1, 5, 12])
@pytest.mark.parametrize("sides", GRIDS)
def test_an_exchange_along_an_axis_is_that_of_each_group(sides, n):
    """Sums over numpy's axis, chunks of these, and all of them again; messages stay in the group."""
    p = prod(sides)
    for axis in axes(p, *sides[:-1]):
        xs = whole(p, n)
        ran = run(both_ways(axis), xs.tolist())
        groups = axis.groups(p)
        sums = {r: xs[ranks].sum(0) for ranks in groups for r in ranks}
        assert [*map(list, ran.results)] == [(2 * sums[r]).tolist() for r in range(p)]
        together = {(r, s) for ranks in groups for r in ranks for s in ranks}
        assert {(m.src, m.dst) for wire in ran.trace for m in wire} <= together
        assert [[m.src for m in wire] for wire in ran.trace] == [sorted(m.src for m in wire) for wire in ran.trace]


def parting(text):
    """A program of four ranks, on a grid of two nodes, whose exchange is this text."""
    known = {"allreduce": allreduce, "node": axes(4, 2)[0], "rail": axes(4, 2)[1]}
    return page(eval(f"lambda x, r: (yield {text})", known))


PARTING = {
    "along two axes": ("allreduce(x, among=rail if r else node)", r"rank 0 yields .*, rank 1 yields .*ranks part ways"),
    "some along none": ("allreduce(x, among=node if r < 2 else None)", r"rank 0 .*, rank 2 .*ranks part ways"),
    "other lengths": ("allreduce(x[r // 3:], among=node)", r"rank 2 yields .*, rank 3 yields .*ranks part ways"),
}


@pytest.mark.parametrize(("text", "why"), PARTING.values(), ids=PARTING)
def test_ranks_that_meet_yield_the_same(text, why):
    with pytest.raises(ScheduleFault, match=why):
        _ = run(parting(text), whole(4, 3).tolist()).results


def test_groups_need_not_be_alike():
    """One node may add up longer vectors than the other."""
    ran = run(parting("allreduce(x[r // 2 * 2:] , among=node)"), whole(4, 3).tolist())
    assert [len(wire) for wire in ran.trace] == [4, 4]


@pytest.mark.parametrize("inside", ["direct", "ring"])
@pytest.mark.parametrize("across", ["ring", "two_shot"])
def test_hierarchical_is_two_sums_of_numpy(inside, across):
    """What goes across nodes is made of sums over nodes, cut by place, and all that a node knows goes around in it."""
    nodes, m, n = 3, 2, 12
    xs, params = whole(nodes * m, n), {"m": m, "inside": inside, "across": across}
    ran = run(sparring.page("hierarchical", **params), xs.tolist())
    assert (np.array([*map(list, ran.results)]) == xs.sum(0)).all()
    sums = xs.reshape(nodes, m, n).sum(1).reshape(nodes, m, -1)  # by node and place, what is to be added up
    far = [message for wire in ran.trace for message in wire if message.src // m != message.dst // m]
    assert {message.src % m - message.dst % m for message in far} == {0}
    sent = np.zeros((nodes, m))
    for message in far:
        sent[divmod(message.src, m)] += len(message.entries)
    assert (sent == 2 * (nodes - 1) * n / m / nodes).all()  # of n / m entries 2 (p - 1) / p, as many as can be spared
    first = next(message for message in far if message.src == 0)
    assert any(
        [*first.entries] == sums[0, 0, i : i + n // m // nodes].tolist() for i in range(0, n // m, n // m // nodes)
    )


@pytest.mark.parametrize("p", range(1, 9))
@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_hierarchical_is_the_sum_on_any_number_of_ranks(p, m):
    xs = whole(p, 5)
    ran = run(sparring.page("hierarchical", m=m), xs.tolist())
    assert (np.array([*map(list, ran.results)]) == xs.sum(0)).all()
    levels = {abs(message.src - message.dst) >= m for wire in ran.trace for message in wire}
    assert p % m or m in (1, p) or levels == {False, True}


NEAR, FAR = "reduce_scatter(x, through=scatter, among=node)", "allreduce(chunk, through=params.across, among=rail)"
FAULTS = {
    "sums of chunks with other places": (FAR, FAR.replace("rail", "node")),
    "no level above": (f"yield {FAR}", "chunk"),
    "whole vectors added twice": (FAR, FAR.replace("chunk,", "x,")),
}


@pytest.mark.parametrize(("old", "new"), FAULTS.values(), ids=FAULTS)
def test_a_fault_in_hierarchical_is_told(old, new):
    xs = whole(4, 8)
    found = run(wrong("hierarchical", old, new), xs.tolist())
    assert any([*y] != xs.sum(0).tolist() for y in found.results)
