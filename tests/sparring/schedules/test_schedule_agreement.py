"""Whether ranks add in the same order: as floats themselves tell."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page, run
from sparring.schedules import from_page
from sparring.schedules.agreement import Example, Unequal
from sparring.schedules.program import Block, Step
from sparring.spec.core.pages import names
from tests.sparring.schedules.programs import judge, program

HALF = np.float32(2**-24)  # of the last bit of 1


def gathers(r, orders):
    """Rank ``r``'s blocks: gets all contributions into its scratch, and adds them by ``orders[r]``, pair by pair.

    A pair ``(a, b)`` adds what is at b to what is at a, where it stays; the last is the result.
    """
    p = len(orders)
    blocks = [
        Block(q, (Step("s", ("i", 0)), Step("r", None, ("s", q))), q, q)
        if q != r
        else Block(q, (Step("cpy", ("i", 0), ("s", r)),))
        for q in range(p)
    ]
    waits = tuple(Step("nop", count=0, after=(q, 0 if q == r else 1)) for q in range(p))
    adds = tuple(Step("re", ("s", b), ("s", a)) for a, b in orders[r])
    return [*blocks, Block(p, (*waits, *adds, Step("cpy", ("s", orders[r][-1][0]), ("o", 0))))]


def added(order, xs):
    """The same with floats."""
    held = list(xs)
    for a, b in order:
        held[a] = held[a] + held[b]
    return held[order[-1][0]]


def judged(orders):
    p = len(orders)
    one = judge(program(*(gathers(r, orders) for r in range(p)), inplace=False, chunks=1, scratch=p))
    assert (one.wrong, one.races) == ([], [])
    return one.unequal


@st.composite
def orders(draw, p):
    """Some order of adding p contributions: each time two of those that are left."""
    left, found = list(range(p)), []
    while len(left) > 1:
        a, b = draw(st.permutations(left))[:2]
        found.append((a, b))
        left.remove(b)
    return found


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 5))
def test_orders_are_unequal_where_some_floats_tell_the_ranks_apart(data, p):
    """Of all contributions one is 1, two are half of its last bit and the others 0, in every way.

    So do the floats that are given as an example.
    """
    both = [data.draw(orders(p)) for _ in range(2)]
    floats = (np.float32(1), HALF, HALF, np.float32(0), np.float32(0))[:p]
    vectors = set(permutations(floats))
    same = all(added(both[0], xs) == added(both[1], xs) for xs in vectors)

    found = judged([both[0]] * (p - 1) + [both[1]])
    assert (found is None) == same
    if found:
        given = dict(found.example.inputs)
        xs = [np.float32(given.get(r, 0)) for r in range(p)]
        assert found.example.results == tuple(added(order, xs) for order in both) == (0, 1)


def test_the_first_place_and_how_it_is_made():
    """0 + 1 + 2 on two ranks, and 1 + 2 first on the third; another order of a sum of two is the same bits.

    A difference deep in a sum is told there, where the last addition is the same.
    """
    found = judged([[(0, 1), (0, 2)], [(1, 0), (2, 1)], [(2, 1), (0, 2)]])

    example = Example(((0, 1), (1, 2**24), (2, -(2**24))), (0, 1))
    assert found == Unequal("o", 0, (0, 2), ((0b011, 0b100), (0b001, 0b110)), example)
    assert str(found) == (
        "o[0]: rank 0 adds what ranks (0, 1) + (2) have put in, rank 2 (0) + (1, 2); in float32, "
        "1 on rank 0, 16777216 on rank 1, -16777216 on rank 2 and 0 on others add up to 0 on rank 0 and 1 on rank 2"
    )
    assert found.as_dict()["orders"] == [[[0, 1], [2]], [[0], [1, 2]]]
    assert judged([[(0, 1), (0, 2)], [(1, 0), (2, 1)], [(0, 1), (2, 0)]]) is None
    deep = [[(0, 1), (0, 2), (0, 3)], [(1, 2), (0, 1), (0, 3)]]
    assert judged([*deep, deep[0], deep[0]]).orders == ((0b011, 0b100), (0b001, 0b110))


@pytest.mark.parametrize("name", [n for n in names() if page(n).data == "vector"])
@pytest.mark.parametrize("p", [4, 5, 9])
def test_ours_add_in_the_page_s_order(name, p):
    """Bit for bit what the page's own run has, on every rank."""
    radix = {"radix": 3 if p == 9 else p} if name == "recursive_multiplying" else {}
    ours = page(name, **radix)
    one = judge(from_page.exported(ours, p))
    n = one.program.chunks
    xs = np.random.default_rng(p).standard_normal((p, n)).astype(np.float32)
    sums, cells = one.ended
    made = {number: pair for pair, number in sums.known.items()}

    def value(number):
        if number in made:
            return value(made[number][0]) + value(made[number][1])
        ((chunk, rank, _),) = sums.parts[number]
        return xs[rank.bit_length() - 1, chunk]

    assert (one.wrong, one.races) == ([], []) and (one.unequal is None or not ours.agrees)
    for r, result in enumerate(run(ours, list(xs)).results):
        assert [value(cells[one.places.cell(r, "o", c)]) for c in range(n)] == list(result)
