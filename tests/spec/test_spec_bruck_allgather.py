"""Bruck's allgather sums lists on any number of ranks; its messages are those of MPICH's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page, run
from sparring.spec.core.numbers import Sym, evaluate
from sparring.spec.core.schedule import step_sends
from sparring.spec.core.sparse import SparseVector, total

PAGE = page("bruck_allgather")
VECTORS = st.dictionaries(st.integers(0, 9), st.integers(-5, 5)).map(
    lambda d: SparseVector(tuple(sorted(d)), tuple(d[i] for i in sorted(d)), 10)
)


def mpich(p: int) -> Iterator[set[tuple[int, int, tuple[int, ...]]]]:
    """MPIR_Allgather_intra_brucks, with its buffer: by step, who sends to whom which ranks' blocks, in their order."""
    buffer = [[r] for r in range(p)]
    pof2 = 1
    while pof2 <= p // 2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r])) for r in range(p)}
        buffer = [buffer[r] + buffer[(r + pof2) % p] for r in range(p)]
        pof2 *= 2
    if p > pof2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r][: p - pof2])) for r in range(p)}


@pytest.mark.parametrize("p", [*range(1, 40), 63, 64, 65])
def test_messages_are_mpich_s(p):
    """The same ranks and the same lists in the same order, worked out in another way."""
    sends = [{(r, d, tuple(chunks)) for r, d, chunks in step_sends(PAGE, t, p)} for t in range(PAGE.steps(p))]

    assert sends == [*mpich(p)]


@given(st.lists(VECTORS, min_size=1, max_size=17))
@settings(deadline=None, max_examples=60)
def test_every_rank_ends_with_the_sum(xs):
    """Whatever the supports, with one rank and with empty lists too."""
    assert run(PAGE, xs).results == [total(xs)] * len(xs)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, 13])
def test_it_has_the_ring_s_bits(p):
    """Floats in the order of the ranks, on lists of unequal sizes."""
    xs = [SparseVector((0, r + 1), (10.0**r, 0.1 * r), 20) for r in range(p)]

    assert run(PAGE, xs).results == run("ring_allgather", xs).results


def test_lists_are_added_in_the_order_of_the_ranks():
    """Though each rank has its own first."""
    ran = run(PAGE, [SparseVector((0,), (letter,), 1) for letter in "abcde"])

    assert [y.values for y in ran.results] == [("abcde",)] * 5


@pytest.mark.parametrize("p", range(1, 20))
def test_each_list_is_sent_to_each_rank_once(p):
    """So of lists of any sizes every rank receives all words but its own, and none twice."""
    xs = [SparseVector(tuple(range(r)), (r,) * r, p) for r in range(p)]
    got = [0] * p
    for wire in run(PAGE, xs).trace:
        for message in wire:
            got[message.dst] += len(message.entries.indices)

    assert got == [sum(range(p)) - r for r in range(p)]


@pytest.mark.parametrize("p", range(1, 20))
def test_symbols_and_numbers_read_alike(p):
    """The formulas on symbols, evaluated, are the formulas on numbers."""
    letters = Sym.var("r"), Sym.var("t"), Sym.var("p")
    assert evaluate(PAGE.steps(Sym.var("p")), p=p) == PAGE.steps(p)
    for step in range(PAGE.steps(p)):
        for rank in range(p):
            at = {"r": rank, "t": step, "p": p}
            for formula in (PAGE.dst, PAGE.src, PAGE.chunk, PAGE.count):
                assert evaluate(formula(*letters), **at) == formula(rank, step, p)
