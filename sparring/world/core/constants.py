"""MPI's numbers and exceptions, with MPICH's values; handlers of errors; and what all handles have in common."""

from __future__ import annotations

from typing import Any

from sparring.errors import SparringError

ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED, KEYVAL_INVALID = -2, -1, -1, -32766, 0x24000000
ROOT, SUCCESS, CART, COMM_TYPE_SHARED = -3, 0, 2, 1
THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = 0, 1, 2, 3
MAX_PROCESSOR_NAME, MAX_OBJECT_NAME = 127, 127
TAG_UB = 2**28 - 1  # the largest tag
BSEND_OVERHEAD = 96  # bytes that a buffered message takes besides its own


ERRORS = {
    f"ERR_{name}": number
    for number, name in enumerate(
        (
            *("BUFFER", "COUNT", "TYPE", "TAG", "COMM", "RANK", "ROOT", "GROUP", "OP", "TOPOLOGY", "DIMS", "ARG"),
            *("UNKNOWN", "TRUNCATE", "OTHER", "INTERN", "IN_STATUS", "PENDING", "REQUEST"),
        ),
        start=1,
    )
} | {"ERR_KEYVAL": 48, "ERR_LASTCODE": 0x3FFFFFFF}


class MPIException(RuntimeError):
    """A call that MPI refuses: a rank out of range, a communicator that was freed; ``error`` is the class, as COMM."""

    def __init__(self, text: str, error: str = "OTHER") -> None:
        super().__init__(text)
        self.error_class = self.error_code = ERRORS[f"ERR_{error}"]
        self.error_string = text

    def Get_error_class(self) -> int:
        return self.error_class

    def Get_error_code(self) -> int:
        return self.error_code

    def Get_error_string(self) -> str:
        return self.error_string


class Unsupported(SparringError, NotImplementedError):
    """A part of MPI that the simulated world does not have; ``call`` names it."""

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"sparring's world does not know {call}; run it on real MPI: --on mpi")


def unsupported(owner: str, name: str) -> Exception:
    """Return the error for the missing attribute ``name``: MPI's names are public, Python asks for the others."""
    if name.startswith("_"):
        return AttributeError(f"{owner} has no attribute {name!r}")
    return Unsupported(f"{owner}.{name}")


class Named(type):
    """The base of classes whose missing names are refused by name, as ``MPI.Request.Waitsome``."""

    def __getattr__(cls, name: str) -> Any:
        raise unsupported(cls.__name__, name)


class Local(metaclass=Named):
    """A thing that belongs to one rank and cannot be sent to another; null ones are equal.

    Its own missing names are refused as those of ``_kind``.
    """

    _life: Any = None  # of what a rank made and has to free: see lives
    _kind = ""

    def __init_subclass__(cls) -> None:
        cls._kind = cls._kind or cls.__name__

    def __getattr__(self, name: str) -> Any:
        raise unsupported(self._kind, name)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Local) and self._kind == other._kind and (self is other or not (self or other))

    __hash__ = object.__hash__

    def __reduce__(self) -> Any:
        raise ValueError(f"MPI.{type(self).__name__} belongs to one rank: it cannot be copied or sent")


class Errhandler(Local):
    """One of MPI's error handlers, known by name; under each the error is raised in the rank."""

    def __init__(self, name: str = "ERRHANDLER_NULL") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


HANDLERS = {name: Errhandler(name) for name in ("ERRORS_RETURN", "ERRORS_ARE_FATAL", "ERRORS_ABORT")}
