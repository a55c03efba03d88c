"""Records what a target does on real mpi4py, without changing what it does.

The target gets a duplicate of its communicator whose class records every call before it makes it; all communicators
that the target makes from it record too.  Messages on ``MPI.COMM_WORLD`` itself are seen where the run is
:func:`sealed`; receives by matched probes are not.

Nothing here imports mpi4py before a rank records.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from sparring.errors import Unrecorded
from sparring.trace import log
from sparring.trace.events import caller
from sparring.trace.log import Arguments, Log, Place

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

SENDS = "Send Bsend Rsend Ssend Isend Ibsend Irsend Issend send bsend ssend isend ibsend issend"
RECEIVES = "Recv Irecv recv irecv"
EXCHANGES = "Sendrecv Isendrecv Sendrecv_replace Isendrecv_replace sendrecv"
BLOCKING = (
    "Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce Allreduce "
    "Reduce_scatter Reduce_scatter_block Scan Exscan Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall "
    "Neighbor_alltoallv Neighbor_alltoallw Free Disconnect"
)
COLLECTIVES = " ".join(f"{name} I{name.lower()} {name.lower()}" for name in BLOCKING.split())
MAKERS = (
    "Dup Dup_with_info Clone Idup Idup_with_info Split Split_type Create Create_group "
    "Create_cart Create_graph Create_dist_graph Create_dist_graph_adjacent Sub"
)
REFUSED = "Create_intercomm Accept Connect Spawn Spawn_multiple"
BESIDE = {"Win": "Allocate Allocate_shared Create Create_dynamic", "File": "Open", "Session": "Init"}
"""By what else ranks can reach each other, and how that begins."""

Method = Callable[..., Any]
Note = Callable[[Place, str, Arguments], None]


@contextmanager
def recording(comm: Intracomm, *, keep: bool = False) -> Iterator[tuple[Intracomm, Log]]:
    """Yield a communicator of the same ranks that records, and its log.  Collective, as is the end of the block.

    The communicator is a new duplicate, so that nothing which a library keeps with ``comm`` bypasses the log.  It is
    freed after the block, but not after an exception, since other ranks may be stuck in it.  ``keep``: the log's events
    hold the payloads of sends.

    In the block, calls that no log can follow raise Unrecorded, an InputError: those with persistent and partitioned
    requests, derived datatypes, and communicators between groups.
    """
    group = comm.Get_group()
    noted = Log(group, keep=keep)
    twin = watched(comm.Dup(), noted)
    yield twin, noted
    noted.open = False
    twin.Free()
    group.Free()


@contextmanager
def sealed(noted: Log) -> Iterator[None]:
    """In the block, ``MPI.COMM_WORLD`` records in this log too, and windows, files and sessions raise Unrecorded."""
    mpi = log.mpi()
    before = {name: getattr(mpi, name) for name in (*BESIDE, "COMM_WORLD")}
    for name, calls in BESIDE.items():
        refused = {call: staticmethod(refusing(f"{name}.{call}")) for call in calls.split()}
        setattr(mpi, name, type(name, (before[name],), refused))
    mpi.COMM_WORLD = watched(mpi.COMM_WORLD, noted)  # type: ignore[attr-defined]  # a module that all targets share
    try:
        yield
    finally:
        for name, own in before.items():
            setattr(mpi, name, own)


def watched(comm: Any, noted: Log) -> Any:
    """Return the same communicator, recording; COMM_NULL stays what it is."""
    if not comm:
        return comm
    kind: Any = type(comm)
    twin = recorder(getattr(kind, "plain", kind))(comm)
    twin.place = noted.place(twin)
    return twin


@cache
def recorder(plain: type[Any]) -> type[Any]:
    """Return a subclass of mpi4py's class ``plain`` of communicators that records."""
    tables = (SENDS, log.send), (RECEIVES, log.receive), (EXCHANGES, log.exchange), (COLLECTIVES, log.meet)
    members: dict[str, Any] = {"plain": plain}
    for names, note in tables:
        members |= {name: noting(getattr(plain, name), note) for name in names.split() if hasattr(plain, name)}
    members |= {name: making(getattr(plain, name)) for name in MAKERS.split() if hasattr(plain, name)}
    members |= {name: refusing(name) for name in dir(plain) if name in REFUSED.split() or name.endswith("_init")}
    return type(f"Recording{plain.__name__}", (plain,), members)


def noting(method: Method, note: Note) -> Method:
    """Return ``method``, noted before it is called: afterwards a buffer may hold something else."""
    signature = inspect.signature(method)

    @wraps(method)
    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        note(self.place, method.__name__, given.arguments)
        return method(self, *args, **kwargs)

    return noted


def making(method: Method) -> Method:
    """Return ``method`` whose communicator records too."""
    method_noted = noting(method, log.meet)

    @wraps(method)
    def made(self: Any, *args: Any, **kwargs: Any) -> Any:
        new = method_noted(self, *args, **kwargs)
        if isinstance(new, tuple):
            return watched(new[0], self.place.log), *new[1:]
        return watched(new, self.place.log)

    return made


def refusing(name: str) -> Method:
    """Return a method that refuses a call that no log can follow."""

    def refused(*_: Any, **__: Any) -> None:
        raise Unrecorded(f"{name} ({caller()}) cannot be recorded")

    return refused
