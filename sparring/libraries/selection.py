"""Which algorithms an MPI library lets one choose for a collective, as the library that is installed says itself.

Open MPI's component ``tuned`` lists them, MPICH describes them, Intel MPI numbers them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from sparring.checks.doctor.mpi import product
from sparring.checks.ranks import runtimes
from sparring.checks.ranks.runtimes import INTEL_MPI, MPICH, OPEN_MPI, Runtime
from sparring.errors import InputError, SparringError

OWN = "own choice"
"""The algorithm of a library that is left to choose."""
PATIENCE = 60.0
"""Seconds in which a library tells its settings."""
TUNED = {"OMPI_MCA_coll": "^sm,han,adapt", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
"""Keep Open MPI's other components away, and let ``tuned`` listen to what is chosen."""


class Setting(NamedTuple):
    """A setting: its values by name, if it lists them, what the library says of it, and where it may be set.

    ``scope``: a number of the library's own.
    """

    name: str
    values: dict[str, int]
    text: str
    scope: int


class Told(msgspec.Struct, frozen=True):
    """The answer of :mod:`sparring.libraries.variables`."""

    library: str
    settings: list[Setting]


class Algorithm(NamedTuple):
    """An algorithm of a collective, and the environment that chooses it.

    ``within``: the part of the environment that ranks cannot change any more once they run; ``setting`` and ``value``:
    the rest, as the library's tools interface takes it; empty where it does not.
    """

    collective: str
    name: str
    environment: Mapping[str, str] = {}
    within: Mapping[str, str] = {}
    setting: str = ""
    value: int = 0


CONSTANT = (0, 1)
"""The scopes of Open MPI's settings that ranks can only read (``MPI_T_SCOPE_CONSTANT`` and ``READONLY``)."""


def of_open_mpi(collective: str, settings: Mapping[str, Setting]) -> Iterator[Algorithm]:
    """Yield what ``tuned`` lists, and the components ``han`` and ``adapt``, where they have the collective."""
    name = f"coll_tuned_{collective}_algorithm"
    for algorithm, value in settings[name].values.items() if name in settings else ():
        chosen = {**TUNED, f"OMPI_MCA_{name}": str(value)}
        if value and settings[name].scope in CONSTANT:
            yield Algorithm(collective, algorithm, chosen, chosen)
        elif value:
            yield Algorithm(collective, algorithm, chosen, TUNED, name, value)
    for component in ("han", "adapt"):
        if any(one.startswith(f"coll_{component}_{collective}_") for one in settings):
            chosen = {f"OMPI_MCA_coll_{component}_priority": "100"}
            yield Algorithm(collective, component, chosen, chosen)


def of_mpich(collective: str, settings: Mapping[str, Setting]) -> Iterator[Algorithm]:
    """Yield what MPICH's description names, a line each."""
    name = f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"
    text = settings[name].text if name in settings else ""
    for algorithm in re.findall(r"^(\w+)\s+- Force", text, re.MULTILINE):
        yield Algorithm(collective, algorithm, {name: algorithm, "MPIR_CVAR_DEVICE_COLLECTIVES": "none"})


def of_intel_mpi(collective: str, settings: Mapping[str, Setting]) -> Iterator[Algorithm]:
    """Yield Intel MPI's presets, which have numbers alone."""
    alias = f"I_MPI_ADJUST_{collective.upper()}"
    told = next((one.text for one in settings.values() if f"# {alias} " in one.text), "")
    if span := re.search(r"range: (\d+)-(\d+)", told):
        for preset in range(int(span[1]), int(span[2]) + 1):
            yield Algorithm(collective, f"preset {preset}", {alias: str(preset)})


class Library(NamedTuple):
    """An MPI library: its name in a command, its runtime, and where it says what can be chosen."""

    name: str
    runtime: Runtime
    algorithms: Callable[[str, Mapping[str, Setting]], Iterator[Algorithm]]
    version: str = ""
    settings: Mapping[str, Setting] = {}

    def choices(self, collectives: Sequence[str]) -> list[Algorithm]:
        """Return the algorithms of these collectives, the library's own choice first."""
        return [
            one
            for collective in collectives
            for one in (Algorithm(collective, OWN), *self.algorithms(collective, self.settings))
        ]


LIBRARIES = (
    Library("openmpi", OPEN_MPI, of_open_mpi),
    Library("mpich", MPICH, of_mpich),
    Library("impi", INTEL_MPI, of_intel_mpi),
)
NAMES = tuple(one.name for one in LIBRARIES)


def installed(name: str = "") -> Library:
    """Return the library that mpi4py loads, with its settings.

    Raises InputError if it is another one than ``name``, none that is known, or none at all.
    """
    if name and name not in NAMES:
        raise InputError(f"no library {name!r}: there are {', '.join(NAMES)}; right: --library openmpi allreduce")
    told = asked()
    runtime = runtimes.of(told.library)
    found = next((one for one in LIBRARIES if one.runtime is runtime), None)
    if found is None:
        raise InputError(f"{told.library.splitlines()[0]}: how its collectives are chosen is not known here")
    if name and found.name != name:
        raise InputError(
            f"the MPI of this environment is {found.name}; for {name}, install it into an environment of its own: "
            f'pip install "sparring[{name}]"'
        )
    return found._replace(version=product(told.library), settings={one.name: one for one in told.settings})


def asked() -> Told:
    """Ask a process that loads the library; raises SparringError with what it said if it fails."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    command = [sys.executable, "-P", "-m", "sparring.libraries.variables"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, env=env, check=False)
    if done.returncode:
        raise SparringError(f"the MPI library does not tell its settings:\n{done.stderr.decode(errors='replace')}")
    return msgspec.json.decode(done.stdout, type=Told)
