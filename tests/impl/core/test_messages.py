"""A message holds the chunk, in as many bytes as it should; what no chunk sends is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.errors import InputError
from sparring.impl.core import wire
from sparring.impl.core.chunks import Chunk
from sparring.impl.core.encodings import Encoding, size
from sparring.impl.core.messages import HEADER, decode, encode, message
from tests.impl.core.chunk_strategies import bits, chunks, held, of, values

DENSE, PAIRS, OFFSETS16, BITMAP = Encoding
NAMING = (PAIRS, OFFSETS16, BITMAP)
LONG = (65536, 65537, 131072, 200_000)
FAR = (1 << 31, 1 << 32, (1 << 32) + 1, 1 << 50)


def packed(chunk, encoding=None):
    """The message; what lies behind it in the buffer stays as it was."""
    buffer = np.full(chunk.length * 16 + 64, 0xA5, np.uint8)
    used = encode(chunk, buffer, encoding)
    assert (buffer[used:] == 0xA5).all()
    return buffer[:used]


def header(code, m):
    return np.frombuffer((code << 56 | m).to_bytes(8, "little"), np.uint8)


@given(chunks(values=values) | chunks(values=bits), st.sampled_from(NAMING))
def test_round_trip(chunk, encoding):
    """Bit for bit, in each encoding of positions; the bytes are those of the formula."""
    assume(not chunk.full)
    sent = packed(chunk, encoding)
    got = decode(sent, chunk.length, chunk.values)

    assert sent.size == HEADER + size(encoding, len(chunk), chunk.length, chunk.values.itemsize)
    assert held(got) == held(chunk)
    assert got.length == chunk.length
    assert got.positions is not None and got.positions.dtype == np.int64
    assert got.values.dtype == chunk.values.dtype


@given(chunks(values=values) | chunks(values=bits))
def test_dense_round_trip(chunk):
    """A chunk sent dense arrives full, with -0.0 for what was absent; values are a view of the message."""
    sent = packed(chunk, DENSE)
    got = decode(sent, chunk.length, chunk.values)

    assert sent.size == HEADER + chunk.length * chunk.values.itemsize
    assert got.full
    assert got.values.tobytes() == chunk.dense().tobytes()
    assert not got.values.size or np.shares_memory(got.values, sent)


@pytest.mark.parametrize("length", FAR)
def test_the_largest_positions(length):
    """Nothing is cut off where 32 bits end, nor where 8-byte positions follow an odd number of 4-byte values."""
    chunk, buffer = Chunk(np.array([0, 7, length - 1]), np.arange(3, dtype=np.int32), length), np.empty(100, np.uint8)
    sent = buffer[: encode(chunk, buffer)]

    assert sent.size == HEADER + 3 * 4 + 3 * (4 if length <= 1 << 32 else 8)
    assert held(decode(sent, length, chunk.values)) == held(chunk)


@pytest.mark.parametrize("length", LONG)
@pytest.mark.parametrize("encoding", NAMING)
def test_blocks_of_65536(encoding, length):
    """Positions on both sides of each border, empty blocks, and all but one."""
    borders = [i for i in (0, 65535, 65536, 131071, 131072, length - 1) if i < length]
    random = np.random.default_rng(length).choice(length, 5000, replace=False)
    for at in ([], [0], [length - 1], sorted(set(borders)), np.unique(random), np.arange(1, length)):
        chunk = of(np.array(at), np.arange(len(at), dtype=np.float32), length)
        sent = packed(chunk, encoding)
        got = decode(sent, length, chunk.values)
        assert sent.size == HEADER + size(encoding, len(at), length, chunk.values.itemsize)
        assert got.positions is not None and got.positions.tolist() == list(at)
        assert got.values.tobytes() == chunk.values.tobytes()


def test_the_layout():
    """Byte by byte: header, values, table, positions."""
    chunk = Chunk(np.array([1, 65537]), np.array([1.5, -0.0], np.float32), 65540)
    data = chunk.values.tobytes()

    assert packed(chunk, PAIRS).tobytes() == (2 << 56 | 2).to_bytes(8, "little") + data + b"\1\0\0\0\1\0\1\0"
    assert packed(chunk, OFFSETS16).tobytes() == bytes([2, 0, 0, 0, 0, 0, 0, 3]) + data + b"\1\0\0\0" + b"\1\0\1\0"
    short = Chunk(np.array([0, 9]), chunk.values, 10)
    assert packed(short, BITMAP).tobytes() == bytes([2, 0, 0, 0, 0, 0, 0, 4]) + data + b"\1\2"
    assert packed(short, DENSE).tobytes()[:8] == bytes([10, 0, 0, 0, 0, 0, 0, 1])


CHUNK = Chunk(np.array([1, 3, 8]), np.array([1, 2, 3], np.float32), 10)
FILL = np.zeros(12, np.uint8)


def patched(encoding, at, byte, chunk=CHUNK):
    sent = packed(chunk, encoding).copy()
    sent[at] = byte
    return sent


def long(table, offsets):
    """An offsets16 message of three entries in 3 blocks."""
    parts = np.array(table, "<u4").tobytes() + np.array(offsets, "<u2").tobytes()
    return np.concatenate([header(3, 3), FILL, np.frombuffer(parts, np.uint8)])


@pytest.mark.parametrize(
    ("sent", "length", "why"),
    [
        (np.empty(0, np.uint8), 10, "a message of 0 bytes has no header: that alone takes 8"),
        (np.zeros(7, np.uint8), 10, "a message of 7 bytes has no header"),
        (
            header(0, 0),
            10,
            r"has encoding 0: it must be one of 1 \(dense\), 2 \(pairs\), 3 \(offsets16\), 4 \(bitmap\)",
        ),
        (header(5, 0), 10, "has encoding 5"),
        (header(2, 11), 10, "has 11 entries: its chunk has only 10"),
        (header(4, (1 << 56) - 1), 10, "has 72057594037927935 entries"),
        (header(1, 3), 10, r"has 3 of 10 entries in 1 \(dense\): all, and only all, go dense"),
        (header(2, 10), 10, r"has 10 of 10 entries in 2 \(pairs\)"),
        (header(2, 0), 0, r"has 0 of 0 entries in 2 \(pairs\)"),
        (packed(CHUNK, PAIRS)[:-1], 10, r"has 31 bytes: 3 of 10 entries of 4 bytes in 2 \(pairs\) take 32"),
        (packed(CHUNK, OFFSETS16)[:-2], 10, r"has 24 bytes: .* in 3 \(offsets16\) take 26"),
        (packed(CHUNK, BITMAP)[:-1], 10, r"has 21 bytes: .* in 4 \(bitmap\) take 22"),
        (packed(CHUNK, BITMAP), 17, r"has 22 bytes: .* in 4 \(bitmap\) take 23"),
        (packed(CHUNK, DENSE)[:-1], 10, r"has 47 bytes: 10 of 10 entries of 4 bytes in 1 \(dense\) take 48"),
        (np.append(packed(CHUNK, PAIRS), FILL[:1]), 10, "has 33 bytes: .* take 32"),
        (patched(PAIRS, 24, 1), 10, "must be strictly ascending: 1 follows 1"),
        (patched(PAIRS, 24, 0), 10, "must be strictly ascending: 0 follows 1"),
        (patched(OFFSETS16, 24, 3), 10, "must be strictly ascending: 3 follows 3"),
        (patched(PAIRS, 28, 10), 10, "has an entry at position 10: its chunk has positions 0 to 9"),
        (patched(PAIRS, 31, 255), 10, "has an entry at position 4278190088"),
        (patched(OFFSETS16, 24, 10), 10, "has an entry at position 10"),
        (np.concatenate([header(2, 1), FILL[:4], np.full(8, 255, np.uint8)]), 1 << 33, "at position -1"),
        (patched(BITMAP, 20, 0), 10, "has 3 entries, but its bitmap 1"),
        (patched(BITMAP, 20, 255), 10, "has 3 entries, but its bitmap 9"),
        (patched(BITMAP, 21, 5), 10, "bitmap has bits beyond its chunk's 10 entries"),
        (long([2, 2], [0, 1, 2]), 131_073, "has 3 entries, but its table of blocks counts 4"),
        (long([(1 << 32) - 1, 2], [0, 1, 2]), 131_073, "counts 4294967297"),
        (long([2, 0], [1, 1, 0]), 131_073, "must be strictly ascending: 1 follows 1"),
        (long([1, 0], [0, 0, 1]), 131_073, "has an entry at position 131073: its chunk has positions 0 to 131072"),
    ],
)
def test_what_no_chunk_sends_is_refused(sent, length, why):
    """One sentence for each fault of a message."""
    with pytest.raises(InputError, match=why):
        decode(sent, length, CHUNK.values)


def test_a_table_of_blocks_that_fits_passes():
    """The correct twin of those refused above."""
    got = decode(long([2, 0], [0, 1, 0]), 131_073, CHUNK.values)

    assert got.positions is not None and got.positions.tolist() == [0, 1, 131072]


@given(st.binary(max_size=60), st.sampled_from([*Encoding]), st.integers(0, 12), st.integers(0, 40))
def test_any_bytes_are_a_chunk_or_refused(tail, code, m, length):
    """Nothing else is raised, and what is accepted keeps a chunk's rules."""
    sent = np.concatenate([header(code, m), np.frombuffer(tail, np.uint8)])
    try:
        got = decode(sent, length, np.empty(0, np.float32))
    except InputError:
        return
    at = list(held(got))
    assert at == sorted(set(at))
    assert all(0 <= i < length for i in at)
    assert got.full == (len(at) == length)


