"""The implementations' own arithmetic, to be run on symbols.

Importing ``impl`` imports ``mpi4py.MPI``, which would start a real MPI here, or fail where there is
none.  So a module is taken as a rank of the simulated world has it.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from sparring.proofs.world.modules import Modules
from sparring.proofs.world.mpi import packages


def implementation(name: str) -> ModuleType:
    """The module ``sparring.impl.NAME``, over a simulated mpi4py."""
    with Modules(1, ["sparring.impl"], packages()) as modules:
        modules.enter(0)
        return importlib.import_module(f"sparring.impl.{name}")
