"""A page may send several chunks in one message; everything that asks for its messages knows."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

import sparring
from sparring import page, run
from sparring.errors import InputError, ScheduleFault
from sparring.present import spacetime
from sparring.present.spacetime.history import Hop, hops
from sparring.proofs.core import execution, obligations
from sparring.proofs.core.obligations import c
from sparring.proofs.cost import counted
from sparring.spec.core.model import load
from sparring.spec.core.numbers import where

RING = page("ring")


def made(**formulas):
    """Two halves exchanged by neighbours: every rank sends half of its chunks to the other of two, then they to it."""
    module = ModuleType("exchange", "Exchange of halves.")
    vars(module).update(
        {
            "steps": lambda p: where(p == 2, 2, 0), "chunks": lambda p: 4,
            "dst": lambda r, t, p: (r + 1) % p, "src": lambda r, t, p: (r - 1) % p,
            "block": lambda r, t, p: (where(t == 0, 2 - 2 * r, 2 * r), 2), "adds": lambda t, p: t == 0,
            "holds": lambda q, r, c, t, p: q == r,
        }
        | formulas
    )  # fmt: skip
    return load(module)


def test_a_block_is_sent_in_one_message():
    """Rank 0 keeps the first half; chunks are of 1 entry, and of 2."""
    for n in (4, 8):
        ran = sparring.spec.core.runner.run(made(), [[1] * n, [10] * n])

        assert [[len(m.entries) for m in wire] for wire in ran.trace] == [[n // 2] * 2] * 2
        assert ran.results == [[11] * n] * 2


def test_what_it_sends_is_counted():
    """From the formulas and in a run, where chunks are uneven, too."""
    halves = made()
    for n in (0, 3, 4, 7, 8):
        found = counted.count(halves, 2, n, 0)
        assert found.sent == counted.traced(halves, 2, n, 0).sent == [n, n]
        assert found.added == counted.traced(halves, 2, n, 0).added == [n // 2, n - n // 2]


@pytest.mark.parametrize(
    ("block", "why"),
    [((3, 2), r"block\(0, 0, 2\) = \(3, 2\) is no block of the chunks 0..3"), ((1, -1), "is no block of"),
     ((-1, 2), r"chunk\(0, 0, 2\) = -1 is out of range"), ((5, 0), r"chunk\(0, 0, 2\) = 5 is out of range 0\.\.4")],
)  # fmt: skip
def test_a_block_beyond_the_page_s_chunks_is_named(block, why):
    with pytest.raises(ScheduleFault, match=why):
        sparring.spec.core.runner.run(made(block=lambda r, t, p: block), [[1] * 4] * 2).results


def test_an_empty_block_is_a_message_in_vain():
    """It may be sent, as where a vector is short, but a page that says so has a message too many."""
    empty = made(block=lambda r, t, p: (4, 0))

    assert sparring.spec.core.runner.run(empty, [[1] * 4] * 2).results == [[1] * 4] * 2
    assert str(execution.first(execution.in_vain, empty)) == "p=2 step 0: rank 0 sends rank 1 a message of no chunks"


def test_every_chunk_of_a_block_must_bring_something():
    """Chunk 1 is sent again in the second step, where nothing new is in it."""
    again = made(steps=lambda p: where(p == 2, 3, 0), block=lambda r, t, p: (where(t == 0, 2 - 2 * r, 2 * r), 2))

    assert str(execution.first(execution.in_vain, again)).endswith("brings rank 1 nothing new in chunk 0")


def test_chunk_and_block_exclude_each_other():
    with pytest.raises(InputError, match="both chunk and block"):
        made(chunk=lambda r, t, p: 0)
    with pytest.raises(InputError, match="has data 'sparse' and a block: only of vectors"):
        made(data="sparse")


def test_obligations_of_pages_with_single_chunks_are_as_they_were():
    """A chunk is compared, not enclosed."""
    assert repr(obligations.sends(RING, obligations.r)) == "(((r - t) % p) == c)"
    assert [o.name for o in obligations.economy(RING)][-1:] == ["something new"]
    assert repr(obligations.sends(made(), obligations.r)).count(repr(c)) == 2
    assert [o.name for o in obligations.economy(made())][-2:] == ["something sent", "something new"]


def test_pictures_name_the_chunks():
    """On the arrow the first and the last, in the sentence in words."""
    halves = made()

    assert [hop.label for hop in hops(halves, 2)[0]] == ["+2-3", "+0-1"]
    assert str(hops(halves, 2)[0][0]) == "step 0: rank 0 sends chunks 2 to 3 to rank 1, which adds them to its copies"
    assert str(Hop(1, 0, 1, 3, False)) == "step 1: rank 0 sends chunk 3 to rank 1, which overwrites its copy"
    assert "+2-3" in spacetime.terminal(halves, 2, 80).plain
    assert 'data-chunk="2-3"' in spacetime.svg(halves, 2)
    assert "every rank sends some chunks in each step" in spacetime.svg(halves, 2)


def test_blocks_that_overlap_are_refuted():
    """Planted: each rank sends its own half first, which then lacks the other's part."""
    wrong = replace(made(), chunk=lambda r, t, p: 2 * r)
    assert execution.first(execution.wrong_result, wrong) is not None
    assert run("rabenseifner", [[1, 2]] * 2).results == [[2, 4]] * 2
