"""Messages that tell their own encoding are read back, whichever it is; what is none of them is left as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import Sparse
from sparring.impl.core.chunks import Chunk
from sparring.impl.core.encodings import Encoding
from sparring.impl.core.messages import encode, room
from sparring.trace.compare import compare
from sparring.trace.events import Trace
from sparring.trace.headed import Headed
from tests.sparring.trace.trace_targets import traced

DTYPE = np.dtype(np.float32)
PAGE = sparring.page("ring_sparse")
TARGET = "sparring.impl.ring_sparse:allreduce"


def encoded(at, values, length, encoding):
    """A message of ours."""
    out = np.empty(room(length, DTYPE.itemsize) + 8 * length, np.uint8)
    return out[: encode(Chunk(np.array(at, np.int64), values, length), out, encoding)].tobytes()


def unpacked(message):
    """Its entries."""
    read = Headed(DTYPE).unpacked(message)
    assert read is not None
    return read


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 300), st.data(), st.sampled_from([e for e in Encoding if e is not Encoding.DENSE]))
def test_what_we_write_is_read(length, data, encoding):
    """Of all encodings with positions; blocks of 65536 positions, too."""
    at = sorted(data.draw(st.sets(st.integers(0, length - 1), max_size=length - 1)))
    stretch = data.draw(st.sampled_from([1, 1000]))
    values = np.arange(len(at), dtype=DTYPE)
    read = unpacked(encoded([i * stretch for i in at], values, length * stretch, encoding))
    assert read["index"].tolist() == [i * stretch for i in at] and read["value"].tolist() == values.tolist()


def test_full_chunks_need_no_positions():
    read = unpacked(encoded(range(5), np.arange(5, dtype=DTYPE), 5, Encoding.DENSE))
    assert read.tolist() == [(i, i) for i in range(5)]


@pytest.mark.parametrize("encoding", Encoding)
def test_what_is_no_such_message_is_not_read(encoding):
    """Of another encoding, too short, too long, or with more entries than it has bytes for."""
    full = encoding is Encoding.DENSE
    at, length = (range(9), 9) if full else ([1, 8], 9)
    message = encoded(at, np.ones(len(at), DTYPE), length, encoding)
    assert Headed(DTYPE).unpacked(message) is not None
    for other in (b"", message[:7], message[:-1], message[:7] + b"\x09" + message[8:], b"\xff" + message[1:]):
        assert Headed(DTYPE).unpacked(other) is None


def vectors(p=3, n=24):
    """Some entries, few enough for messages with positions and so many that sums go dense."""
    rng = np.random.default_rng(n)
    at = [np.flatnonzero(rng.random(n) < 0.2 + 0.3 * r) for r in range(p)]
    return [Sparse(one, rng.standard_normal(one.size).astype(DTYPE), n) for one in at]


def test_another_entry_in_a_message_is_found():
    """Of the run itself nothing is; with one value or one position changed that is told by its entries."""
    xs = vectors()
    trace = traced(TARGET, xs)
    assert compare(PAGE, xs, trace, "steps") is None
    first = next(i for i, event in enumerate(trace.events) if event.op == "send" and event.nbytes > 12)
    for at in (8, -1):  # a value's lowest bits; where the last entry is
        payload = np.array(trace.events[first].payload).view(np.uint8)
        payload[at] ^= 1
        events = [*trace.events]
        events[first] = events[first]._replace(payload=payload)
        assert "sends" in str(compare(PAGE, xs, Trace(len(xs), events), "steps"))
