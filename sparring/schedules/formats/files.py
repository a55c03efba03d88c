"""Files: finds the format by the name's ending and the first words, and limits how much is read."""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from sparring.errors import InputError
from sparring.schedules import program
from sparring.schedules.chunk_flows import Told
from sparring.schedules.formats import chakra, forestcoll, goal, msccl, msccl_json, mscclpp, teccl
from sparring.schedules.messages import Messages
from sparring.schedules.plans import Plan
from sparring.schedules.program import RANKS, Program, decoded

SIZE = 2**25
"""The most bytes of a file, or of a trace's files together."""

Subject = Program | Messages | Told | Plan
Readers = Mapping[str, tuple[str, Callable[[bytes], Subject]]]
XMLS: Readers = {"algo": ("MSCCL", msccl.read), "Algo": ("ForestColl", forestcoll.read)}
"""The formats in XML, by the outermost element."""
JSONS: Readers = {
    "format": ("ours", program.read),
    "msccl_type": ("MSCCL", msccl_json.read),
    "gpus": ("MSCCL++", mscclpp.read),
    "7-Flows": ("TE-CCL", teccl.read),
}
"""The formats in JSON, by a key of the outermost object."""
BEFORE, NAME = re.compile(rb"\s*(<\?|<!--)"), re.compile(rb"\s*<([A-Za-z][A-Za-z0-9]{0,99})")
CLOSED = {b"<?": b"?>", b"<!--": b"-->"}


def outermost(data: bytes) -> str:
    """Return the outermost element of an XML file; empty where something else comes first."""
    at = len(BOM) if data.startswith(BOM) else 0
    while begun := BEFORE.match(data, at):
        end = CLOSED[begun[1]]
        at = data.find(end, begun.end()) + len(end)
        if at < len(end):  # not closed
            return ""
    found = NAME.match(data, at)
    return found[1].decode() if found else ""


def xml(data: bytes) -> Subject:
    """Read an XML file; where no element comes first, MSCCL's parser says what is wrong."""
    root = outermost(data) or "algo"
    if root not in XMLS:
        raise InputError(f"<{root[:40]}> at the top; right: {listed(XMLS, '<{}>')}")
    return XMLS[root][1](data)


def json(data: bytes) -> Subject:
    """Read a JSON file."""
    keys = decoded(data, dict[str, msgspec.Raw], f"an object with {listed(JSONS, QUOTED)}")
    for key, (_, read) in JSONS.items():
        if key in keys:
            return read(data)
    raise InputError(f"an object of no format that is known; right: one with {listed(JSONS, QUOTED)}")


QUOTED = '"{}"'


def listed(readers: Readers, form: str) -> str:
    """List the formats as text, each with the mark by which it is known."""
    told = [f"{form.format(mark)} ({name})" for mark, (name, _) in readers.items()]
    return ", ".join(told[:-1]) + f" or {told[-1]}"


READERS: Mapping[str, Callable[[bytes], Subject]] = {".xml": xml, ".json": json, ".goal": goal.read}


def read(path: Path) -> Subject:
    """Read the file; raise InputError where it cannot be read."""
    if path.suffix == ".et":
        return chakra.read([contents(file) for file in siblings(path)])
    if path.suffix not in READERS:
        raise InputError(f"no schedule file; right: a name that ends in {', '.join(READERS)} or .et")
    return READERS[path.suffix](contents(path))


def siblings(path: Path) -> list[Path]:
    """Return the files of all ranks, given one of them."""
    found = re.fullmatch(r"(.+)\.(\d+)\.et", path.name)
    if not found:
        raise InputError("no rank in the name; right: NAME.0.et, beside the files of the other ranks")
    files: list[Path] = []
    while len(files) <= RANKS and (file := path.with_name(f"{found[1]}.{len(files)}.et")).is_file():
        files.append(file)
    if sum(file.stat().st_size for file in files) > SIZE:
        raise InputError(f"the files of all ranks are larger than {SIZE} bytes together; at most so many are read")
    name = re.compile(rf"{re.escape(found[1])}\.(\d+)\.et")
    there = [int(match[1]) for file in path.parent.glob("*.et") if (match := name.fullmatch(file.name))]
    if max([int(found[2]), *there]) >= len(files):
        raise InputError(
            f"no file {path.with_name(f'{found[1]}.{len(files)}.et')}; right: one for each rank, from 0 on"
        )
    return files


def contents(path: Path) -> bytes:
    """Return the bytes of a regular file of at most SIZE bytes."""
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
