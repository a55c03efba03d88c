"""A page may send several chunks in one message; everything that asks for its messages knows."""

from __future__ import annotations

from types import ModuleType

import pytest

import sparring
from sparring.errors import InputError, ScheduleFault
from sparring.present import spacetime
from sparring.present.spacetime.history import Hop, hops
from sparring.proofs.logic import messages, obligations
from sparring.proofs.statements import execution
from sparring.schedules.from_page import exported
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import both, evaluate, where
from sparring.spec.core.runner import PieceRun
from sparring.spec.core.schedule import send
from sparring.spec.core.sparse import SparseVector


def made(**formulas):
    """Two halves exchanged by neighbours: every rank sends half of its chunks to the other of two, then they to it."""
    module = ModuleType("exchange", "Exchange of halves.")
    vars(module).update(
        {
            "steps": lambda p: where(p == 2, 2, 0),
            "chunks": lambda p: 4,
            "dst": lambda r, t, p: (r + 1) % p,
            "src": lambda r, t, p: (r - 1) % p,
            "block": lambda r, t, p: (where(t == 0, 2 - 2 * r, 2 * r), 2),
            "adds": lambda t, p: t == 0,
            "holds": lambda q, r, c, t, p: q == r,
        }
        | formulas
    )
    return load(module)


@pytest.mark.parametrize(
    ("block", "why"),
    [((3, 2), r"block\(0, 0, 2\) = \(3, 2\) is no block of the chunks 0..3"), ((1, -1), "is no block of"),
     ((-1, 2), r"chunk\(0, 0, 2\) = -1 is out of range"), ((5, 0), r"chunk\(0, 0, 2\) = 5 is out of range 0\.\.4")],
)  # fmt: skip
def test_a_block_beyond_the_page_s_chunks_is_named(block, why):
    with pytest.raises(ScheduleFault, match=why):
        sparring.spec.core.runner.run(made(block=lambda r, t, p: block), [[1] * 4] * 2).results


def test_every_chunk_of_a_block_must_bring_something():
    """Chunk 1 is sent again in the second step, where nothing new is in it."""
    again = made(steps=lambda p: where(p == 2, 3, 0), block=lambda r, t, p: (where(t == 0, 2 - 2 * r, 2 * r), 2))

    assert str(execution.first(execution.in_vain, again)).endswith("brings rank 1 nothing new in chunk 0")


def test_chunk_and_block_exclude_each_other():
    with pytest.raises(InputError, match="both chunk and block"):
        made(chunk=lambda r, t, p: 0)
    with pytest.raises(InputError, match="has data 'sparse' and a block: only of vectors, lists and"):
        made(data="sparse")


def test_pictures_name_the_chunks():
    """On the arrow the first and the last, in the sentence in words."""
    halves = made()

    assert [hop.label for hop in hops(halves, 2)[0]] == ["+2-3", "+0-1"]
    assert str(hops(halves, 2)[0][0]) == "step 0: rank 0 sends chunks 2 to 3 to rank 1, which adds them to its copies"
    assert str(Hop(1, 0, 1, 3, False)) == "step 1: rank 0 sends chunk 3 to rank 1, which overwrites its copy"
    assert "+2-3" in spacetime.terminal(halves, 2, 80).plain
    assert 'data-chunk="2-3"' in spacetime.svg(halves, 2)
    assert "every rank sends some chunks in each step" in spacetime.svg(halves, 2)


def shared(**formulas):
    """Lists of four ranks: each sends its own to the rank before it, then its own and the next to the one before that.

    Rank 3's second message goes past the last list to the first.
    """
    lists = {
        "kind": "allgather", "data": "lists", "steps": lambda p: where(p == 4, 2, 0), "chunks": lambda p: p,
        "dst": lambda r, t, p: (r - 1 - t) % p, "src": lambda r, t, p: (r + 1 + t) % p,
        "block": lambda r, t, p: (r, 1 + t), "adds": lambda t, p: False,
        "holds": lambda q, r, c, t, p: both(q == c, (c - r) % p < 1 + t + where(t == 2, 1, 0)),
    }  # fmt: skip
    return made(**(lists | formulas))


LISTS = [SparseVector((r, 4 + r), (r + 1, 10 * (r + 1)), 8) for r in range(4)]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"block": lambda r, t, p: (r, 5)}, r"block\(0, 0, 4\) = \(0, 5\) is no block of the chunks 0..3"),
        ({"block": lambda r, t, p: (r + 1, 1 + t)}, r"chunk\(3, 0, 4\) = 4 is out of range 0\.\.3"),
        ({"block": lambda r, t, p: (p, 0)}, r"chunk\(0, 0, 4\) = 4 is out of range 0\.\.3"),
        ({"block": lambda r, t, p: (r, -t)}, "is no block of"),
    ],
)
def test_no_message_has_a_list_twice(wrong, why):
    with pytest.raises(ScheduleFault, match=why):
        sparring.spec.core.runner.run(shared(**wrong), LISTS).results


@pytest.mark.parametrize(("first", "count"), [(2, 2), (2, 3), (3, 2), (3, 4), (0, 4), (1, 0)])
def test_what_is_to_be_shown_of_a_block_is_what_a_run_sends(first, count):
    """The term for the chunks of a message, evaluated, and the runner's own list of them."""
    page_ = shared(block=lambda r, t, p: (first, count))
    _, chunks = send(page_, 0, 0, 4)

    shown = [x for x in range(4) if evaluate(messages.sent(page_, obligations.r), r=0, t=0, p=4, c=x)]
    assert shown == sorted(chunks)
    assert len(chunks) == count == len({*chunks})


def test_the_chunks_past_the_end_are_named():
    """In sentences, on arrows, and in a schedule file as two messages, since there places lie in a row."""
    last = hops(shared(), 4)[1][3]
    steps = [step for block in exported(shared(), 4).ranks[3].blocks for step in block.steps]

    assert last.label == "=3-0"
    assert str(last).startswith("step 1: rank 3 sends chunks 3 to 0 (mod 4) to rank 1")
    assert [(step.src[1], step.count) for step in steps if step.src] == [(3, 1), (3, 1), (0, 1)]


def selected(**formulas):
    """Of three ranks each sends the others' chunks to the one before it, which goes past the last one; then its own."""
    cut = {
        "data": "selected", "steps": lambda p: where(p == 3, 1, 0), "chunks": lambda p: p,
        "dst": lambda r, t, p: (r - 1) % p, "src": lambda r, t, p: (r + 1) % p,
        "block": lambda r, t, p: ((r + 1) % p, 2), "adds": lambda t, p: True,
        "sends": lambda x, c: x.at([i for i in x.indices if x.values[i] > 1 + c]),
    }  # fmt: skip
    return made(**(cut | formulas))


def test_selected_entries_go_past_the_last_chunk_to_the_first():
    """Each chunk is cut by itself, by its own number, and its indices count from where it begins."""
    ran = sparring.spec.core.runner.run(selected(), [[1, 2, 3, 4, 5, 6], [3, 3, 3, 3, 3, 3], [9, 0, 0, 9, 9, 0]])

    assert [repr(m.entries) for m in ran.trace[0]] == ["[0:3 1:4 0:5 1:6]", "[0:3 1:3]", "[0:9 1:9]"]
    assert [m.entries.n for m in ran.trace[0]] == [4, 4, 4]
    assert isinstance(ran, PieceRun)
    assert [repr(cut) for cut in ran.cut] == ["[]", "[4:3 5:3]", "[1:0 2:0]"]
