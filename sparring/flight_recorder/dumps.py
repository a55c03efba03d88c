"""What PyTorch's flight recorder writes: one file a rank, a pickle or JSON, of the calls that the rank has made.

The format is that of ``torch/distributed/flight_recorder`` of PyTorch 2.13, version 2.10 of the dumps.  NCCL jobs write
such files by themselves on a time-out, ``nccl_trace_rank_0`` and so on.  Any job can write them:
``torch._C._distributed_c10d._dump_fr_trace()`` gives a pickle, ``_dump_fr_trace_json()`` JSON without source lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from sparring.errors import InputError
from sparring.flight_recorder import plain_pickle
from sparring.rules import typed

SIZE, TOTAL = 2**25, 2**29
"""The most bytes of a file, and of all files together."""
ENTRIES, RANKS = 2**17, 2**16
"""The most entries of a dump, and ranks of a job."""
NAME = re.compile(r"(?P<stem>.*?)(?P<rank>[0-9]{1,9})(?:\.(?:json|pkl|pickle))?", re.ASCII | re.DOTALL)
PICKLE, OBJECT = b"\x80", b"{"
"""How a pickle and a JSON object begin."""
WANTED = 'a flight-recorder dump with "version" and "entries"'

Number = Annotated[int, Meta(ge=-(2**62), le=2**62)]
Length = Annotated[int, Meta(ge=0, le=2**62)]
Sizes = Annotated[list[Annotated[list[Length], Meta(max_length=64)]], Meta(max_length=2**16)]
Text = Annotated[str, Meta(max_length=2**12)]
Line = Annotated[int, Meta(ge=-1, le=2**31)]


class Frame(Struct, frozen=True):
    """A line of the stack of a call; the innermost comes first."""

    filename: Text = ""
    line: Line = 0
    name: Text = ""


class Entry(Struct, frozen=True):
    """A call, as its rank recorded it."""

    process_group: tuple[Text, Text]
    profiling_name: Text
    collective_seq_id: Number = 0
    p2p_seq_id: Number = 0
    record_id: Number = 0
    input_sizes: Sizes = []
    output_sizes: Sizes = []
    input_dtypes: list[Text] = []
    output_dtypes: list[Text] = []
    state: Text = ""
    retired: bool = False
    is_p2p: bool = False
    time_created_ns: Number = 0
    time_discovered_completed_ns: Number | None = None
    """None in a pickle, or 0 in JSON, where no end was seen."""
    frames: Annotated[list[Frame], Meta(max_length=2**12)] = []


class Members(Struct, frozen=True):
    """Which ranks a group has, as text such as ``[0, 1]``; gloo leaves it empty."""

    ranks: str | list[int] = ""

    @property
    def known(self) -> frozenset[int]:
        """The ranks; none where they are not told."""
        return frozenset(map(int, re.findall(r"\d{1,9}", str(self.ranks), re.ASCII)))


class Dump(Struct, frozen=True):
    """The calls of one rank, in the order in which it made them.

    Dumps of ``sparring.torch.watch`` also have ``lists_messages``, since they list sends and receives on any backend,
    and ``now``, the stack of the rank as it wrote the dump.
    """

    version: Text
    entries: Annotated[list[Entry], Meta(max_length=ENTRIES)] = []
    """Torch's JSON leaves them out where a rank has called nothing."""
    pg_config: dict[Text, Members] = {}
    lists_messages: bool = False
    now: Annotated[list[Frame], Meta(max_length=2**12)] = []

    @property
    def overwritten(self) -> bool:
        """Whether the recorder's buffer was full, so that the first calls are lost."""
        return bool(self.entries) and self.entries[0].record_id > 0


def is_job(target: Any) -> bool:
    """Return whether the target is a folder with dumps of a flight recorder."""
    return isinstance(target, (str, Path)) and Path(target).is_dir() and any(found(Path(target)))


def found(folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield the files that look like dumps, each with its rank, the number at the end of its name."""
    for path in sorted(folder.iterdir()):
        match = NAME.fullmatch(path.name)
        if match and path.is_file() and begins(path) in {PICKLE, OBJECT}:
            yield int(match["rank"]), path


def begins(path: Path) -> bytes:
    """Return the first byte of a file."""
    try:
        with path.open("rb") as file:
            return file.read(1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def read(folder: Path) -> Mapping[int, Dump]:
    """Read the dumps of a job, by rank; raise InputError where a file is no dump, or two are of the same rank."""
    paths: dict[int, Path] = {}
    for rank, path in found(folder):
        if rank in paths:
            raise InputError(f"{paths[rank]} and {path.name} are both of rank {rank}; right: one dump a rank")
        if rank >= RANKS:
            raise InputError(f"{path} would be of rank {rank}; right: a name that ends in a rank below {RANKS}")
        paths[rank] = path
    if (total := sum(path.stat().st_size for path in paths.values())) > TOTAL:
        raise InputError(f"the dumps in {folder} have {total} bytes together; at most {TOTAL} are read")
    return {rank: read_one(path) for rank, path in sorted(paths.items())}


def read_one(path: Path) -> Dump:
    """Read one dump."""
    try:
        with path.open("rb") as file:
            data = file.read(SIZE + 1)
        if len(data) > SIZE:
            raise InputError(f"more than {SIZE} bytes; at most so many are read")
        return decoded(data)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def decoded(data: bytes) -> Dump:
    """Return the dump that a file holds, in either form."""
    try:
        dump = msgspec.convert(plain_pickle.loads(data), Dump) if data.startswith(PICKLE) else typed(data, Dump)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InputError(f"{str(error) or 'too deep'}; right: {WANTED}") from None
    if not re.fullmatch(r"2\.\d{1,6}", dump.version, re.ASCII):
        raise InputError(f"a dump of version {dump.version[:20]!r}; right: 2.0 to 2.10, which PyTorch 2.13 writes")
    if (most := max((rank for members in dump.pg_config.values() for rank in members.known), default=0)) >= RANKS:
        raise InputError(f"a group has rank {most}; right: ranks below {RANKS}")
    return dump
