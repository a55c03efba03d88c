"""``MPI.Errhandler``: known by name.  What MPI refuses is raised in the rank, whichever is set."""

from __future__ import annotations

from typing import Any

from sparring.proofs.world.constants import Local, Named, unsupported


class Errhandler(Local, metaclass=Named):
    """One of MPI's own."""

    def __init__(self, name: str = "ERRHANDLER_NULL") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"MPI.{self.name}"

    def __getattr__(self, name: str) -> Any:
        raise unsupported("Errhandler", name)


HANDLERS = {name: Errhandler(name) for name in ("ERRORS_RETURN", "ERRORS_ARE_FATAL", "ERRORS_ABORT")}
ERRORS_RETURN = HANDLERS["ERRORS_RETURN"]
