"""The packages that a target sees as ``mpi4py`` and ``mpi4py.MPI``."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

from sparring.world.core import constants
from sparring.world.core.datatypes import CODES, NULL_TYPE, ORDER_C, ORDER_FORTRAN, TYPES, Datatype
from sparring.world.core.ranks import running
from sparring.world.interface import groups
from sparring.world.interface.buffer_collectives import IN_PLACE, InPlace
from sparring.world.interface.comm import Comm
from sparring.world.interface.intercomm import Intercomm
from sparring.world.interface.messages import Message
from sparring.world.interface.reductions import OPS, Op
from sparring.world.interface.requests import Prequest, Request
from sparring.world.interface.status import Status
from sparring.world.interface.topology import Cartcomm, Compute_dims, Intracomm


def Wtime() -> float:
    """Return seconds; a program that looks at the clock may do something else each time."""
    running().world.leave_fragment("Wtime")
    return time.perf_counter()


def of_all(name: str) -> Callable[..., Any]:
    """Return the call that does the same for all communicators of a rank."""

    def call(*args: Any) -> Any:
        return getattr(running().world_comm, name)(*args)

    return call


NAMES: dict[str, Any] = {
    **TYPES,
    **OPS,
    **constants.HANDLERS,
    **constants.ERRORS,
    **{name: value for name, value in vars(constants).items() if name.isupper() and isinstance(value, int | str)},
    **{name: getattr(groups, name) for name in ("IDENT", "CONGRUENT", "SIMILAR", "UNEQUAL")},
    "_typedict": CODES,
    "ORDER_C": ORDER_C,
    "ORDER_FORTRAN": ORDER_FORTRAN,
    "ORDER_F": ORDER_FORTRAN,
    "COMM_NULL": Intracomm(),
    "REQUEST_NULL": Request(),
    "MESSAGE_NULL": Message(),
    "MESSAGE_NO_PROC": Message(nobody=True),
    "DATATYPE_NULL": NULL_TYPE,
    "ERRHANDLER_NULL": constants.Errhandler(),
    "GROUP_NULL": groups.Group(),
    "GROUP_EMPTY": groups.Group(()),
    "OP_NULL": Op(),
    "INFO_NULL": None,
    "BOTTOM": None,
    "Alloc_mem": lambda size, info=None: memoryview(bytearray(size)),
    "Free_mem": lambda mem: None,
    "IN_PLACE": IN_PLACE,
    "InPlaceType": InPlace,
    "Comm": Comm,
    "Intracomm": Intracomm,
    "Cartcomm": Cartcomm,
    "Intercomm": Intercomm,
    "Group": groups.Group,
    "Request": Request,
    "Prequest": Prequest,
    "Message": Message,
    "Status": Status,
    "Datatype": Datatype,
    "Op": Op,
    "Errhandler": constants.Errhandler,
    "Exception": constants.MPIException,
    "Compute_dims": Compute_dims,
    "Attach_buffer": of_all("Attach_buffer"),
    "Detach_buffer": of_all("Detach_buffer"),
    "Flush_buffer": of_all("Flush_buffer"),
    "Wtime": Wtime,
    "Wtick": lambda: 1e-9,
    "get_vendor": lambda: ("sparring", (0, 0, 0)),
    "Get_processor_name": lambda: f"simulated{running().machine or ''}",
    "Get_version": lambda: (3, 1),
    "Get_library_version": lambda: "sparring's simulated world",
    "Query_thread": lambda: constants.THREAD_SINGLE,
    "Is_thread_main": lambda: True,
    "Init": lambda: None,
    "Finalize": lambda: None,
    "Is_initialized": lambda: True,
    "Is_finalized": lambda: False,
}


class SimulatedModule(ModuleType):
    """A module whose missing names are refused by name; COMM_WORLD is that of the rank that asks."""

    def __getattr__(self, name: str) -> Any:
        if name == "COMM_WORLD" and self.__name__ == "mpi4py.MPI":
            return running().world_comm
        if name == "COMM_SELF" and self.__name__ == "mpi4py.MPI":
            return own(Intracomm)
        raise constants.unsupported(self.__name__.rpartition(".")[2], name)


def own(comm: type[Intracomm]) -> Intracomm:
    """Return COMM_SELF of the running rank."""
    rank = running()
    if rank.self_comm is None:
        rank.self_comm = comm(rank, next(rank.world.contexts), [rank.number])
        rank.self_comm.Set_name("MPI_COMM_SELF")
    made: Intracomm = rank.self_comm
    return made


def packages() -> dict[str, ModuleType]:
    """Return new modules, by the names under which they are imported."""
    package, mpi = SimulatedModule("mpi4py", "A simulated MPI."), SimulatedModule("mpi4py.MPI", "A simulated MPI.")
    vars(mpi).update(NAMES, __spec__=ModuleSpec("mpi4py.MPI", None))
    vars(package).update(MPI=mpi, rc=SimpleNamespace(), __path__=[], __spec__=ModuleSpec("mpi4py", None))
    return {"mpi4py": package, "mpi4py.MPI": mpi}
