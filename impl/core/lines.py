"""Ranks of a communicator that lie on a line, such as those of a node, or the first ones of all nodes.

A :class:`Line` sends and receives as a communicator of these ranks would, without being made collectively.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Request


def place(r: int, stride: int, size: int) -> int:
    """Where rank ``r`` is on its line of ``size`` ranks, each ``stride`` after the one before."""
    return r // stride % size


def member(r: int, j: int, stride: int, size: int) -> int:
    """Who is in place ``j`` of the line of rank ``r``."""
    return r + (j - place(r, stride, size)) * stride


def turned(j: int, turn: int, size: int) -> int:
    """The number of place ``j`` where place ``turn`` is counted as the first."""
    return (j - turn) % size


class Line:
    """This rank's line, its ranks being numbered from place ``turn`` on."""

    def __init__(self, comm: Intracomm, stride: int, size: int, turn: int = 0) -> None:
        self._comm, self._stride, self._size, self._turn = comm, stride, size, turn

    def Get_size(self) -> int:  # noqa: N802  # as communicators have it
        return self._size

    def Get_rank(self) -> int:  # noqa: N802  # as communicators have it
        return turned(place(self._comm.Get_rank(), self._stride, self._size), self._turn, self._size)

    def Isend(self, block: Vector, to: int) -> Request:  # noqa: N802  # as communicators have it
        return self._comm.Isend(block, self._of_all(to))

    def Irecv(self, block: Vector, source: int) -> Request:  # noqa: N802  # as communicators have it
        return self._comm.Irecv(block, self._of_all(source))

    def _of_all(self, number: int) -> int:
        """A number on the line as a rank of the communicator."""
        return member(self._comm.Get_rank(), turned(number, -self._turn, self._size), self._stride, self._size)
