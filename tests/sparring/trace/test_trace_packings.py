"""Traces of sparse vectors: lists are read in the form in which a run sends them, or counted."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import Sparse, page
from sparring.trace.compare import compare, counted, messages, unknown
from sparring.trace.divergence import Expected
from sparring.trace.events import Trace, digest
from sparring.trace.packings import ORDERS, Packing, listed, spoken
from tests.sparring.trace.trace_targets import anonymous, traced

PAGE = page("ring_allgather")
OURS = "sparring.impl.ring_allgather:allreduce"
PAIRS = [("index", "i8"), ("value", "f8")]
LEVELS = ("steps", "volume")
NOTHING: tuple[list[int], list[float]] = [], []


def vectors(*lists, n=9, dtype="float64"):
    """One a rank, of (indices, values)."""
    return [Sparse(np.array(at, np.int64), np.array(v, dtype), n) for at, v in lists]


XS = vectors(([1, 4], [0.5, -0.0]), ([4, 5, 8], [1.0, 2.0, 3.0]), NOTHING)


def ring(comm, x, form):
    """Sends lists around in this form; -0.0 becomes +0.0 first."""
    sizes = np.empty(comm.size, np.int64)
    comm.Allgather(np.array([len(x)]), sizes)
    values = x.values + x.dtype.type(0)
    own = np.frombuffer(form.packed(listed(Sparse(x.indices, values, x.n), x.dtype)), np.uint8)
    for hop in range(comm.size - 1):
        got = np.empty(sizes[(comm.rank - hop - 1) % comm.size] * (form.width + x.dtype.itemsize), np.uint8)
        comm.Sendrecv(own, (comm.rank + 1) % comm.size, recvbuf=got, source=(comm.rank - 1) % comm.size)
        own = got


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_every_known_form_is_read(order, width, dtype):
    """With payloads and without, at every level; and which form it is."""
    xs = vectors(([1, 4], [5, 0]), ([4, 5, 8], [1, 2, 3]), NOTHING, dtype=dtype)
    form = Packing(width, order, np.dtype(dtype))
    trace = traced(lambda comm, x: ring(comm, x, form), xs)

    for seen in (trace, anonymous(trace)):
        assert spoken(list(messages(PAGE, xs)), seen) == form
        assert [compare(PAGE, xs, seen, level) for level in LEVELS] == [None, None]


def test_ours_is_read_and_zeros_of_either_sign_are_one():
    """Whether -0.0 travels as it is or not."""
    for trace in (traced(OURS, XS), traced(lambda comm, x: ring(comm, x, Packing(4, "pairs", x.dtype)), XS)):
        for seen in (trace, anonymous(trace)):
            assert not unknown(PAGE, XS, seen)
            assert [compare(PAGE, XS, seen, level) for level in LEVELS] == [None, None]


@pytest.mark.parametrize("order", ORDERS)
def test_a_zero_of_another_sign_does_not_change_the_form(order):
    """Index 0 with -0.0 in place of the page's 0.0: with values first, the sign would be an index."""
    form, xs = Packing(8, order, np.dtype(np.float64)), vectors(([0], [0.0]), ([0], [0.0]), n=1)
    negative = vectors(([0], [-0.0]), ([0], [-0.0]), n=1)[0]
    trace = altered(traced(lambda comm, x: ring(comm, x, form), xs), form.packed(listed(negative, negative.dtype)))

    for seen in (trace, anonymous(trace)):
        assert [compare(PAGE, xs, seen, level) for level in LEVELS] == [None, None]


def test_zeros_too_many_to_try_their_signs_refute_nothing():
    """A digest does not tell them from others then; fewer than that do."""
    form, at = Packing(4, "pairs", np.dtype(np.float64)), np.arange(5)
    for zeros in (5, 4):
        xs = vectors(([0, 1, 3, 4, 8], [0.5, 1.0, 2.0, 3.0, 4.0]), (at[:zeros], [0.0] * zeros))
        trace = anonymous(traced(lambda comm, x: ring(comm, x, form), xs))
        for values, found in (([0.0, -0.0] * 3, False), ([7.0] * 5, zeros == 4)):
            other = form.packed(listed(Sparse(at[:zeros], np.array(values[:zeros]), 9), form.dtype))
            assert (compare(PAGE, xs, anonymous(altered(trace, other)), "steps") is not None) == found


@given(
    st.sampled_from(ORDERS), st.sampled_from([4, 8]), st.lists(st.tuples(st.integers(0, 9), st.floats()), max_size=9)
)
@settings(deadline=None)
def test_packing_and_unpacking_undo_each_other(order, width, entries):
    """Bit for bit."""
    form = Packing(width, order, np.dtype(np.float64))
    x = form.narrowed(np.array(entries, PAIRS))

    assert form.unpacked(np.frombuffer(form.packed(x), np.uint8)).tobytes() == x.tobytes()


