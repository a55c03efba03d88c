"""``MPI.Errhandler``: known by name.  What MPI refuses is raised in the rank, whichever is set."""

from __future__ import annotations

from sparring.proofs.world.constants import Local


class Errhandler(Local):
    """One of MPI's own."""

    def __init__(self, name: str = "ERRHANDLER_NULL") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


HANDLERS = {name: Errhandler(name) for name in ("ERRORS_RETURN", "ERRORS_ARE_FATAL", "ERRORS_ABORT")}
ERRORS_RETURN = HANDLERS["ERRORS_RETURN"]
