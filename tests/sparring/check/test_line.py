from __future__ import annotations

import json
import socket
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.check.line import LENGTHS, LIMIT, Line
from sparring.errors import InputError


@pytest.fixture
def ends():
    """Both ends of a line."""
    a, b = map(Line, socket.socketpair())
    for line in (a, b):
        line.socket.settimeout(10)
    yield a, b
    a.close()
    b.close()


def sent(header, array=None):
    """What arrives of a message."""
    a, b = map(Line, socket.socketpair())
    thread = threading.Thread(target=a.send, args=(header, array))
    thread.start()
    message = b.receive()
    thread.join()
    a.close()
    b.close()
    return message


NUMBERS = st.one_of(hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.floating_dtypes(), hnp.complex_number_dtypes())


@given(array=hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, min_side=0)))
def test_arrays(array):
    """An array of numbers arrives with its bits, shape, dtype and byte order."""
    header, got = sent({"a": [1, "x"]}, array)
    assert header == {"a": [1, "x"]}
    assert got is not None
    assert (got.dtype, got.shape, got.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_gaps():
    """Strided arrays arrive too."""
    got = sent({}, np.arange(10)[::-3]).array
    assert got is not None
    assert got.tolist() == [9, 6, 3, 0]


def test_no_array():
    """A message may have none."""
    assert sent({"x": 1}) == ({"x": 1}, None)


@pytest.mark.parametrize("array", [np.array([None]), np.array(["a"]), np.zeros(2, "f4,i4"), np.zeros(1, "M8[s]")])
def test_refused_arrays(ends, array):
    """Objects, text, records and dates do not travel."""
    with pytest.raises(InputError, match="only numbers can"):
        ends[0].send({}, array)


def test_refused_headers(ends):
    """Nor does what JSON does not know, or too much of it."""
    with pytest.raises(InputError, match="parameters must be what JSON knows"):
        ends[0].send({"f": len})
    with pytest.raises(InputError, match="at most"):
        ends[0].send({"f": "x" * LIMIT})


def raw(ends, header, payload=b"", length=None):
    text = json.dumps(header).encode()
    ends[0].socket.sendall(LENGTHS.pack(len(text), len(payload) if length is None else length) + text + payload)
    return ends[1].receive


@pytest.mark.parametrize(
    ("header", "payload"),
    [
        ({"dtype": "|O", "shape": [1]}, bytes(8)),
        ({"dtype": "<f8", "shape": [2]}, bytes(8)),
        ({"dtype": "<f8", "shape": [10**12]}, bytes(8)),
    ],
)
def test_no_array_from_nonsense(ends, header, payload):
    """A header that does not fit its bytes, or asks for objects, is refused before memory is taken."""
    with pytest.raises(EOFError, match="make no array"):
        raw(ends, header, payload)()


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
