"""A line between the driver and one rank: messages on a Unix socket.

A message is two lengths, a JSON object, and the bytes of at most one array, whose dtype and shape
the object tells.  Nothing is pickled.
"""

from __future__ import annotations

import json
import math
import socket
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError

LENGTHS = struct.Struct("!IQ")
LIMIT = 1 << 24
"""Bytes of JSON in one message, at most."""
NUMBERS = "biufc"
"""Kinds of dtypes that may travel: numbers and booleans, never objects."""


class Message(NamedTuple):
    """Some values that JSON knows, and an array or None."""

    header: dict[str, Any]
    array: NDArray[Any] | None = None


class Line:
    """One end of a connected socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock

    @classmethod
    def to(cls, path: Path) -> Line:
        """A line to whoever listens at ``path``."""
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(path))
        return cls(sock)

    def fileno(self) -> int:
        """For ``select``."""
        return self.socket.fileno()

    def close(self) -> None:
        """The other end reads to its end."""
        self.socket.close()

    def send(self, header: dict[str, Any], array: NDArray[Any] | None = None) -> None:
        """Send a message.  Raises InputError for an array of anything but numbers, OSError if the line is dead."""
        if array is not None:
            if array.dtype.kind not in NUMBERS:
                raise InputError(f"an array of {array.dtype} cannot travel: only numbers can")
            header = {**header, "dtype": array.dtype.str, "shape": array.shape}
        try:
            text = json.dumps(header).encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"parameters must be what JSON knows: {error}") from error
        if len(text) > LIMIT:
            raise InputError(f"{len(text)} bytes of parameters: at most {LIMIT} can travel")
        self.socket.sendall(LENGTHS.pack(len(text), 0 if array is None else array.nbytes) + text)
        if array is not None:
            self.socket.sendall(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def receive(self) -> Message:
        """The next message.  Raises EOFError where the line ends, TimeoutError if it stalls."""
        text, payload = LENGTHS.unpack(self._read(bytearray(LENGTHS.size)))
        if text > LIMIT:
            raise EOFError(f"a message of {text} bytes: what speaks here is no sparring process")
        header = json.loads(self._read(bytearray(text)))
        if "dtype" not in header:
            return Message(header)
        dtype, shape = np.dtype(header.pop("dtype")), tuple(header.pop("shape"))
        if dtype.kind not in NUMBERS or math.prod(shape) * dtype.itemsize != payload:
            raise EOFError(f"{payload} bytes make no array of shape {shape} and dtype {dtype}")
        array = np.empty(shape, dtype)
        self._read(array.reshape(-1).view(np.uint8))
        return Message(header, array)

    def _read(self, into: Any) -> Any:
        """Fill the buffer ``into``."""
        rest = memoryview(into)
        while rest.nbytes:
            try:
                got = self.socket.recv_into(rest)
            except ConnectionResetError:
                got = 0
            if not got:
                raise EOFError("the line was closed")
            rest = rest[got:]
        return into
