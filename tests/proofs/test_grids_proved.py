"""What is proved of exchanges along the axes of a grid, and what is refused, each with its reason."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import pytest

from sparring.proofs.logic.verdicts import PROVED, REFUTED, UNDECIDED
from sparring.proofs.proving import proving
from sparring.spec.core.calling import Between
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.grids import Axis, axes
from sparring.spec.core.loading import load
from sparring.spec.core.vectors import total
from tests.proofs.single_questions import ANSWERS, judged
from tests.proofs.wrong_texts import wrong


class Params(NamedTuple):
    """Sides of a grid."""

    a: Annotated[int, Between(1)] = 2
    b: Annotated[int, Between(1)] = 2


def ensured(x):
    return total(x)


def page(levels, *sides):
    """A page that does this on a grid with these sides, where they divide ``p``; else one allreduce."""

    def program(x, p, params):
        given = [params[Params._fields.index(side)] for side in sides]
        if p % (given[0] * given[1] if len(given) > 1 else given[0]):
            return (yield allreduce(x))
        return (yield from levels(x, *axes(p, *given)))

    module: Any = ModuleType("mine")
    module.program, module.ensures, module.Params, module.data = program, ensured, Params, "dense"
    return load(module)


def two(x, node, rail):
    chunk = yield reduce_scatter(x, among=node)
    chunk = yield allreduce(chunk, among=rail)
    return (yield allgather(chunk, among=node))


def swapped(x, node, rail):
    return (yield from two(x, rail, node))


def whole_vectors(x, node, rail):
    return (yield allreduce((yield allreduce(x, among=node)), among=rail))


def scattered_first(x, node, rail):
    chunk = yield reduce_scatter(x, among=node)
    return (yield allreduce((yield allgather(chunk, among=node)), among=rail))


def of_the_sum(x, node, rail):
    chunk = yield reduce_scatter(x, among=node)
    chunk = yield allreduce(chunk, among=rail)
    return (yield allgather(chunk + chunk - chunk, among=node))


def blue(x, *levels):
    """Cut along each axis, and put together in the other order."""
    for level in levels:
        x = yield reduce_scatter(x, among=level)
    for level in reversed(levels):
        x = yield allgather(x, among=level)
    return x


RIGHT = [(two, "a"), (swapped, "a"), (whole_vectors, "a"), (scattered_first, "a"), (of_the_sum, "a"), (blue, "a")]


@pytest.mark.parametrize("given", RIGHT, ids=lambda given: given[0].__name__)
def test_levels_in_any_order_are_a_sum(given):
    """For every number of ranks and every sides."""
    assert judged(page(*given))[0] == PROVED


def test_three_levels_keep_all_that_is_proved_of_compositions():
    assert {a.verdict for a in proving.prove(page(blue, "a", "b"), planted=False, memory=ANSWERS)} == {PROVED}


def inside_alone(x, node, rail):
    return (yield allreduce(x, among=node))


def a_chunk_alone(x, node, rail):
    return (yield allreduce((yield reduce_scatter(x, among=node)), among=rail))


def twice_inside(x, node, rail):
    return (yield allreduce((yield allreduce(x, among=node)), among=node))


def gathered_across(x, node, rail):
    chunk = yield reduce_scatter(x, among=node)
    return (yield allgather((yield allreduce(chunk, among=rail)), among=rail))


def gathered_by_all(x, node, rail):
    chunk = yield reduce_scatter(x, among=node)
    return (yield allgather((yield allreduce(chunk, among=rail))))


def summed_by_all(x, node, rail):
    return (yield allreduce((yield reduce_scatter(x, among=node))))


def in_cutting_order(x, node, rail):
    x = yield reduce_scatter((yield reduce_scatter(x, among=node)), among=rail)
    return (yield allgather((yield allgather(x, among=node)), among=rail))


def once_more(x, node, rail):
    return (yield allreduce((yield from two(x, node, rail)), among=node))


def never_cut(x, node, rail):
    return (yield allgather((yield allreduce(x, among=node)), among=node))


def in_between(x, node, rail):
    return (yield allreduce((yield allreduce(x, among=node)) + x, among=rail))


def of_another_grid(x, node, rail):
    return (yield allreduce((yield allreduce(x, among=node)), among=Axis((*node.sides, 1), 1)))


WRONG = {
    "one level": (inside_alone, "result", REFUTED, "sum of x along axis 0 of 2 alone"),
    "the result of one level": (inside_alone, "agreement", REFUTED, "the result is partial"),
    "a chunk": (a_chunk_alone, "agreement", REFUTED, "the result is shard"),
    "one level twice": (twice_inside, "result", REFUTED, "added up along axis 0 once more"),
    "the wrong way together": (gathered_across, "result", REFUTED, "allgather along axis 1 .* not cut there"),
    "together by all": (gathered_by_all, "result", REFUTED, "cut along an axis: each group has all of them"),
    "the last cut last": (in_cutting_order, "result", REFUTED, "allgather along axis 0 .* not last"),
    "a sum once more": (once_more, "result", REFUTED, "which has been added up already"),
    "what was never cut": (never_cut, "result", REFUTED, "not cut there"),
    "two grids": (of_another_grid, "result", REFUTED, "its last side is not what is left of p"),
    "sums of groups by all": (summed_by_all, "result", UNDECIDED, "cannot be read at a point"),
    "between two levels": (in_between, "result", UNDECIDED, "what it does between sums along two axes is not read"),
}


@pytest.mark.parametrize(("levels", "prop", "verdict", "why"), WRONG.values(), ids=WRONG)
def test_what_is_no_sum_of_all_is_refused(levels, prop, verdict, why):
    found, told = judged(page(levels, "a"), prop)
    assert found == verdict and re.search(why, told), (found, told)


def test_sides_that_need_not_divide_the_ranks_are_refused():
    """With a number of ranks for which there is no such grid; so are sides of which a page says that they may be 0."""

    def program(x, p, params):
        return (yield from two(x, *axes(p, params.a)))

    module: Any = ModuleType("mine")
    module.program, module.ensures, module.Params, module.data = program, ensured, Params, "dense"
    verdict, told = judged(load(module))
    assert verdict == REFUTED and "the sides of the grid divide p" in told


def test_an_axis_of_a_rank_of_its_own_is_refused():
    def levels(x, node, rail):
        return (yield allreduce(x, among=Axis((x, 1), 0)))

    verdict, told = judged(page(levels, "a"), "deadlock")
    assert verdict == REFUTED and "ranks yield exchanges with different terms" in told


NEAR, FAR = "reduce_scatter(x, through=scatter, among=node)", "allreduce(chunk, through=params.across, among=rail)"
FAULTS = {
    "the wrong group": (FAR, FAR.replace("rail", "node"), "once more"),
    "no level above": (f"yield {FAR}", "chunk", "along axis 0 of 2 alone"),
    "the wrong way together": ("allgather(chunk, through=gather, among=node)",
                               "allgather(chunk, through=gather, among=rail)", "not cut there"),
    "nodes that do not fit": ("if ragged(p, params.m):", "if ragged(p, params.m + 1):",
                              "the sides of the grid divide p"),
    "levels never": ("if ragged(p, params.m):", "if True:", "the text does not call ragged"),
    "a node more": ("axes(p, params.m)", "axes(p, params.m + 1)", "the sides of the grid divide p"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), FAULTS.values(), ids=FAULTS)
def test_faults_in_the_page_are_refused_by_proof_alone(old, new, why):
    verdict, told = judged(wrong("hierarchical", old, new), "claim: levels" if "call" in why else "result")
    assert verdict == REFUTED and why in told, (verdict, told)


def test_levels_may_change_places():
    """It is the same sum, with other messages: what runs send tells it from the page."""
    other = wrong("hierarchical", "node, rail = axes(p, params.m)", "rail, node = axes(p, params.m)")
    assert judged(other)[0] == PROVED
