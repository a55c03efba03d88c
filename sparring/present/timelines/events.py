"""The Trace Event Format, as far as timelines need it: what stands in the file.

Source: "Trace Event Format", N. Duca and D. Sinclair, Google, 2016, JSON Object Format, with complete events (X), flow
events (s, f) and metadata events (M).  Perfetto's "Visualizing external trace formats" says what it reads of these.
Times are in microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

Args = Mapping[str, object]


class Metadata(Struct, frozen=True, tag_field="ph", tag="M"):
    """A name or a place: ``process_name``, ``process_sort_index``, ``thread_name`` or ``thread_sort_index``."""

    name: str
    pid: int
    tid: int
    args: Args


class Slice(Struct, frozen=True, tag_field="ph", tag="X"):
    """A slice of a track: from ``ts`` on, as long as ``dur``."""

    name: str
    cat: str
    pid: int
    tid: int
    ts: float
    dur: float
    args: Args


class Leaves(Struct, frozen=True, tag_field="ph", tag="s"):
    """The tail of an arrow, in the slice that is open on its track at ``ts``."""

    name: str
    cat: str
    id: int
    pid: int
    tid: int
    ts: float


class Arrives(Struct, frozen=True, tag_field="ph", tag="f"):
    """The head of the arrow of the same ``id``; ``bp`` is ``e``: it is in the slice that encloses ``ts``."""

    name: str
    cat: str
    id: int
    pid: int
    tid: int
    ts: float
    bp: str = "e"


class File(Struct, frozen=True):
    """All that a file holds."""

    traceEvents: list[Metadata | Slice | Leaves | Arrives]  # noqa: N815 - a name of the format
    displayTimeUnit: str  # noqa: N815 - a name of the format
    otherData: Mapping[str, str]  # noqa: N815 - a name of the format


def encoded(file: File) -> bytes:
    """Return the file as JSON."""
    return msgspec.json.encode(file) + b"\n"
