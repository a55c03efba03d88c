"""Texts of one rank, played by all in lock step: what a rank sees, what is sent, and where ranks part ways."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from sparring.errors import InputError, Refuted, ScheduleFault
from sparring.sparse import Sparse
from sparring.spec.core import exchanges
from sparring.spec.core.exchanges import ReduceScatter, allgather, allreduce, apart, gather, reduce_scatter
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.core.sparse import NOTHING, SparseVector
from sparring.spec.core.vectors import UNSET, Vector, by_rank, each, gathered, local, owned, total, where
from sparring.spec.library.lossy_links import came, owns, versions_held
from sparring.spec.library.sparse_allreduce import SparseAllreduce, sparse_allreduce


def page(program, **names):
    """A page with this text."""
    module: Any = ModuleType("mine")
    module.program, module.data = program, "dense"
    vars(module).update(names)
    return load(module)


def vectors(p, n):
    return [[100 * r + i for i in range(n)] for r in range(p)]


@pytest.mark.parametrize(("p", "n", "through"), [*itertools.product(range(1, 7), (0, 1, 7), ("ring", "two_shot"))])
def test_an_allreduce_is_the_sum_with_the_messages_of_its_page(p, n, through):
    def program(x):
        return (yield allreduce(x, through=through))

    ran, alone = run(page(program), vectors(p, n)), run(load(exchanges.PAGES[through]), vectors(p, n))
    assert ran.results == [[sum(column) for column in zip(*vectors(p, n))]] * p == alone.results
    assert [[(m.src, m.dst, [*m.entries]) for m in wire] for wire in ran.trace] == [
        [(m.src, m.dst, [*m.entries]) for m in wire] for wire in alone.trace
    ]


SPARSE = [name for name, module in exchanges.PAGES.items() if load(module).data in SparseAllreduce.data]


@pytest.mark.parametrize(("p", "n", "through"), [*itertools.product(range(1, 6), (0, 1, 11), SPARSE)])
def test_a_sparse_allreduce_is_that_of_its_page(p, n, through):
    """Of the entries that each rank takes, explicit zeros included, in vectors of either width."""

    def program(x, r):
        return (yield sparse_allreduce(x, [i % 3 == r % 3 for i in range(n)], through))

    for kind in (np.float32, np.float64):
        xs = [np.array(x, kind) - r for r, x in enumerate(vectors(p, n))]
        lists = [Sparse([*range(r % 3, n, 3)], x[r % 3 :: 3], n) for r, x in enumerate(xs)]
        ran, alone = run(page(program), xs), run(load(exchanges.PAGES[through]), lists)
        assert [y.tolist() for y in ran.results] == [y.dense().tolist() for y in alone.results]
        assert ran.trace == alone.trace


@pytest.mark.parametrize(("exchange", "through", "right"), [
    (sparse_allreduce, "ring", "its data is vector; right for sparseallreduce is lists or sparse"),
    (sparse_allreduce, "direct_reduce_scatter", "its kind is reduce_scatter"),
    (lambda x, _, through: allreduce(x, through=through), "ring_sparse", "its data is sparse; right for allreduce"),
    (lambda x, _, through: allreduce(x, through=through), "rings", "'rings': it must be one of ring, two_shot"),
    (lambda x, _, through: allgather(x, through=through), "two_shot",
     "its kind is allreduce; right for allgather is allgather"),
])  # fmt: skip
def test_a_page_carries_out_what_its_data_is(exchange, through, right):
    with pytest.raises(InputError, match=right):
        _ = run(page(lambda x: (yield exchange(x, x, through))), vectors(2, 3)).results


@pytest.mark.parametrize(("p", "n"), [*itertools.product(range(1, 7), (0, 1, 7))])
def test_reduce_scatter_and_allgather_are_an_allreduce(p, n):
    def program(x, r, p):
        piece = yield reduce_scatter(x)
        assert [*piece] == [sum(column) for column in zip(*vectors(p, n))][r * n // p : (r + 1) * n // p]
        return (yield allgather(piece))

    assert run(page(program), vectors(p, n)).results == [[sum(column) for column in zip(*vectors(p, n))]] * p


def test_regions_and_places():
    """Chunks where the text says, and sums of some entries alone."""

    def program(x, r):
        piece = yield reduce_scatter(x, bounds=[0, 1, 5])
        assert len(piece) == (1, 4)[r]
        some = yield allreduce(x, at=[True, False, False, True, False])
        return some

    ran = run(page(program), vectors(2, 5))
    assert ran.results == [[100, 0, 0, 106, 0]] * 2
    assert [len(m.entries) for wire in ran.trace for m in wire] == [4, 1, 1, 1, 1, 1]


def test_what_is_told_apart_is_in_no_trace():
    def program(x, r):
        sizes = yield apart(r)
        rows = yield gather(x)
        assert [*map(list, rows)] == vectors(3, 2)
        return each(lambda v: v + sum(sizes), x)

    ran = run(page(program), vectors(3, 2))
    assert ran.results == [[100 * r + i + 3 for i in range(2)] for r in range(3)]
    assert [len(wire) for wire in ran.trace] == [6]


def test_a_call_begins_with_what_the_one_before_left():
    def program(x, call, state):
        y = yield allreduce(x + state.kept)
        return y, State(x * (call + 1))

    class State(NamedTuple):
        kept: int = 0

    one = page(program, State=State)
    first = run(one, [[1], [2]])
    second = run(one, [[1], [2]], first.state)
    assert first.results == [[3]] * 2 and second.results == [[6]] * 2
    assert second.state.call == 2 and [[*kept] for kept in second.state.kept] == [[2], [4]]


PARTED = {
    "other exchanges": (
        "reduce_scatter(x) if r else allgather(x)",
        "rank 0 yields Allgather.* rank 1 yields ReduceScatter",
    ),
    "other pages": ("allreduce(x, through='ring' if r else 'two_shot')", "'two_shot'.*'ring'.*: ranks part ways"),
    "other lengths": ("allreduce(x[r:])", r"Allreduce\(.*, 3, .* Allreduce\(.*, 2, "),
}


@pytest.mark.parametrize(("text", "told"), PARTED.values(), ids=PARTED)
def test_ranks_that_part_ways_are_told_with_both_lines(text, told):
    names = {"allreduce": allreduce, "reduce_scatter": reduce_scatter, "allgather": allgather}
    exec(compile(f"def program(x, r):\n    return (yield {text})\n", "mine.py", "exec"), names)
    with pytest.raises(ScheduleFault, match=told) as raised:
        _ = run(page(names["program"]), vectors(2, 3)).results
    assert str(raised.value).count("mine.py:2") == 2


def test_a_rank_that_ends_while_others_go_on():
    def program(x, r):
        if r:
            return (yield allreduce(x))
        return x

    with pytest.raises(ScheduleFault, match=r"rank 1 is at test_compositions\.py:[0-9]+ and rank 0 has ended"):
        _ = run(page(program), vectors(2, 3)).results


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (lambda x, y: x, "program asks for 'y'; it may ask for x, r, p, call, state, params"),
        (lambda x: (x, x), "program returns 2 things; it must return 1"),
    ],
)
def test_a_text_that_is_none(program, told):
    with pytest.raises(InputError, match=told):
        _ = run(page(program), vectors(2, 3)).results


def test_vectors():
    """Entry by entry, with numbers on either side, in the kind of their entries."""
    x = Vector.of(np.array([1, -2, 3], np.float32))
    assert [*(2 * x - 1)] == [1, -5, 5] and {type(v) for v in 2 * x} == {np.float32}
    assert [*where((x > 0) & ~(x >= 3), x, -x)] == [1, 2, -3]
    with pytest.raises(ValueError, match="shorter"):
        x + x[:2]


def test_what_is_chosen_is_of_the_kind_of_a_vector():
    """A 0 beside it, too; and nothing is added to it by what is not there yet."""
    x = Vector.of(np.array([1, -2], np.float32))
    chosen = where(x > 0, x, 0), where(x > 0, 0, x)
    assert [[*y] for y in chosen] == [[1, 0], [0, -2]]
    assert {type(v) for y in chosen for v in (*y, y.zero)} == {np.float32}
    minus = Vector([-0.0], 0.0)
    assert str(minus + NOTHING) == str(NOTHING + minus) == "[-0.0]" != str(minus + 0)


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_an_allreduce_of_some_entries_is_filled_up(through):
    """With zeros, which are sent and are in no result."""

    def program(x):
        return (yield allreduce(x, at=[False, True, False, True, True], filled=4, through=through))

    ran = run(page(program), vectors(2, 5))
    assert ran.results == [[0, 102, 0, 106, 108]] * 2
    assert [[[*m.entries] for m in wire] for wire in ran.trace][-1] in ([[108, 0], [102, 106]], [[102, 106], [108, 0]])
    assert sum(len(m.entries) for wire in ran.trace for m in wire) == 2 * 4


def test_a_part_of_a_state_that_is_read_before_it_is_set():
    class State(NamedTuple):
        kept: Any = UNSET

    def program(x, state):
        y = yield allreduce(x + state.kept)
        return y, state

    with pytest.raises(Refuted, match="kept is read before a call has set it"):
        _ = run(page(program, State=State), vectors(2, 3)).results


@pytest.mark.parametrize("cuts", [(0, 3), (0, 4, 2, 3), (1, 2, 2, 3), (0, 1, 2, 4)])
def test_what_does_not_cut_the_vector_makes_no_regions(cuts):
    one = ReduceScatter(SparseVector((), (), 3), through="rotation", bounds=cuts, bucket=1)
    with pytest.raises(ScheduleFault, match="do not cut"):
        one.carry([one] * 3)


SPEAKING: dict[str, Any] = {
    **{says.__name__: says for says in (total, owned, gathered, by_rank, owns)},
    "came": lambda x: came(x, "rank", None, 1, 0),
    "versions_held": lambda x: versions_held(x, None, 1, 0),
}


@pytest.mark.parametrize("name", SPEAKING)
@pytest.mark.parametrize("before", [True, False])
def test_a_rank_has_nothing_of_others_but_by_an_exchange(name, before):
    """What ``ensures`` may say of all ranks is refused in a text, before an exchange, after it or without any."""

    def program(x):
        y = SPEAKING[name](x) if before else None
        sums = yield allreduce(x)
        return SPEAKING[name](x) if y is None else sums

    def silent(x):
        return SPEAKING[name](x)

    said = f"program calls {name}, which speaks of all ranks: no message brings a rank that"
    for one in (program, silent):
        with pytest.raises(InputError, match=said):
            sparring.prove(page(one, ensures=total))
        ran = run(page(one), vectors(2, 3))
        with pytest.raises(InputError, match=said):
            _ = ran.results


@local
def scaled(x, by=1, less=0):
    return (by, less)


@local
def named(x, *, by=1):
    return by


def test_local_functions_take_arguments_by_name():
    """Also after one that is left out; one that has no place is bad input, since it would be forgotten."""
    assert scaled(Vector([1]), less=5) == (1, 5)
    assert scaled(Vector([1]), by=5) == (5, 0)
    with pytest.raises(InputError, match="named takes by by its name alone"):
        named(Vector([1]), by=5)


METHODS: dict[str, Any] = {
    "total": lambda x: x.total(),
    "owned": lambda x: x.owned(),
    "gathered": lambda x: x.gathered(),
    "by_rank": lambda x: x.by_rank(),
    "owns": lambda x: x.owns(),
}


@pytest.mark.parametrize("name", METHODS)
def test_nor_by_a_method_of_what_the_prover_reads(name):
    """No vector has such methods, so that the text does not run; it was proved."""

    def program(x):
        y = yield allreduce(x)
        return METHODS[name](x) + y

    with pytest.raises(InputError, match=f"program calls {name}, which speaks of all ranks"):
        sparring.prove(page(program, ensures=total))
