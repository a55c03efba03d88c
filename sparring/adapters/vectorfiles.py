"""One rank's vector as a file: ``docs/reference/file-targets.md`` says it in full.

``rankR.bin`` is a line of JSON and then the entries, little-endian; ``rankR.npz`` is numpy's.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.refinement.vectors import Vector
from sparring.rules import parsed
from sparring.sparse import INDICES, VALUES, Sparse

FORMAT, VERSION = "sparring vector", 1
HEADER = 4096
"""Bytes of the first line, at most."""
SIZE = 1 << 30
"""Bytes of a file, and of what an archive unpacks to, at most."""


def write(folder: Path, rank: int, ranks: int, x: Vector) -> None:
    """Write the vector of rank ``rank`` in both forms."""
    parts = {"values": x.values, "indices": x.indices} if isinstance(x, Sparse) else {"x": x}
    place = {"rank": rank, "ranks": ranks, "n": x.size}
    sizes = {"count": len(x), "indices": str(x.indices.dtype)} if isinstance(x, Sparse) else {}
    head = {"format": FORMAT, "version": VERSION, **place, "dtype": str(x.dtype), **sizes}
    line = json.dumps(head, separators=(",", ":")).encode() + b"\n"
    body = b"".join(part.astype(part.dtype.newbyteorder("<")).tobytes() for part in parts.values())
    (folder / f"rank{rank}.bin").write_bytes(line + body)
    np.savez(folder / f"rank{rank}.npz", allow_pickle=False, **place, **parts)


def files(folder: Path, rank: int) -> tuple[Path, Path]:
    """Return where the vector of rank ``rank`` may be: the raw file, and numpy's."""
    return folder / f"rank{rank}.bin", folder / f"rank{rank}.npz"


def read(folder: Path, rank: int, ranks: int) -> Vector:
    """Read the vector of rank ``rank`` of ``ranks``, in either form; raise InputError for none, or something else.

    In both forms it must be the same: who reads the other file would get another result.
    """
    raw, zipped = files(folder, rank)
    forms = {raw: from_raw, zipped: from_npz}
    place = {"rank": rank, "ranks": ranks}
    found = [reads(path, place) for path, reads in forms.items() if path.is_file()]
    if not found:
        names = f"neither {raw.name} nor {zipped.name}"
        raise InputError(f"{names} is there: every rank must have its vector in one of them")
    if len({content(x) for x in found}) > 1:
        raise InputError(f"{raw.name} and {zipped.name} have different vectors: a rank has one result")
    return found[0]


def content(x: Vector) -> tuple[Any, ...]:
    """Return what two equal vectors have alike: their kinds and bits."""
    parts = (x.indices, x.values) if isinstance(x, Sparse) else (x,)
    return (x.size, *((str(part.dtype), part.shape, part.tobytes()) for part in parts))


def agrees(path: Path, told: Mapping[str, Any], place: Mapping[str, int]) -> None:
    """Raise InputError where a file says that it is another rank's, or another length; it need not say."""
    for name, wanted in place.items():
        if told.get(name, wanted) != wanted:
            raise InputError(f"{path.name}: {name} is {told[name]!r}: it must be {wanted}, or left out")


def from_raw(path: Path, place: Mapping[str, int]) -> Vector:
    """Read the vector in a ``.bin`` file, which must be of that ``place``."""
    fits(path, path.stat().st_size)
    with path.open("rb") as file:
        line, body = file.readline(HEADER), file.read()
    head = header(path, line)
    agrees(path, head, place)
    values = np.dtype(chosen(path, head, "dtype", VALUES)).newbyteorder("<")
    if "indices" not in head:
        return cut(path, body, (head["n"], values))[0]
    indices = np.dtype(chosen(path, head, "indices", INDICES)).newbyteorder("<")
    count = read_count(path, head, "count")
    entries, at = cut(path, body, (count, values), (count, indices))
    return Sparse.made(at, entries, head["n"])


def fits(path: Path, size: int) -> None:
    """Raise InputError for more bytes than anybody needs."""
    if size > SIZE:
        raise InputError(f"{path.name} has {size:,} bytes: it may have {SIZE:,}")


def header(path: Path, line: bytes) -> dict[str, Any]:
    """Read the first line, in which ``n`` is a length."""
    why = ""
    try:
        head = parsed(line)
    except ValueError as error:
        head, why = None, f" ({error})"
    if not line.endswith(b"\n") or not isinstance(head, dict):
        raise InputError(f'{path.name}: the first line must be JSON such as {{"n":3,"dtype":"float64"}}{why}')
    told = {"format": FORMAT, "version": VERSION, **head}
    if (told["format"], told["version"]) != (FORMAT, VERSION):
        raise InputError(f"{path.name}: format {told['format']!r} {told['version']!r}: it must be {FORMAT!r} {VERSION}")
    read_count(path, head, "n")
    return head


def read_count(path: Path, head: Mapping[str, Any], name: str) -> int:
    """Read a number of entries; raise InputError for anything else."""
    number = head.get(name)
    if type(number) is not int or number < 0:
        raise InputError(f"{path.name}: {name} is {number!r}: it must be a whole number, 0 or more")
    return number


def chosen(path: Path, head: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    """Read a dtype's name; raise InputError for one that is not ``known``."""
    if head.get(name) not in known:
        raise InputError(f"{path.name}: {name} is {head.get(name)!r}: there are {', '.join(known)}")
    return str(head[name])


def cut(path: Path, body: bytes, *parts: tuple[int, np.dtype[Any]]) -> list[NDArray[Any]]:
    """Return the arrays that follow the first line; raise InputError for too few or too many bytes."""
    wanted = sum(count * dtype.itemsize for count, dtype in parts)
    if len(body) != wanted:
        raise InputError(f"{path.name}: {len(body)} bytes follow the first line: by its words there must be {wanted}")
    arrays, start = [], 0
    for count, dtype in parts:
        arrays.append(np.frombuffer(body, dtype, count, start).astype(dtype.newbyteorder("=")))
        start += count * dtype.itemsize
    return arrays


def from_npz(path: Path, place: Mapping[str, int]) -> Vector:
    """Read the vector in a ``.npz`` file of that ``place``: ``x``, or ``indices``, ``values`` and ``n``."""
    try:
        with zipfile.ZipFile(path) as archive:
            fits(path, sum(part.file_size for part in archive.infolist()))
        with np.load(path, allow_pickle=False) as file:
            names = [name for name in ("x", "indices", "values", "n", *place) if name in file.files]
            found: dict[str, NDArray[Any]] = {name: file[name] for name in names}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path.name} is no .npz of plain arrays: {error}") from None
    told = {name: found[name].tolist() for name in ("n", *place) if name in found}
    agrees(path, told, place)
    parts = set(found) - set(place)
    if parts - {"n"} == {"x"}:
        agrees(path, told, {"n": found["x"].size})
        return found["x"]
    if parts != {"indices", "values", "n"}:
        raise InputError(
            f"{path.name} has {', '.join(sorted(parts)) or 'nothing that is known'}: "
            "it must have x, or indices, values and n"
        )
    n = found["n"]
    if n.shape or n.dtype.kind not in "iu" or n < 0:
        raise InputError(f"{path.name}: n is {n.tolist()!r}: it must be a whole number, 0 or more")
    return Sparse.made(found["indices"], found["values"], int(n))
