"""Notes each MPI call that a rank makes."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sparring.errors import Unrecorded
from sparring.trace.events import NOBODY, Event, caller, collective, digest
from sparring.world.core.buffers import Buffer, simple
from sparring.world.core.objects import bulk

if TYPE_CHECKING:
    from mpi4py.MPI import Comm, Group

Arguments = dict[str, Any]
"""A call's arguments, by mpi4py's names for them."""
Size = tuple[int, str, int]
"""An event's ``count``, ``dtype`` and ``nbytes``."""
OBJECT = "object"
"""The dtype of pickled messages."""


class Log:
    """The record of what this rank has done so far: ``events``.  ``keep``: with the payloads of its sends."""

    def __init__(self, group: Group, *, keep: bool) -> None:
        self.group, self.rank, self.keep = group, group.Get_rank(), keep
        self.events: list[Event] = []
        self.contexts = 0
        self.open = True
        self._lock = threading.Lock()  # a target may call from several threads

    def add(self, event: Event) -> None:
        """Note ``event``, with its number."""
        with self._lock:
            if self.open:
                self.events.append(event._replace(seq=len(self.events)))

    def place(self, comm: Comm) -> Place:
        """Return the place of a communicator that is new to this rank."""
        with self._lock:
            context = self.contexts
            self.contexts += 1
        group = comm.Get_group()
        ranks = group.Translate_ranks(None, self.group)
        group.Free()
        return Place(self, context, ranks)


class Place(NamedTuple):
    """The knowledge of a recording communicator: its log, its number, and its ranks in the target's communicator."""

    log: Log
    context: int
    ranks: list[int]


def send(place: Place, call: str, given: Arguments) -> None:
    """Record a message, unless it goes to nobody.  MPI itself complains of a destination that is out of range."""
    dest, tag = given["dest"], int(first(given, "tag", "sendtag"))
    if not 0 <= dest < len(place.ranks):
        return
    log, buffer = place.log, first(given, "buf", "obj", "sendbuf", "sendobj")
    size, data = content(call, buffer)
    payload = np.frombuffer(data, size[1]) if log.keep and size[1] != OBJECT else None
    peer, seen = place.ranks[dest], digest(data)
    if peer < 0:
        raise Unrecorded(f"{call} ({caller()}) to a rank that has no part in this cannot be recorded")
    log.add(Event(log.rank, 0, "send", call, peer, tag, place.context, None, *size, seen, caller(), payload))


def receive(place: Place, call: str, given: Arguments) -> None:
    """Record a receive, and how much room it has; what an object needs is not known."""
    source, tag = given["source"], max(NOBODY, int(first(given, "tag", "recvtag")))
    if source == mpi().PROC_NULL:
        return
    size = (0, OBJECT, 0) if call.islower() else described(simple(spelt(call, first(given, "recvbuf", "buf"))))
    peer = place.ranks[source] if 0 <= source < len(place.ranks) else NOBODY
    log = place.log
    log.add(Event(log.rank, 0, "receive", call, peer, tag, place.context, None, *size, "", caller()))


def exchange(place: Place, call: str, given: Arguments) -> None:
    """Record a message and a receive by one call."""
    send(place, call, given)
    receive(place, call, given)


def meet(place: Place, call: str, given: Arguments) -> None:
    """Record a collective, and the size of what this rank contributes."""
    own = first(given, "sendbuf", "buf", "sendobj", "obj")
    buffer = given.get("recvbuf") if own is mpi().IN_PLACE else own
    memory = buffer[0] if isinstance(buffer, list | tuple) and buffer and not call.islower() else buffer
    place.log.add(collective(place.log.rank, 0, call, place.context, bulk(memory), caller()))


def first(given: Arguments, *names: str) -> Any:
    """Return the first of these arguments that was given, or None."""
    return next((given[name] for name in names if name in given), None)


def content(call: str, buffer: Any) -> tuple[Size, bytes]:
    """Return what the buffer or object holds now; an array counts by its entries whichever way it travels."""
    if call.islower() and not isinstance(buffer, np.ndarray):
        data: bytes = mpi().pickle.dumps(buffer)
        return (1, OBJECT, len(data)), data
    entries = simple(np.ascontiguousarray(buffer) if call.islower() else spelt(call, buffer))
    return described(entries), entries.memory.tobytes()


def described(entries: Buffer) -> Size:
    return entries.count, str(entries.dtype), entries.memory.nbytes


def spelt(call: str, buffer: Any) -> Any:
    """Return ``buffer`` with numpy's codes for MPI's datatypes.  Raise Unrecorded for a derived one."""
    if not isinstance(buffer, list | tuple):
        return buffer
    datatype = mpi().Datatype
    if any(isinstance(part, datatype) and not part.is_predefined for part in buffer):
        raise Unrecorded(f"{call} of a derived datatype ({caller()}) cannot be recorded")
    return [part.tocode() if isinstance(part, datatype) else part for part in buffer]


def mpi() -> ModuleType:
    """Return ``mpi4py.MPI``, which a rank that records has started."""
    from mpi4py import MPI  # importing it starts MPI

    return MPI