def ours(*pairs):
    """These entries as our implementation packs them."""
    return Packing(4, "values first", np.dtype(np.float64)).packed(np.array([*pairs], PAIRS))


def altered(trace, payload):
    """The trace in which rank 1's first message has other bytes."""
    events = list(trace.events)
    i = next(i for i, event in enumerate(events) if event.op == "send" and event.rank == 1)
    data = np.frombuffer(payload, np.uint8)
    events[i] = events[i]._replace(payload=data, digest=digest(payload), nbytes=data.size, count=data.size)
    return Trace(trace.ranks, events)


FULL = "3 entries [4:1. 5:2. 8:3.]"


@pytest.mark.parametrize(
    ("sent", "observed", "expected", "volume"),
    [
        (ours((4, 1.0), (6, 2.0), (8, 3.0)), "3 entries [4:1. 6:2. 8:3.]", "[4:1. 5:2. 8:3.]", None),
        (ours((4, 1.0), (5, 2.0)), "2 entries [4:1. 5:2.]", FULL, 48),
        (b"", "0 entries []", FULL, 24),
        (b"12345", "5 entries of uint8 [49 50 51 ...]", FULL, 29),
    ],
    ids=["another index", "an entry less", "nothing", "something"],
)
def test_another_list_is_told_by_entries(sent, observed, expected, volume):
    """Where most messages can be read, one that is not the page's is wrong: in entries, and in bytes for the volume."""
    trace = altered(traced(OURS, XS), sent)

    said, told = (re.sub(r" \(\w+.py:\d+\)", "", str(compare(PAGE, XS, trace, level))) for level in LEVELS)

    assert said == f"step 0, chunk 1: rank 1 sends {observed} to rank 2, the page sends {expected}"
    wanted = f"rank 1 sends 2 messages of {volume} bytes in all, the page sends 2 messages of 60 bytes in all"
    assert told == (wanted if volume is not None else "None")
    assert compare(PAGE, XS, anonymous(trace), "steps") is not None


def test_a_form_that_nobody_knows_is_counted():
    """Not refuted for its bytes, but for a message too many or too few."""

    def headed(comm, x, more=0, less=0):
        for _ in range(comm.size - 1 + more - less):
            got = np.empty(5)
            comm.Sendrecv(np.full(5, 0.5), (comm.rank + 1) % comm.size, recvbuf=got, source=(comm.rank - 1) % comm.size)

    xs = vectors(([1], [1.0]), ([2], [1.0]), ([3], [1.0]))
    trace = traced(headed, xs)
    assert unknown(PAGE, xs, trace)
    assert [compare(PAGE, xs, trace, level) for level in LEVELS] == [None, None]

    def told(**other):
        return [str(compare(PAGE, xs, traced(functools.partial(headed, **other), xs), level)) for level in LEVELS]

    steps, volume = told(more=1)
    assert "rank 0 sends 5 entries [0.5 0.5 0.5 ...] to rank 1" in steps
    assert "the page sends rank 1 nothing more" in steps
    assert "rank 0 sends 3 messages in all" in volume
    steps, volume = told(less=1)
    assert (
        steps == "step 1, chunk 2: rank 0 sends no further message to rank 1, the page sends 1 entry [3:1.] to rank 1"
    )
    assert "rank 0 sends 1 message in all" in volume


def test_empty_lists_may_be_left_out_where_nothing_is_read():
    """A channel has at least its full lists and at most all."""

    def sends(comm, x, number):
        for _ in range(number):
            comm.Send(np.full(5, 0.5), 1) if comm.rank == 0 else comm.Recv(np.empty(5), 0)

    full, empty = (listed(x, x.dtype) for x in (XS[0], XS[2]))
    wanted = [Expected(t, 0, 1, range(t, t + 1), entries) for t, entries in enumerate((full, empty, full))]
    found = [counted(wanted, traced(functools.partial(sends, number=k), XS[:2])) for k in range(5)]

    assert [divergence and divergence.step for divergence in found] == [0, 2, None, None, 3]


def test_where_all_indices_are_zero_little_is_told():
    """Zeros look alike: a run whose only readable list is that of index 0 is not taken for one that can be read."""

    def as_floats(comm, x):
        both = np.concatenate([x.indices.astype(np.float64), x.values])
        got = np.empty(2)
        comm.Sendrecv(both, 1 - comm.rank, recvbuf=got, source=1 - comm.rank)

    xs = vectors(([0], [1.0]), ([1], [1.0]))
    trace = traced(as_floats, xs)

    assert unknown(PAGE, xs, trace)
    assert compare(PAGE, xs, trace, "steps") is None
