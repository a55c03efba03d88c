"""Keeps results that took long to compute in the user's cache folder: small JSON files, never code.

A file holds a value and the key that it was computed for.  If the key differs, or the file is damaged or missing, the
value is computed anew and written.  Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

Value = TypeVar("Value")
LARGEST = 1_000_000  # bytes of a file


class Kept(msgspec.Struct, Generic[Value], forbid_unknown_fields=True):
    """The content of a file."""

    key: str
    value: Value


def folder() -> Path | None:
    """Return the folder of our cache, where the platform has caches; None where the user has no home.

    As the XDG base directory specification has it, a relative ``XDG_CACHE_HOME`` counts as none.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "sparring"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "sparring"


def recall(name: str, key: str, kind: type[Value]) -> Value | None:
    """Return the value of that name and key; None where there is none."""
    place = folder()
    if place is None:
        return None
    try:
        data = (place / f"{name}.json").read_bytes()
        found = msgspec.json.decode(data, type=Kept[kind]) if len(data) <= LARGEST else None  # type: ignore[valid-type]  # a type that is given
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found.value if found and found.key == key else None


def keep(name: str, key: str, value: object) -> None:
    """Write the value: whoever reads at the same time finds the old file or the new one, whole."""
    place = folder()
    if place is None:
        return
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=place, suffix=".part", delete=False) as file:
            file.write(msgspec.json.encode(Kept(key, value)))
        Path(file.name).replace(place / f"{name}.json")


@cache
def installed(rooms: tuple[str, ...], packages: tuple[str, ...]) -> str:
    """Return a digest of all files of these rooms of sparring, of the machine, Python and these packages' versions."""
    root = Path(__file__).parent
    files = {file for room in rooms for file in (root / room).rglob("*") if file.suffix in KINDS}
    told = [
        sys.version,
        platform.platform(),
        platform.processor(),
        *(f"{name} {metadata.version(name)}" for name in packages),
    ]
    told += [f"{file.relative_to(root)} {digest(file.read_bytes())}" for file in sorted(files)]
    return digest("\n".join(told).encode())


KINDS = (".py", ".npz", ".v")
"""The endings of files that a result may depend on."""


def digest(data: bytes) -> str:
    """Return a digest in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
