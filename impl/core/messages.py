"""Chunks as messages, in the cheapest encoding.

| bytes            | what                                                                      |
|------------------|---------------------------------------------------------------------------|
| 8                | header: one little-endian integer, the encoding's code in the top byte,   |
|                  | the number ``m`` of entries in the other 56 bits                          |
| ``m w``          | the values, aligned if the buffer is                                      |
| pairs:           |                                                                           |
| ``4 m``          | positions, uint32 (``8 m``, int64, if the chunk has more than 2^32)       |
| offsets16:       |                                                                           |
| ``4 (blocks-1)`` | how many entries each block of 65536 holds, but for the last one, uint32  |
| ``2 m``          | the low 16 bits of the positions, uint16                                  |
| bitmap:          |                                                                           |
| ``ceil(length    | bit ``i % 8``, from the lowest, of byte ``i // 8`` is set if position     |
| / 8)``           | ``i`` is held                                                             |

Everything but the header is in the machine's byte order.  A chunk's length and dtype are no part
of the message: both sides know them.  A full chunk is always dense, and only a full one; a chunk
for which dense is the cheapest becomes full, absent entries being -0.0.

What is received is always checked: the one pass over the positions costs less than making them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.chunks import Chunk, Positions
from sparring.impl.core.encodings import BLOCK, Encoding, cheapest, position, size, table
from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

HEADER = 8
"""Bytes of the header."""


def room(length: int, w: int, most: int | None = None) -> int:
    """Bytes of the largest message of a chunk of ``length`` entries of ``w`` bytes that holds no more than ``most``."""
    m = length if most is None else min(most, length)
    return HEADER + size(cheapest(m, length, w), m, length, w)


def encode(chunk: Chunk, out: Bytes, encoding: Encoding | None = None) -> int:
    """Writes ``chunk``'s message to the front of ``out``; how many bytes it takes.

    ``encoding``: the cheapest unless given; one that names positions is for chunks that are not full.
    Values that already lie in their place, see :func:`body`, are not copied.

    Raises InputError where ``out`` is too small; :func:`room` is enough for the cheapest.
    """
    length, w = chunk.length, chunk.values.itemsize
    encoding = encoding or cheapest(len(chunk), length, w)
    dense = encoding is Encoding.DENSE
    m = length if dense else len(chunk)
    used = HEADER + size(encoding, m, length, w)
    if out.size < used:
        raise InputError(f"a message of {used} bytes does not go into a buffer of {out.size}")
    values = body(out, m, chunk.values)
    if dense:
        chunk.dense(values)
    else:
        values[...] = chunk.values
        _write(encoding, chunk, out[HEADER + m * w : used])
    out[:HEADER] = bytearray((encoding << 56 | m).to_bytes(HEADER, "little"))
    return used


def body(buffer: Bytes, m: int, like: Vector) -> Vector:
    """Where the ``m`` values of a message in ``buffer`` lie: a view, of ``like``'s dtype and class."""
    return like.__array_wrap__(buffer[HEADER : HEADER + m * like.itemsize].view(like.dtype))


def message(buffer: Bytes, length: int, w: int) -> Bytes:
    """The front of a receive buffer, as far as its message goes by its header.

    Raises InputError for a header that cannot be, or a message longer than ``buffer``.
    """
    encoding, m = _header(buffer, length)
    used = HEADER + size(encoding, m, length, w)
    if used > buffer.size:
        raise InputError(_wrong_size(buffer, encoding, m, length, w))
    return buffer[:used]


def decode(message: Bytes, length: int, like: Vector) -> Chunk:
    """The chunk of ``length`` entries that ``message``, exactly its bytes, tells.

    Values are a view of ``message``, of ``like``'s dtype and class; positions are new memory.

    Raises InputError for a message that no chunk has.
    """
    encoding, m = _header(message, length)
    values_end = HEADER + m * like.itemsize
    if message.size != HEADER + size(encoding, m, length, like.itemsize):
        raise InputError(_wrong_size(message, encoding, m, length, like.itemsize))
    positions = _read(encoding, message[values_end:], m, length)
    return Chunk(positions, body(message, m, like), length)


