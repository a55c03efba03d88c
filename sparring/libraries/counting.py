"""Counts what an MPI library sends for a collective, pair by pair of ranks, where the library tells.

Open MPI's component ``monitoring`` counts the messages of its own collectives (Bosilca et al., "Online dynamic
monitoring of MPI communications", Euro-Par 2017), and lets programs read the counts between two calls.  So one launch
serves all algorithms, numbers of ranks and lengths: each rank chooses an algorithm through the tools interface, makes
a communicator of the first ``p`` ranks, and notes what it sent to whom in the collective alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from sparring.checks.ranks import launch
from sparring.checks.ranks.runtimes import OPEN_MPI
from sparring.errors import SparringError
from sparring.job import ending_all
from sparring.libraries.selection import Algorithm, Library

if TYPE_CHECKING:
    from mpi4py import MPI

RANK = ("-P", "-m", "sparring.libraries.counting")
PATIENCE = 300.0
"""Seconds for one launch."""
MONITORING = {"OMPI_MCA_pml_monitoring_enable": "1"}
WIDTH = 8
"""Bytes of an entry: vectors are of float64."""
Pair = tuple[int, int]
Key = tuple[str, str, int, int]
"""A collective, an algorithm's name, a number of ranks and a vector's length."""


class Amount(NamedTuple):
    """Messages and bytes from one rank to another."""

    messages: int
    nbytes: int


class Sent(NamedTuple):
    """What each pair of ranks sends, or the error with which the library refuses the call."""

    pairs: dict[Pair, Amount]
    refused: str = ""


class Told(msgspec.Struct, frozen=True):
    """What one rank sends in a call, (peer, messages, bytes), and the error that it raised."""

    rows: list[tuple[int, int, int]]
    refused: str


class Call(NamedTuple):
    """A collective to count: a setting and its value, "" to leave the library its choice; ranks and entries."""

    collective: str
    setting: str
    value: int
    ranks: int
    size: int


class Task(msgspec.Struct, frozen=True):
    """The calls to make, and the file to which rank 0 writes for each what every rank sent to every other."""

    calls: list[Call]
    file: str


def tells(library: Library) -> bool:
    """Return whether the library tells what its collectives send."""
    return library.runtime is OPEN_MPI


def count(algorithms: Sequence[Algorithm], ranks: Sequence[int], sizes: Sequence[int]) -> dict[Key, Sent]:
    """Return what is sent for each algorithm, number of ranks and length.

    Raises SparringError with what the ranks said if they fail.
    """
    found: dict[Key, Sent] = {}
    for _, some in groupby(sorted(algorithms, key=surroundings), surroundings):
        asked = [(one, p, n) for one in some for p in ranks for n in sizes]
        calls = [Call(one.collective, one.setting, one.value, p, n) for one, p, n in asked]
        within = {**MONITORING, **dict(surroundings(asked[0][0]))}
        keys = [(one.collective, one.name, p, n) for one, p, n in asked]
        found |= dict(zip(keys, started(calls, max(ranks), within), strict=True))
    return found


def surroundings(algorithm: Algorithm) -> tuple[tuple[str, str], ...]:
    """Return the part of an algorithm's environment that a launch has from its start."""
    return tuple(sorted(algorithm.within.items()))


def started(calls: Sequence[Call], ranks: int, within: Mapping[str, str]) -> list[Sent]:
    """Make the calls on ranks that are started for this alone; return what each sends."""
    paths = {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}  # ranks import what we do
    with tempfile.TemporaryDirectory(prefix="sparring-") as folder:
        file = Path(folder) / "counts.json"
        task, plan = Path(folder) / "task.json", Task(list(calls), str(file))
        task.write_bytes(msgspec.json.encode(plan))
        command = [sys.executable, *RANK, str(task)]
        done = launch.run(command, ranks, timeout=PATIENCE, env={**os.environ, **paths, **within})
        if done.returncode or not file.exists():
            raise SparringError(f"the ranks that count ended with code {done.returncode}:\n{done.stdout}".rstrip())
        told = msgspec.json.decode(file.read_bytes(), type=list[list[Told]])
    return [gathered(ranks) for ranks in zip(*told)]


def gathered(ranks: Sequence[Told]) -> Sent:
    """Put together what the ranks tell of one call."""
    pairs = {(r, peer): Amount(*amount) for r, one in enumerate(ranks) for peer, *amount in one.rows}
    return Sent(pairs, next((one.refused for one in ranks if one.refused), ""))


def main(task: Task) -> None:
    """Make the calls, and write what they sent on rank 0; if one rank raises, all end."""
    from mpi4py import MPI

    from sparring.libraries import tools_interface

    world = MPI.COMM_WORLD
    with ending_all(world):
        tools_interface.begin()
        counters = [tools_interface.Counter(f"pml_monitoring_messages_{what}", world) for what in ("count", "size")]

        def read() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
            return np.stack([counter.read() for counter in counters])

        found = [sent(world, call, read, tools_interface.write) for call in task.calls]
        everyone = world.gather(found)
        if everyone is not None:
            Path(task.file).write_bytes(msgspec.json.encode(everyone))


def sent(world: MPI.Intracomm, call: Call, read: Callable[[], np.ndarray], write: Callable[[str, int], None]) -> Told:
    """Return what this rank sends in the first of the collective's calls."""
    from mpi4py import MPI

    from sparring.libraries.collectives import COLLECTIVES

    if call.setting:
        write(call.setting, call.value)  # a communicator keeps what is set when it is made
    rank = world.Get_rank()
    part = world.Split(int(rank >= call.ranks), rank)
    counts: list[np.ndarray] = []
    refused = ""

    def counted(function: Callable[..., object], *arguments: object) -> None:
        before = read()
        function(*arguments)
        counts.append(read() - before)

    if rank < call.ranks:
        root = {"root": 0} if call.collective == "reduce" else {}
        try:
            COLLECTIVES[call.collective](part, np.ones(call.size), call=counted, **root)
        except MPI.Exception as error:
            refused = str(error)
    part.Free()
    if call.setting:
        write(call.setting, 0)  # collectives may be made of others, which choose for themselves
    world.Barrier()
    amounts = [(peer, *map(int, amount)) for first in counts[:1] for peer, amount in enumerate(first.T)]
    return Told([(peer, messages, nbytes) for peer, messages, nbytes in amounts if messages], refused)


if __name__ == "__main__":
    main(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Task))
