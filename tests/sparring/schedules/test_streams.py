"""Schedules written rank by rank: the same bytes as from all messages at once, and one rank's memory."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import islice, product
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.api import regular
from sparring.errors import InputError, ScheduleFault
from sparring.schedules import from_page, writing
from sparring.schedules.rank_schedule import Move, Rows, coming
from sparring.spec import ring
from sparring.spec.core import blocks
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import where
from sparring.spec.core.schedule import number, step_sends, truth
from tests.sweeps import third

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


def whole(one, p, form, size):
    """The files of a schedule whose ranks are written one by one."""
    rows, program = from_page.begun(one, p)
    return [*writing.pieces(program, p, [from_page.rank(one, rows.chunks, row) for row in rows], form, size)]


@pytest.mark.parametrize("one", third(EXPORTED), ids=lambda one: f"{one.name} {one.params}")
def test_a_stream_is_the_whole(one):
    """Rank by rank what all messages at once tell; in every format, also where chunks differ in their bytes."""
    for p in (*range(1 + (one.name == "blocks"), 6), 8, 9):
        assert [*Rows(one, p)] == moved(one, p)
        for form, size in product(FORMS, (1, 1000)):
            assert [*writing.write_schedule(one, p, form, size)] == whole(one, p, form, size)


ALIKE = {
    "the ring's": lambda r, t, p: (r - t) % p,
    "of neighbours": lambda r, t, p: 0 if (r + 1) % p == r else (r + p) % p,
    "around twice": lambda r, t, p: ((r + t) % p - 2 * t) % p,
    "the same of all": lambda r, t, p: t % p,
    "in a branch": lambda r, t, p: where(t % 2 < 1, r, (1 + r) % p),
}
"""Formulas for chunks that are of all ranks alike, only turned."""
APART = {
    "odd ranks": lambda r, t, p: r % 2,
    "half of them": lambda r, t, p: r // 2,
    "times": lambda r, t, p: r * 3 % p,
    "mirrored": lambda r, t, p: p - 1 - r,
    "mirrored around": lambda r, t, p: -r % p,
    "bits": lambda r, t, p: (r ^ 1) % p,
    "one rank": lambda r, t, p: 0 if r == 1 else r,
    "all but one": lambda r, t, p: r if r != 1 else 0,
    "the first": lambda r, t, p: r if r < 1 else 0,
    "the last": lambda r, t, p: 0 if r >= p - 1 else r,
    "not the first": lambda r, t, p: r if r >= 1 else 0,
    "not the last": lambda r, t, p: r if r < p - 1 else 0,
    "at most": lambda r, t, p: min(r, 1),
    "no more than all": lambda r, t, p: r if r + 1 < p else 0,
    "no less than none": lambda r, t, p: r if r - 1 >= 0 else 0,
    "not around": lambda r, t, p: (0 if r + 1 == (r + 1) % p else 1) % p,
    "any but the first": lambda r, t, p: 1 % p if r else 0,
    "looked for": lambda r, t, p: 1 % p if r in {0, 2} else 0,
    "looked up": lambda r, t, p: [*range(p)][r],
    "around another number": lambda r, t, p: (r + 1) % (p + 1) % p,
    "as bits": lambda r, t, p: r.bit_length() % p,
}


@pytest.mark.parametrize("chunk", [*ALIKE, *APART])
def test_ranks_are_alike_or_not(chunk):
    """What is written once for all is what each would write; others are written one by one."""
    one = made(chunk={**ALIKE, **APART}[chunk])
    for p in range(3, 7):
        assert (Rows(one, p).turned() is not None) == (chunk in ALIKE)
        for form in FORMS:
            assert [*writing.write_schedule(one, p, form, 999)] == whole(one, p, form, 999)


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
        steps=lambda p: steps,
        adds=lambda t, p: t < lap,
        dst=lambda r, t, p: (r + shifts[t]) % p,
        src=lambda r, t, p: (r - shifts[t]) % p,
        chunk=lambda r, t, p: chunks[t][r],
        active=lambda r, t, p: not silent[t][r],
    )
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
    "a block past the end": {"chunk": None, "block": lambda r, t, p: (r, 2)},
    "a block of less than none": {"chunk": None, "block": lambda r, t, p: (r, -1)},
    "negative steps": {"steps": lambda p: -1},
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_as_in_a_run(fault):
    """With the step in which it is, before the rank that has it is written."""
    wrong = made(**FAULTS[fault])
    with pytest.raises(ScheduleFault) as told:
        list(writing.write_schedule(wrong, 4, "goal", 100))
    if told.value.t is not None:
        with pytest.raises(ScheduleFault) as ran:
            step_sends(wrong, told.value.t, 4)
        assert str(told.value) == str(ran.value)


def test_what_is_no_number_is_refused():
    """As in a run."""
    with pytest.raises(InputError, match=r"a schedule formula gave 0\.5, not an integer"):
        list(writing.write_schedule(made(chunk=lambda r, t, p: 0.5), 4, "goal", 100))
    with pytest.raises(InputError, match="not True or False"):
        list(writing.write_schedule(made(active=lambda r, t, p: 1), 4, "goal", 100))
    with pytest.raises(ZeroDivisionError):
        list(writing.write_schedule(made(chunk=lambda r, t, p: r % (t - 1)), 4, "goal", 100))


def test_limits_are_told():
    """What files may say of ranks and chunks."""
    with pytest.raises(InputError, match=r"^ranks = 4097; right: 1 to 4096$"):
        writing.write_schedule(page("ring"), 4097, "goal", 100)
    with pytest.raises(InputError, match="page made cuts a vector into 65540 chunks; right: 1 to 65536"):
        writing.write_schedule(made(chunks=lambda p: 16385 * p), 4, "goal", 100)


def most(p, ranks, form="goal"):
    """The most bytes that Python holds while so many of the ring's ranks are written, and how many are written."""
    gc.collect()
    tracemalloc.start()
    try:
        written = sum(len(data) for _, data in islice(writing.write_schedule(page("ring"), p, form, 2**20), ranks))
        return tracemalloc.get_traced_memory()[1], written
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS)
def test_memory_does_not_grow_with_the_file(form):
    """Eight times the ranks: the file grows, the memory does not."""
    (few, short), (all_, long) = most(32, 4, form), most(32, 32, form)
    assert long > 7 * short
    assert all_ - few < (long - short) / 4


@pytest.mark.parametrize("form", third(FORMS))
def test_four_thousand_ranks_are_streamed(form):
    """Two of them, all that they send: 8,190 messages each."""
    pieces = [data for _, data in islice(writing.write_schedule(page("ring"), 4096, form, 2**20), 2)]
    sends = {"msccl": b'"s"|rcs', "json": b'"s"|rcs', "goal": b": send ", "chakra": b"SEND_NODE"}[form]
    assert [sum(data.count(word) for word in sends.split(b"|")) for data in pieces] == [8190, 8190]
    assert form != "msccl" or b'send="2"' in pieces[1]