def _header(buffer: Bytes, length: int) -> tuple[Encoding, int]:
    """Encoding and number of entries."""
    if buffer.size < HEADER:
        raise InputError(f"a message of {buffer.size} bytes has no header: that alone takes {HEADER}")
    code, m = divmod(int.from_bytes(buffer[:HEADER].tobytes(), "little"), 1 << 56)
    try:
        encoding = Encoding(code)
    except ValueError:
        known = ", ".join(map(_name, Encoding))
        raise InputError(f"a message has encoding {code}: it must be one of {known}") from None
    if m > length:
        raise InputError(f"a message has {m} entries: its chunk has only {length}")
    if (encoding is Encoding.DENSE) != (m == length):
        raise InputError(f"a message has {m} of {length} entries in {_name(encoding)}: all, and only all, go dense")
    return encoding, m


def _name(encoding: Encoding) -> str:
    return f"{encoding.value} ({encoding.name.lower()})"


def _wrong_size(buffer: Bytes, encoding: Encoding, m: int, length: int, w: int) -> str:
    return (
        f"a message has {buffer.size} bytes: {m} of {length} entries of {w} bytes in {_name(encoding)} "
        f"take {HEADER + size(encoding, m, length, w)}"
    )


def _write(encoding: Encoding, chunk: Chunk, rest: Bytes) -> None:
    """``chunk``'s positions to ``rest``."""
    length, positions = chunk.length, chunk.positions
    if positions is None:
        raise InputError(f"a full chunk goes dense, not in {_name(encoding)}")
    match encoding:
        case Encoding.PAIRS:
            np.copyto(rest.view(_whole(length)), positions, casting="unsafe")
        case Encoding.OFFSETS16:
            counts = rest[: table(length)].view(np.uint32)
            counts[...] = np.searchsorted(positions, np.arange(BLOCK, length, BLOCK))
            counts[1:] -= counts[:-1]  # right even where an end is 2^32 or more: no block holds so many
            np.copyto(rest[table(length) :].view(np.uint16), positions, casting="unsafe")  # keeps the low bits
        case _:
            held = np.zeros(length, np.bool_)
            held[positions] = True
            rest[...] = np.packbits(held, bitorder="little")


def _read(encoding: Encoding, rest: Bytes, m: int, length: int) -> Positions | None:
    """The positions told by ``rest``; None for all."""
    match encoding:
        case Encoding.DENSE:
            return None
        case Encoding.PAIRS:
            return _ascending(rest.view(_whole(length)).astype(np.int64), length)
        case Encoding.OFFSETS16:
            return _ascending(_from_offsets(rest, m, length), length)
        case Encoding.BITMAP:
            return _from_bitmap(rest, m, length)


def _whole(length: int) -> type[np.uint32 | np.int64]:
    """The dtype of a position among ``length``."""
    return np.uint32 if position(length) == 4 else np.int64


def _from_offsets(rest: Bytes, m: int, length: int) -> Positions:
    counts = rest[: table(length)].view(np.uint32).tolist()
    last = m - sum(counts)
    if last < 0:
        raise InputError(f"a message has {m} entries, but its table of blocks counts {m - last}")
    starts = np.arange(0, max(length, 1), BLOCK)
    return np.repeat(starts, [*counts, last]) + rest[table(length) :].view(np.uint16)


def _from_bitmap(rest: Bytes, m: int, length: int) -> Positions:
    if length % 8 and rest[-1] >> length % 8:
        raise InputError(f"a message's bitmap has bits beyond its chunk's {length} entries")
    more = max(0, length // 9 + 1 - m)  # flatnonzero is two to three times as fast where more than a tenth is nonzero
    held = np.unpackbits(rest, count=length + more, bitorder="little").view(np.bool_)
    held[length:] = True
    positions = np.flatnonzero(held)
    if positions.size != m + more:
        raise InputError(f"a message has {m} entries, but its bitmap {positions.size - more}")
    return positions[:m]


def _ascending(positions: Positions, length: int) -> Positions:
    """``positions``, if they are a chunk's."""
    rises: NDArray[np.bool_] = positions[1:] > positions[:-1]
    if not rises.all():
        i = int(rises.argmin())
        raise InputError(f"a message's positions must be strictly ascending: {positions[i + 1]} follows {positions[i]}")
    if positions.size and (positions[0] < 0 or positions[-1] >= length):
        wrong = positions[0] if positions[0] < 0 else positions[-1]
        raise InputError(f"a message has an entry at position {wrong}: its chunk has positions 0 to {length - 1}")
    return positions
