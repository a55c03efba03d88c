"""Files: which format a name's ending tells, and at most how much is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from sparring.errors import InputError
from sparring.proofs.schedules import chakra, goal, msccl, plain, synchronous
from sparring.proofs.schedules.messages import Messages, carried
from sparring.proofs.schedules.program import RANKS, Program

SIZE = 2**25
"""The most bytes of a file, or of a trace's files together."""

HEAD = 1000
"""In so many bytes of a JSON file stands whether it is MSCCL's."""

READERS: Mapping[str, Callable[[bytes], Program | Messages]] = {
    ".xml": msccl.read,
    ".json": lambda data: (synchronous if b'"msccl_type"' in data[:HEAD] else plain).read(data),
    ".goal": goal.read,
}
WRITERS: Mapping[str, Callable[[Program], bytes]] = {"msccl": msccl.write, "json": plain.write}


def read(path: Path) -> Program | Messages:
    """What the file says; its name's ending tells the format.  Raises InputError."""
    if path.suffix == ".et":
        return chakra.read([contents(file) for file in siblings(path)])
    if path.suffix not in READERS:
        raise InputError(f"no schedule file; right: a name that ends in {', '.join(READERS)} or .et")
    return READERS[path.suffix](contents(path))


def siblings(path: Path) -> list[Path]:
    """The files of all ranks, of which one is given."""
    found = re.fullmatch(r"(.+)\.(\d+)\.et", path.name)
    if not found:
        raise InputError("no rank in the name; right: NAME.0.et, beside the files of the other ranks")
    files: list[Path] = []
    while len(files) <= RANKS and (file := path.with_name(f"{found[1]}.{len(files)}.et")).is_file():
        files.append(file)
    if sum(file.stat().st_size for file in files) > SIZE:
        raise InputError(f"the files of all ranks are larger than {SIZE} bytes together; at most so many are read")
    if int(found[2]) >= len(files):
        raise InputError(
            f"no file {path.with_name(f'{found[1]}.{len(files)}.et')}; right: one for each rank, from 0 on"
        )
    return files


def contents(path: Path) -> bytes:
    """The bytes of a regular file of at most SIZE."""
    try:
        if not path.exists():
            raise InputError("no such file")
        if not path.is_file():
            raise InputError("no regular file")
        with path.open("rb") as file:
            data = file.read(SIZE + 1)
    except (OSError, ValueError) as error:
        raise error if isinstance(error, InputError) else InputError(f"cannot be read ({error})") from None
    if len(data) > SIZE:
        raise InputError(f"more than {SIZE} bytes; at most so many are read")
    return data


def written(program: Program, form: str, size: int) -> dict[str, bytes]:
    """The files of a program, by what their names end in."""
    if size < 1:
        raise InputError(f"size = {size}; right: the bytes of the vector, 1 or more")
    if form in WRITERS:
        return {".xml" if form == "msccl" else ".json": WRITERS[form](program)}
    if form == "goal":
        return {".goal": goal.write(carried(program, size))}
    if form == "chakra":
        return {f".{r}.et": data for r, data in enumerate(chakra.write(carried(program, size)))}
    raise InputError(f"no format {form!r}; there are msccl, json, goal and chakra")
