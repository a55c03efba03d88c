"""A step in which every rank sends to every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sparring.impl.core.transport import finish
from sparring.impl.core.wire import Bytes

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def above(r: int, i: int, p: int) -> int:
    """To whom rank ``r``'s ``i``-th message goes."""
    return (r + i) % p


def below(r: int, i: int, p: int) -> int:
    """From whom its ``i``-th message comes."""
    return (r - i) % p


def begin(c: int, n: int, p: int) -> int:
    """Where piece ``c`` of ``n`` entries begins; it ends where piece ``c + 1`` begins."""
    return c * n // p


def exchanged(comm: Intracomm, going: Sequence[Bytes], coming: Sequence[Bytes]) -> Iterator[int]:
    """Sends ``going[q]`` to each other rank ``q`` and fills ``coming[q]`` from it; yields the ranks in order.

    A rank comes once its message is there; its own comes too, and nothing is moved for it.  After the last
    rank all messages have left.  ``going`` and ``coming`` may not overlap.
    """
    p, r = comm.Get_size(), comm.Get_rank()
    whom = [below(r, i, p) for i in range(1, p)]
    receiving = {q: comm.Irecv(coming[q], q) for q in whom}
    sending = [comm.Isend(going[q], q) for q in (above(r, i, p) for i in range(1, p))]
    for q in range(p):
        if q != r:
            receiving[q].Wait()
        yield q
    finish(sending)
