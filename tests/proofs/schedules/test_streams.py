"""Schedules written rank by rank: the same bytes as from all messages at once, and one rank's memory."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import islice
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.api import regular
from sparring.errors import InputError, ScheduleFault
from sparring.proofs.schedules import streams
from sparring.proofs.schedules.rows import Move, Rows, coming
from sparring.spec import ring
from sparring.spec.core import blocks
from sparring.spec.core.model import load
from sparring.spec.core.schedule import number, step_sends, truth

FORMS = ("msccl", "json", "goal", "chakra")


def made(called="made", /, **formulas):
    """A page: the ring, with these formulas in the place of its own."""
    module = ModuleType(called)
    some = {**{name: value for name, value in vars(ring).items() if not name.startswith("__")}, **formulas}
    vars(module).update({name: value for name, value in some.items() if value is not None})
    return load(module)


def moved(page, p):
    """What each rank does, from all messages of one step after the other."""
    found = [[] for _ in range(p)]
    for t in range(number(page.steps(p))):
        adds = truth(page.adds(t, p))
        sends = [(src, dst, row) for src, dst, chunks in step_sends(page, t, p) for row in blocks.rows(chunks)]
        for src, dst, chunks in sends:
            found[src].append(Move(dst, True, adds, chunks[0], len(chunks)))
        came = {}
        for src, dst, chunks in sends:
            came.setdefault(dst, []).append((src, chunks[0], len(chunks)))
        for dst, messages in came.items():
            found[dst] += coming(dst, adds, messages)
    return found


EXPORTED = [
    *(page(name) for name in regular() if not page(name).stateful),
    *(page("recursive_multiplying", radix=radix) for radix in (2, 3, 7)),
    made("silent", active=lambda r, t, p: (r + t) % 3 != 0),
    made("blocks", chunk=None, block=lambda r, t, p: (r % 2, (t + r) % (p - 1))),
]


@pytest.mark.parametrize("one", EXPORTED, ids=lambda one: f"{one.name} {one.params}")
def test_a_stream_is_the_whole(one):
    """Rank by rank what all messages at once tell."""
    for p in (*range(1 + (one.name == "blocks"), 6), 8, 9):
        assert [*Rows(one, p)] == moved(one, p)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_any_schedule_is_streamed(data):
    """Who sends what to whom in each step: drawn, as a table, which is no term."""
    p, steps = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 4))
    shifts = [data.draw(st.integers(1, p - 1)) for _ in range(steps)]
    chunks = [[data.draw(st.integers(0, p - 1)) for _ in range(p)] for _ in range(steps)]
    silent = [[data.draw(st.booleans()) for _ in range(p)] for _ in range(steps)]
    lap = data.draw(st.integers(0, steps))
    drawn = made(
        steps=lambda p: steps, adds=lambda t, p: t < lap,
        dst=lambda r, t, p: (r + shifts[t]) % p, src=lambda r, t, p: (r - shifts[t]) % p,
        chunk=lambda r, t, p: chunks[t][r], active=lambda r, t, p: not silent[t][r],
    )  # fmt: skip
    assert [*Rows(drawn, p)] == moved(drawn, p)


FAULTS = {
    "out of range": {"dst": lambda r, t, p: r + 1},
    "no such chunk": {"chunk": lambda r, t, p: r + t},
    "to itself": {"dst": lambda r, t, p: r, "src": lambda r, t, p: r},
    "listens elsewhere": {"src": lambda r, t, p: (r + 1) % p},
    "no message": {"messages": lambda t, p: 1 - t},
    "two to one": {"messages": lambda t, p: 2},
    "two copies": {"messages": lambda t, p: 2, "dst": lambda r, t, p, j: (r + j + 1) % p,
                   "src": lambda r, t, p, j: (r - j - 1) % p, "chunk": lambda r, t, p: 0},
    "negative steps": {"steps": lambda p: -1},
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_as_in_a_run(fault):
    """With the step in which it is, before the rank that has it is written."""
    wrong = made(**FAULTS[fault])
    with pytest.raises(ScheduleFault) as told:
        list(streams.written(wrong, 4, "goal", 100))
    if told.value.t is not None:
        with pytest.raises(ScheduleFault) as ran:
            step_sends(wrong, told.value.t, 4)
        assert str(told.value) == str(ran.value)


def test_what_is_no_number_is_refused():
    """As in a run."""
    with pytest.raises(InputError, match=r"a schedule formula gave 0\.5, not an integer"):
        list(streams.written(made(chunk=lambda r, t, p: 0.5), 4, "goal", 100))
    with pytest.raises(InputError, match="not True or False"):
        list(streams.written(made(active=lambda r, t, p: 1), 4, "goal", 100))
    with pytest.raises(ZeroDivisionError):
        list(streams.written(made(chunk=lambda r, t, p: r % (t - 1)), 4, "goal", 100))


def test_limits_are_told():
    """What files may say of ranks and chunks."""
    with pytest.raises(InputError, match=r"^ranks = 4097; right: 1 to 4096$"):
        streams.written(page("ring"), 4097, "goal", 100)
    with pytest.raises(InputError, match="page made cuts a vector into 65540 chunks; right: 1 to 65536"):
        streams.written(made(chunks=lambda p: 16385 * p), 4, "goal", 100)


def most(p, ranks, form="goal"):
    """The most bytes that Python holds while so many of the ring's ranks are written, and how many are written."""
    gc.collect()
    tracemalloc.start()
    try:
        written = sum(len(data) for _, data in islice(streams.written(page("ring"), p, form, 2**20), ranks))
        return tracemalloc.get_traced_memory()[1], written
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS)
def test_memory_does_not_grow_with_the_file(form):
    """Eight times the ranks: the file grows, the memory does not."""
    (few, short), (all_, long) = most(32, 4, form), most(32, 32, form)
    assert long > 7 * short
    assert all_ - few < (long - short) / 4


@pytest.mark.parametrize("form", FORMS)
def test_four_thousand_ranks_are_streamed(form):
    """Two of them, all that they send: 8,190 messages each."""
    pieces = [data for _, data in islice(streams.written(page("ring"), 4096, form, 2**20), 2)]
    sends = {"msccl": b'"s"|rcs', "json": b'"s"|rcs', "goal": b": send ", "chakra": b"SEND_NODE"}[form]
    assert [sum(data.count(word) for word in sends.split(b"|")) for data in pieces] == [8190, 8190]
    assert form != "msccl" or b'send="2"' in pieces[1]
