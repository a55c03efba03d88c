"""A line between the driver and one rank: messages on a Unix socket.

A message is two lengths, JSON, and the bytes of some arrays, whose dtypes and shapes the JSON
tells; a sparse vector is two arrays and its length.  Nothing is pickled.
"""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.checks.ranks import sparse_arrays
from sparring.checks.ranks.framing import LENGTHS
from sparring.errors import InputError
from sparring.sparse import Sparse

LIMIT = 1 << 24
"""Bytes of JSON in one message, at most."""
SPARSE = "sparse"
"""Stands in a dtype's place where the bytes are a sparse vector."""
NUMBERS = "biufc"
"""Kinds of dtypes that may travel: numbers and booleans, never objects."""


class Message(NamedTuple):
    """A header of values that JSON can hold, and arrays, some of which may be sparse vectors."""

    header: dict[str, Any]
    arrays: Sequence[Any] = ()

    def packed(self) -> list[bytes | memoryview]:
        """Return the message as pieces of bytes; raises InputError for what cannot be sent."""
        arrays = [sparse_arrays.octets(x) if isinstance(x, Sparse) else x for x in self.arrays]
        for array in arrays:
            if array.dtype.kind not in NUMBERS:
                raise InputError(f"an array of {array.dtype} cannot travel: only numbers can")
        forms = [(SPARSE if isinstance(x, Sparse) else a.dtype.str, a.shape) for x, a in zip(self.arrays, arrays)]
        try:
            text = json.dumps([self.header, forms]).encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"parameters must be what JSON knows: {error}") from error
        if len(text) > LIMIT:
            raise InputError(f"{len(text)} bytes of JSON: at most {LIMIT} can travel")
        lengths = LENGTHS.pack(len(text), sum(array.nbytes for array in arrays))
        return [lengths + text, *(octets(np.ascontiguousarray(array)) for array in arrays)]

    @classmethod
    def read(cls, fill: Callable[[memoryview], None]) -> Message:
        """Read a message; ``fill`` puts its bytes into the buffers that it is given, one after the other.

        Raises EOFError if the bytes are no message.
        """
        lengths = bytearray(LENGTHS.size)
        fill(memoryview(lengths))
        size, payload = LENGTHS.unpack(lengths)
        if size > LIMIT:
            raise EOFError(f"a message of {size} bytes: what speaks here is no sparring process")
        text = bytearray(size)
        fill(memoryview(text))
        header, forms = json.loads(text)
        arrays = blank(forms, payload)
        for array in arrays:
            fill(octets(array))
        return cls(header, [sparse_arrays.sparse(a) if form[0] == SPARSE else a for a, form in zip(arrays, forms)])


def blank(forms: Sequence[tuple[str, Sequence[int]]], payload: int) -> list[NDArray[Any]]:
    """Make empty arrays of these dtypes and shapes; raises EOFError unless they take ``payload`` bytes."""
    kinds = [(np.dtype("u1" if dtype == SPARSE else dtype), tuple(shape)) for dtype, shape in forms]
    wanted = sum(math.prod(shape) * dtype.itemsize for dtype, shape in kinds)
    if wanted != payload or any(dtype.kind not in NUMBERS for dtype, _ in kinds):
        raise EOFError(f"{payload} bytes make no arrays of these dtypes and shapes: {forms}")
    return [np.empty(shape, dtype) for dtype, shape in kinds]


def octets(array: NDArray[Any]) -> memoryview:
    """Return the memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8).data


class Line:
    """One end of a connected socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock

    @classmethod
    def to(cls, path: Path) -> Line:
        """Connect a line to the process that listens at ``path``."""
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(path))
        return cls(sock)

    def fileno(self) -> int:
        """Return the socket's file descriptor, for ``select``."""
        return self.socket.fileno()

    def close(self) -> None:
        """Close the socket, so that the other end sees the end of the line."""
        self.socket.close()

    def send(self, message: Message) -> None:
        """Send a message; raises InputError, with nothing sent, for what cannot be; OSError if the line is dead."""
        for piece in message.packed():
            self.socket.sendall(piece)

    def receive(self) -> Message:
        """Receive the next message.  Raises EOFError if the line ends, TimeoutError if it stalls."""
        return Message.read(self._fill)

    def _fill(self, rest: memoryview) -> None:
        while rest.nbytes:
            try:
                got = self.socket.recv_into(rest)
            except ConnectionResetError:
                got = 0
            if not got:
                raise EOFError("the line was closed")
            rest = rest[got:]
