"""Messages on a private communicator.

A user may have a receive from ``ANY_SOURCE`` with ``ANY_TAG`` outstanding while he calls us, so no
message of ours may travel on his communicator.  Each communicator therefore gets one duplicate,
made at the first call and kept by MPI itself as an attribute: freed with its communicator, and not
inherited by the user's own duplicates.

Nothing here imports mpi4py: all that is needed hangs from the communicator, so that the module
loads without starting MPI and runs on any communicator of the same interface.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Request

Vector: TypeAlias = NDArray[Any]
Kind: TypeAlias = "tuple[int, np.dtype[Any]]"
"""Length and dtype of a vector."""

KEYS: dict[Any, int] = {}
"""Under which key communicators of a class keep what is theirs."""


class Own:
    """What a communicator keeps for us: ``comm``, its duplicate, and what its ranks last ``agreed`` on, if anything.

    ``status`` tells of the last message, without a new object for each.
    """

    __slots__ = ("agreed", "comm", "status")

    def __init__(self, comm: Intracomm) -> None:
        self.comm, self.status = comm, status(comm)
        self.agreed: Kind | None = None


def status(comm: Intracomm) -> Any:
    """A status for receives; a communicator that is not MPI's has a kind of its own."""
    if own := vars(type(comm)).get("Status"):
        return own()
    from mpi4py.MPI import Status  # noqa: PLC0415  # to load this module does not start MPI

    return Status()


def kept(comm: Intracomm) -> Own:
    """What ``comm`` keeps.  The first call is collective, later ones are local.

    Raises InputError for an inter-communicator.
    """
    key = keyval(type(comm))
    own = comm.Get_attr(key)
    if own is None:
        if comm.Is_inter():
            raise InputError("comm is an inter-communicator: one between the ranks of one group is needed")
        own = Own(comm.Dup())
        comm.Set_attr(key, own)
    return cast(Own, own)


def private(comm: Intracomm) -> Intracomm:
    """``comm``'s duplicate for our messages; as :func:`kept`."""
    return kept(comm).comm


def keyval(kind: Any) -> int:
    """The key for communicators of the class ``kind``: MPI frees the duplicate with them."""
    if kind not in KEYS:
        new = kind.Create_keyval(delete_fn=lambda comm, key, own: own.comm.Free())
        KEYS.setdefault(kind, new)  # of two threads one comes first, and its key counts for both
    return KEYS[kind]


def exchange(comm: Intracomm, outgoing: Vector, to: int, incoming: Vector, source: int) -> None:
    """Send ``outgoing`` to rank ``to`` and fill ``incoming`` from rank ``source``.

    Both are posted before either is waited for, so a ring of exchanges ends even if no send
    completes before its receive.  The two arrays may not overlap.
    """
    exchanging(comm, outgoing, to, incoming, source).Wait()


def exchanging(comm: Intracomm, outgoing: Vector, to: int, incoming: Vector, source: int) -> Request:
    """As :func:`exchange`, but over once ``incoming`` is filled: the request of the send, for the caller to wait for.

    Until then ``outgoing`` stays as it is.
    """
    receiving, sending = comm.Irecv(incoming, source), comm.Isend(outgoing, to)
    receiving.Wait()
    return sending


def finish(requests: Iterable[Request]) -> None:
    """Wait for all of them."""
    for request in requests:
        request.Wait()
