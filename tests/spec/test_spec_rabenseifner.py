"""Reduce-scatter and allgather sum on any number of ranks, with MPICH's peers and halves."""

from __future__ import annotations

import pytest

from sparring import page, run
from sparring.spec.core.numbers import Sym, evaluate, reverse
from sparring.spec.core.schedule import step_sends

PAGE = page("rabenseifner")


def mpich(p):
    """Who sends which pieces to whom, round by round, as MPICH counts: by what begins and ends a rank's part."""
    pof2 = 1 << p.bit_length() - 1
    rem = p - pof2
    parts = dict.fromkeys(range(pof2), (0, pof2))

    def rank(v):
        return 2 * v + 1 if v < rem else v + rem

    if rem:
        yield {(2 * v, 2 * v + 1, range(pof2)) for v in range(rem)}
    mask = 1
    while mask < pof2:
        sent, kept = set(), {}
        for v, (begin, end) in parts.items():
            middle = (begin + end) // 2
            kept[v], given = ((begin, middle), (middle, end)) if v < v ^ mask else ((middle, end), (begin, middle))
            sent.add((rank(v), rank(v ^ mask), range(*given)))
        parts, mask = kept, mask * 2
        yield sent
    while mask > 1:
        mask //= 2
        yield {(rank(v), rank(v ^ mask), range(*part)) for v, part in parts.items()}
        ends = {v: sorted({*part, *parts[v ^ mask]}) for v, part in parts.items()}
        parts = {v: (both[0], both[-1]) for v, both in ends.items()}
    if rem:
        yield {(2 * v + 1, 2 * v, range(pof2)) for v in range(rem)}


@pytest.mark.parametrize("p", range(1, 34))
def test_every_rank_ends_with_the_sum(p):
    """For n = 0, 1 and more, fewer than there are chunks and p no power of two included."""
    for n in (0, 1, 3, 2 * p + 1):
        xs = [[100 * r + i for i in range(n)] for r in range(p)]

        assert run("rabenseifner", xs).results == [[sum(column) for column in zip(*xs)] if n else []] * p


@pytest.mark.parametrize("p", [*range(1, 20), 31, 32, 33, 64])
def test_messages_are_mpich_s(p):
    """The same ranks and the same pieces in the same order, worked out in another way."""
    assert [set(step_sends(PAGE, t, p)) for t in range(PAGE.steps(p))] == [*mpich(p)]


def test_the_rank_of_number_v_finishes_the_chunk_with_v_s_bits_in_reverse():
    """Of eight ranks, as the notes on MPICH's algorithm have it."""
    assert [PAGE.module.place(r, 8) for r in range(8)] == [0, 4, 2, 6, 1, 5, 3, 7]


def test_every_chunk_is_summed_by_one_rank():
    """So all have the same bits, though the order of addition differs from chunk to chunk."""
    assert run("rabenseifner", [["a", "A"], ["b", "B"]]).results == [["ba", "AB"]] * 2


@pytest.mark.parametrize("p", range(1, 20))
def test_symbols_and_numbers_read_alike(p):
    """The formulas on symbols, evaluated, are the formulas on numbers."""
    letters = Sym.var("r"), Sym.var("t"), Sym.var("p")
    for step in range(PAGE.steps(p)):
        for rank in range(p):
            at = {"r": rank, "t": step, "p": p}
            for formula in (PAGE.dst, PAGE.src, PAGE.active, PAGE.chunk, PAGE.count):
                assert evaluate(formula(*letters), **at) == formula(rank, step, p)


@pytest.mark.parametrize("bits", range(7))
def test_reversing_twice_gives_the_lowest_bits(bits):
    """And reversing is what it says: the text of the bits backwards."""
    for x in range(100):
        low = x % 2**bits
        assert [reverse(reverse(x, bits), bits)] == [low]
        assert bits == 0 or [reverse(x, bits)] == [int(f"{low:0{bits}b}"[::-1], 2)]
