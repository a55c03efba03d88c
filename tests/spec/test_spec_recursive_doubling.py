"""Recursive doubling sums on any number of ranks, and what folds is silent in between."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page, run
from sparring.errors import ScheduleFault
from sparring.spec.core.numbers import Sym, evaluate

PAGE = page("recursive_doubling")
FORMULAS = PAGE.module


@pytest.mark.parametrize("p", range(1, 34))
def test_every_rank_ends_with_the_sum(p):
    """For n = 0, 1 and more, p no power of two included."""
    for n in (0, 1, 3):
        xs = [[100 * r + i for i in range(n)] for r in range(p)]

        assert run("recursive_doubling", xs).results == [[sum(column) for column in zip(*xs)] if n else []] * p


@pytest.mark.parametrize(
    ("p", "steps", "senders"),
    [
        (1, 0, []),
        (2, 1, [2]),
        (3, 3, [1, 2, 1]),
        (5, 4, [1, 4, 4, 1]),
        (7, 4, [3, 4, 4, 3]),
        (8, 3, [8, 8, 8]),
    ],
)
def test_who_sends_is_as_in_mpich(p, steps, senders):
    """Folds only where p is no power of two; in a round 2**log(p) ranks send, before and after it rem(p)."""
    trace = run("recursive_doubling", [[r] for r in range(p)]).trace

    assert PAGE.steps(p) == steps
    assert [len(wire) for wire in trace] == senders


def test_the_published_example_of_six_ranks():
    """Partners from the description of MPICH's fold, worked out by hand: 6 = 4 + 2, so 1, 3, 4, 5 exchange."""
    trace = run("recursive_doubling", [[r] for r in range(6)]).trace

    assert [{(m.src, m.dst) for m in wire} for wire in trace] == [
        {(0, 1), (2, 3)},
        {(1, 3), (3, 1), (4, 5), (5, 4)},
        {(1, 4), (4, 1), (3, 5), (5, 3)},
        {(1, 0), (3, 2)},
    ]


def test_a_sum_is_received_and_own():
    """The order of addition is fixed: what is received comes first."""
    assert run("recursive_doubling", [["a"], ["b"], ["c"], ["d"]]).results == [["dcba"], ["cdab"], ["badc"], ["abcd"]]


@pytest.mark.parametrize("p", range(1, 20))
def test_symbols_and_numbers_read_alike(p):
    """The formulas on symbols, evaluated, are the formulas on numbers."""
    letters = r, t, ranks = Sym.var("r"), Sym.var("t"), Sym.var("p")
    for step in range(PAGE.steps(p)):
        for rank in range(p):
            at = {"r": rank, "t": step, "p": p}
            for formula in (PAGE.dst, PAGE.src, PAGE.active, PAGE.chunk):
                assert evaluate(formula(*letters), **at) == formula(rank, step, p)
    assert evaluate(PAGE.steps(ranks), p=p) == PAGE.steps(p)
    assert repr(r ^ (1 << t) >> 1) == "(r ^ ((1 << t) >> 1))"


def test_a_silent_rank_may_name_itself_and_one_that_sends_may_not():
    """Rank 0 of three is its own partner while the others exchange; were it to send, that would be a fault."""
    assert PAGE.dst(0, 1, 3) == 0 and not PAGE.active(0, 1, 3)
    with pytest.raises(ScheduleFault, match="p=3 step 0: rank 2 sends to itself"):
        run(replace(PAGE, active=lambda r, t, p: True), [[1]] * 3).results


def test_a_chunk_beyond_the_page_s_own_is_named():
    """The page has one chunk, whatever p."""
    with pytest.raises(ScheduleFault, match=r"chunk\(0, 0, 4\) = 1 is out of range 0\.\.0"):
        run(replace(PAGE, chunk=lambda r, t, p: 1), [[1]] * 4).results
