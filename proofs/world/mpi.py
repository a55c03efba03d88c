"""The packages that a target sees as ``mpi4py`` and ``mpi4py.MPI``."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from sparring.proofs.world import constants
from sparring.proofs.world.buffers import TYPES, Datatype
from sparring.proofs.world.collectives import OPS, Op
from sparring.proofs.world.comm import IN_PLACE, Comm, InPlace
from sparring.proofs.world.requests import Request, Status
from sparring.proofs.world.scheduler import running

NAMES: dict[str, Any] = {
    **TYPES,
    **OPS,
    **{name: getattr(constants, name) for name in ("ANY_SOURCE", "ANY_TAG", "PROC_NULL", "UNDEFINED")},
    "KEYVAL_INVALID": constants.KEYVAL_INVALID,
    "SUCCESS": 0,
    "COMM_NULL": Comm(None, -1),
    "REQUEST_NULL": Request(),
    "IN_PLACE": IN_PLACE,
    "InPlaceType": InPlace,
    "Comm": Comm,
    "Intracomm": Comm,
    "Request": Request,
    "Status": Status,
    "Datatype": Datatype,
    "Op": Op,
    "Exception": constants.MPIException,
    "Is_initialized": lambda: True,
    "Is_finalized": lambda: False,
}


class SimulatedModule(ModuleType):
    """A module whose missing names are refused by name; COMM_WORLD is that of the rank that asks."""

    def __getattr__(self, name: str) -> Any:
        if name == "COMM_WORLD" and self.__name__ == "mpi4py.MPI":
            return running().world_comm
        raise constants.unsupported(self.__name__.rpartition(".")[2], name)


def packages() -> dict[str, ModuleType]:
    """New modules, by the names under which they are imported."""
    package, mpi = SimulatedModule("mpi4py", "A simulated MPI."), SimulatedModule("mpi4py.MPI", "A simulated MPI.")
    vars(mpi).update(NAMES, __spec__=ModuleSpec("mpi4py.MPI", None))
    vars(package).update(MPI=mpi, rc=SimpleNamespace(), __path__=[], __spec__=ModuleSpec("mpi4py", None))
    return {"mpi4py": package, "mpi4py.MPI": mpi}