def test_a_receive_buffer_is_cut_to_its_message():
    """It may be longer than the message, and not shorter."""
    buffer = np.append(packed(CHUNK), FILL)

    assert message(buffer, 10, 4).tobytes() == packed(CHUNK).tobytes()
    assert np.shares_memory(message(buffer, 10, 4), buffer)
    with pytest.raises(InputError, match=r"has 20 bytes: 3 of 10 entries of 4 bytes in .* take 22"):
        message(buffer[:20], 10, 4)
    with pytest.raises(InputError, match="encoding 0"):
        message(FILL, 10, 4)


def test_what_cannot_be_encoded_is_refused():
    """Too little room, and a full chunk's positions."""
    with pytest.raises(InputError, match="32 bytes does not go into a buffer of 31"):
        encode(CHUNK, np.empty(31, np.uint8), PAIRS)
    with pytest.raises(InputError, match=r"a full chunk goes dense, not in 4 \(bitmap\)"):
        packed(Chunk(None, CHUNK.values, 3), BITMAP)


@pytest.mark.parametrize(("n", "octets"), [(1 << 31, 4), ((1 << 31) + 1, 8), (1 << 62, 8)])
def test_the_largest_index_of_each_width_in_a_list(n, octets):
    """Nothing is cut off at the border."""
    x = Sparse([n - 1], [1.0], n)
    sent = wire.pack(x)
    assert sent.size == 8 + octets == wire.room(1, x.values, n).size
    assert wire.unpack(sent, x.values, n)[0].tolist() == [n - 1]


def test_a_list_of_pairs_cut_short_is_refused():
    """Its length is no number of entries."""
    x = Sparse([2, 5], np.ones(2, np.float32), 6)
    with pytest.raises(InputError, match="15 bytes holds no whole number of entries of float32"):
        wire.unpack(wire.pack(x)[:-1], x.values, x.n)
