"""Audits which algorithm an MPI library chooses by itself: ``sparring check --library openmpi allreduce --selection``.

What the library sends says which pages it chooses, where it tells; a machine's letters say which pages cost least; and
clocks say what the own choice takes beside each algorithm that can be chosen instead.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from sparring.checks.doctor.ranks import cores
from sparring.costs.links.machines import Machine
from sparring.errors import InputError
from sparring.libraries import counting, timing
from sparring.libraries.audit import known, spelled
from sparring.libraries.choices import Choice, Loss, Quartiles, choices, losses, matched, pricing, quartiles
from sparring.libraries.letters import fitted
from sparring.libraries.selection import Algorithm, Library, installed
from sparring.libraries.timing import Timings

RANKS = range(2, 9)
SIZES = tuple(1 << i for i in range(21))
"""Entries of the vectors, of float64: up to 8 MiB."""
BUDGET = 240.0
"""Seconds for all times together."""
Tell = Callable[[str], object]


class Taken(msgspec.Struct, frozen=True):
    """What each algorithm takes on so many ranks: quartiles over rounds, a length each; and why some have no times."""

    ranks: int
    rounds: int
    seconds: dict[str, list[Quartiles | None]]
    failed: dict[str, str]


class ChoiceAudit(msgspec.Struct, frozen=True):
    """What became of the audit of one collective.

    ``machine``: in words; ``letters``: what messages, bytes and additions take, and ``source`` of these, empty where
    the library does not tell its messages, so that there are no ``choices``.
    """

    collective: str
    library: str
    machine: dict[str, str | int | float]
    sizes: list[int]
    choices: list[Choice]
    letters: dict[str, float]
    source: str
    taken: list[Taken]
    losses: list[Loss]
    schema: int = 1


def audit_choices(
    collective: str, library: str = "", *, machine: Machine | None = None, ranks: Sequence[int] | None = None,
    sizes: Sequence[int] = SIZES, budget: float | None = None, tell: Tell = lambda text: None,
) -> ChoiceAudit:  # fmt: skip
    """Audit what the MPI library that is installed chooses for a collective.

    Parameters
    ----------
    library : "openmpi", "mpich" or "impi"; by default the one that is there.
    machine : what costs are derived for; by default the one that the times show.
    ranks : the numbers of ranks; by default 2 to 8.  Times are taken where each rank has a core.
    sizes : entries of the vectors.
    budget : seconds for all times; by default 240.
    tell : called with lines of progress.

    Raises InputError for a library that is not there, or a collective that is not known.
    """
    (name,) = known([collective])
    several = sorted(set(RANKS if ranks is None else ranks) - {1})
    if not several:
        raise InputError("--ranks 1: one rank sends nothing that could be chosen; right: --ranks 2-8")
    timed = [p for p in several if p <= cores()]
    if not timed and machine is None:
        raise InputError(
            f"--ranks {spelled(several)}: with {cores()} cores there are no times to which a machine could be fitted; "
            "right: fewer ranks, or --machine ./file.json"
        )
    found = installed(library)
    algorithms = found.choices([name])
    words = described()
    taken = times(algorithms, timed, sizes, budget or BUDGET, tell)
    judged, here = explained(found, algorithms, several, sizes, machine, taken, tell)
    return ChoiceAudit(
        name, found.version, words, list(sizes), judged,
        {letter: float(value) for letter, value in here.letters.items()} if here else {}, here.source if here else "",
        [Taken(one.ranks, rounds(one), quartiles(one), one.failed) for one in taken],
        [loss for one in taken for loss in losses(one)],
    )  # fmt: skip


def times(
    algorithms: Sequence[Algorithm], ranks: Sequence[int], sizes: Sequence[int], budget: float, tell: Tell
) -> list[Timings]:
    """Take the times of all algorithms on these numbers of ranks, with as much of the budget for each."""
    return [timing.timed(algorithms, p, sizes, budget / len(ranks), tell) for p in ranks]


def explained(
    library: Library, algorithms: Sequence[Algorithm], ranks: Sequence[int], sizes: Sequence[int],
    machine: Machine | None, taken: Sequence[Timings], tell: Tell,
) -> tuple[list[Choice], Machine | None]:  # fmt: skip
    """Count messages, and find the pages that send the same; return the choices, and the machine that prices pages.

    Without either where the library does not tell its messages.
    """
    if not counting.tells(library):
        return [], None
    tell(f"counting the messages of {len(algorithms)} algorithms")
    sent = counting.count(algorithms, ranks, sizes)
    tell("finding the pages that send the same")
    matches = matched(sent)
    here = machine or fitted(matches, taken)
    return choices(sent, matches, pricing(algorithms[0].collective, here)), here


def rounds(timings: Timings) -> int:
    """Return how many rounds were timed."""
    return max(map(len, timings.seconds.values()), default=0)


def described() -> dict[str, str | int | float]:
    """Return this machine in words: its processor, its cores, and how many processes wanted one before."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": named[0] if named else platform.machine(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 1),
    }
