"""MPI's numbers and exceptions, with MPICH's values."""

from __future__ import annotations

from typing import Any

from sparring.errors import SparringError

ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED, KEYVAL_INVALID = -2, -1, -1, -32766, 0x24000000
TAG_UB = 2**28 - 1  # the largest tag


class MPIException(RuntimeError):
    """A call that MPI refuses: a rank out of range, a communicator that was freed."""


class Unsupported(SparringError, NotImplementedError):
    """A part of MPI that the simulated world does not have; ``call`` names it."""

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"sparring's world does not know {call}; run it on real MPI: --on mpi")


def unsupported(owner: str, name: str) -> Exception:
    """What to raise for the missing attribute ``name``: MPI's names are public, Python asks for the others."""
    if name.startswith("_"):
        return AttributeError(f"{owner} has no attribute {name!r}")
    return Unsupported(f"{owner}.{name}")


class Named(type):
    """Classes whose missing names are refused by name, as ``MPI.Request.Waitsome``."""

    def __getattr__(cls, name: str) -> Any:
        raise unsupported(cls.__name__, name)
