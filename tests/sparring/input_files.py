"""Files that a user might give: good, bad and forged."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

EIGHT = np.arange(8, dtype=np.float32).reshape(2, 4)
Write = Callable[[Path], object]


def npz(**arrays: Any) -> Write:
    """Writes a file with these arrays, in this order."""
    return lambda path: np.savez(path, **arrays)


def raw(data: bytes) -> Write:
    """Writes a file of these bytes."""
    return lambda path: path.write_bytes(data)


def packed(*members: tuple[str, bytes], how: int = zipfile.ZIP_STORED) -> Write:
    """Writes a zip archive of these members."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", how) as archive:
            for name, data in members:
                archive.writestr(name, data)

    return write


def npy(array: Any) -> bytes:
    """The array as the bytes of an .npy file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def declared(shape: str, descr: str = "'<f4'", data: bytes = b"") -> bytes:
    """An .npy file whose header says this, whatever the data are."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def good(**arrays: Any) -> bytes:
    """The bytes of a good file."""
    stream = io.BytesIO()
    np.savez(stream, **(arrays or {"a": EIGHT}))
    return stream.getvalue()


def flipped(data: bytes, at: int) -> bytes:
    """The bytes with one of them changed."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def forge(path: Path, **fields: int) -> None:
    """Change what the archive's directory says of its first member."""
    places = {"flags": (8, 2), "size": (24, 4), "offset": (42, 4)}
    data = bytearray(path.read_bytes())
    for name, value in fields.items():
        at, wide = places[name]
        at += data.index(b"PK\1\2")
        data[at : at + wide] = value.to_bytes(wide, "little")
    path.write_bytes(bytes(data))
