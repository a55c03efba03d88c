from __future__ import annotations

import json
import socket
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.checks.ranks.framing import LENGTHS
from sparring.checks.ranks.sockets import LIMIT, Line, Message
from sparring.errors import InputError
from sparring.sparse import Sparse


@pytest.fixture
def ends():
    """Both ends of a line."""
    a, b = map(Line, socket.socketpair())
    for line in (a, b):
        line.socket.settimeout(10)
    yield a, b
    a.close()
    b.close()


def sent(*message):
    """What arrives of a message."""
    a, b = map(Line, socket.socketpair())
    thread = threading.Thread(target=a.send, args=[Message(*message)])
    thread.start()
    message = b.receive()
    thread.join()
    a.close()
    b.close()
    return message


NUMBERS = st.one_of(hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.floating_dtypes(), hnp.complex_number_dtypes())


@given(arrays=st.lists(hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, min_side=0)), max_size=3))
def test_arrays(arrays):
    """Arrays of numbers, one or many or none, arrive with their bits, shapes, dtypes and byte orders."""
    header, got = sent({"a": [1, "x"]}, arrays)
    assert header == {"a": [1, "x"]}
    assert [(x.dtype, x.shape, x.tobytes()) for x in got] == [(x.dtype, x.shape, x.tobytes()) for x in arrays]


def test_sparse_vectors():
    """Between arrays, where a column of a table is a gap from entry to entry."""
    x = Sparse.made(np.arange(6).reshape(3, 2)[:, 1], np.array([1, 2, 3], np.int32), 9)
    first, got, last = sent({}, [np.zeros(2), x, np.ones(1, np.int8)]).arrays
    assert (got.indices.tolist(), got.values.tolist(), got.dtype, got.n) == ([1, 3, 5], [1, 2, 3], np.int32, 9)
    assert (first.tolist(), last.tolist()) == ([0.0, 0.0], [1])


def test_gaps():
    """Strided arrays arrive too."""
    (got,) = sent({}, [np.arange(10)[::-3]]).arrays
    assert got.tolist() == [9, 6, 3, 0]


@pytest.mark.parametrize("array", [np.array([None]), np.array(["a"]), np.zeros(2, "f4,i4"), np.zeros(1, "M8[s]")])
def test_refused_arrays(ends, array):
    """Objects, text, records and dates do not travel."""
    with pytest.raises(InputError, match="only numbers can"):
        ends[0].send(Message({}, [array]))


def test_refused_headers(ends):
    """Nor does what JSON does not know, or too much of it."""
    with pytest.raises(InputError, match="parameters must be what JSON knows"):
        ends[0].send(Message({"f": len}))
    with pytest.raises(InputError, match="at most"):
        ends[0].send(Message({"f": "x" * LIMIT}))


@pytest.mark.parametrize(
    "forms", [[["|O", [1]]], [["<f8", [2]]], [["<f8", [10**12]]], [], [["<f8", [1]], ["<f8", [1]]], [["V8", [1]]]]
)
def test_no_array_from_nonsense(ends, forms):
    """Forms that do not fit the bytes, or ask for objects, are refused before memory is taken."""
    text = json.dumps([{}, forms]).encode()
    ends[0].socket.sendall(LENGTHS.pack(len(text), 8) + text + bytes(8))
    with pytest.raises(EOFError, match="make no arrays"):
        ends[1].receive()


def test_strangers(ends):
    """What speaks another language is hung up on."""
    ends[0].socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
    with pytest.raises(EOFError, match="no sparring process"):
        ends[1].receive()


def test_end(ends):
    """A closed line ends, in the midst of a message too."""
    ends[0].socket.sendall(b"\x00")
    ends[0].close()
    with pytest.raises(EOFError):
        ends[1].receive()


def test_stall(ends):
    """A line that falls silent within a message times out."""
    ends[0].socket.sendall(b"\x00")
    ends[1].socket.settimeout(0.05)
    with pytest.raises(TimeoutError):
        ends[1].receive()
