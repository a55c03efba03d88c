"""Machines that costs are evaluated on: what a message, a byte and an addition take.

A machine's file may say more: seconds for work on entries, and how all was measured.  A derived cost prices messages,
bytes and additions; how many entries are merged, packed and selected beside these is said here, by what a page's
chunks are, and is our own count.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from sparring.costs.formulas import units
from sparring.errors import InputError, did_you_mean
from sparring.rules import typed
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, truth

LARGEST = 1_000_000  # bytes of a file: a machine is a few numbers

TUNING = "NCCL 2.8, src/graph/tuning.cc, hwLat, ring: seconds a hop"
PRESETS: Mapping[str, Mapping[str, str]] = {
    "eth-25g": {
        "alpha": "9.6us",
        "beta": "25Gbit/s",
        "source": f"alpha: {TUNING} over a network, protocol Simple; beta: the line rate of IEEE 802.3by",
    },
    "ib-hdr": {
        "alpha": "2.7us",
        "beta": "200Gbit/s",
        "source": f"alpha: {TUNING} over a network, protocol LL; beta: the line rate of InfiniBand HDR, four lanes",
    },
    "nvlink": {
        "alpha": "3.4us",
        "beta": "300GB/s",
        "source": f"alpha: {TUNING} over NVLink, protocol Simple; beta: one direction of the twelve links of an A100, "
        "which NVIDIA gives as 600 GB/s in all",
    },
}
"""Machines by name.  Line rates are never quite reached: measure your own where it matters."""


Kind = Literal["select", "merge", "pack"]
"""Work on entries: taking the largest of a vector, by its entries; adding two sparse chunks, by the entries of both;
writing and reading a message, by its entries."""
What = Literal["exchange", "add", "select", "merge", "pack", "algorithm"]
"""What was timed: sending and receiving a message, an addition of two vectors, work, a whole allreduce."""
Letter = Literal["alpha", "beta", "gamma"]

Count = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Table = Sequence[tuple[Count, Seconds]]
"""Sizes, ascending, each with seconds an entry."""
Work = dict[Kind, list[tuple[Count, Seconds]]]


class Timed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that was timed: until the slowest rank was through, all ranks being busy with it."""

    what: What
    size: Count
    """Bytes of a message that is exchanged, else entries."""
    seconds: tuple[Seconds, Seconds, Seconds, Seconds]
    """The least of all rounds, and the quartiles."""
    predicted: Seconds | None = None
    """The prediction of the fit, or an algorithm's derived cost."""
    fitted: bool = False
    """Whether the fit used this timing; else it was held out."""
    distance: Count | None = None
    """The distance of an exchange: rank ``r`` sends to rank ``r + distance``."""
    algorithm: str = ""
    k: Count | None = None
    """Entries that a rank keeps, where the algorithm is a sparse one."""

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return self.seconds[2]

    @property
    def error(self) -> float | None:
        """The relative error of the prediction: above 0 where it is too high, below 0 where it is too low."""
        return None if self.predicted is None or not self.median else self.predicted / self.median - 1


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The measurement that a machine's numbers come from, and how good these are."""

    ranks: Count
    hosts: Count
    cores: Count
    """The cores that the ranks may use, on all hosts."""
    mpi: str
    rounds: Count
    seconds: Seconds
    clock: Seconds
    """The least time that the clock tells apart."""
    intervals: dict[Letter, tuple[Seconds, Seconds]]
    """The intervals of 95 percent of the values fitted to rounds and sizes drawn again, with replacement."""
    timed: list[Timed]
    crowded: bool = False
    """Whether some host has more ranks than cores: then ranks wait for each other's turn, and not for the network."""
    unjudged: dict[str, str] = {}
    """Algorithms that were not predicted, and why."""


class Stored(msgspec.Struct, forbid_unknown_fields=True):
    """A machine's file, as it is written."""

    alpha: str | float | None = None
    beta: str | float | None = None
    gamma: str | float = 0.0
    L: str | float | None = None
    o: str | float | None = None
    g: str | float | None = None
    G: str | float | None = None
    name: str = ""
    source: str = ""
    schema: int = 1
    work: Work = {}
    measured: Measured | None = None


@dataclass(frozen=True)
class Machine:
    """The exact seconds of a message, a byte and an addition: ``alpha``, ``beta`` and ``gamma``.

    Each is given as a number of seconds or as a time, ``"5us"``; ``beta`` also as a rate,
    ``"25Gbit/s"``.  ``source``: where the numbers are from.  ``work``: seconds an entry of "select",
    "merge" and "pack", by size, for each of which it has a table.  ``measured``: how ``sparring
    calibrate`` found all that.

    Raises InputError for a value that is none of these.

    >>> Machine("5us", "25Gbit/s").beta
    Fraction(1, 3125000000)
    """

    alpha: Fraction
    beta: Fraction
    gamma: Fraction = Fraction(0)
    name: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    work: Mapping[Kind, Table] = field(default_factory=dict, compare=False)
    measured: Measured | None = field(default=None, compare=False)

    def __init__(
        self, alpha: units.Given, beta: units.Given, gamma: units.Given = 0, *, name: str = "", source: str = "",
        work: Mapping[Kind, Table] | None = None, measured: Measured | None = None,
    ) -> None:  # fmt: skip
        check(work or {})
        letters = {"alpha": alpha, "beta": beta, "gamma": gamma}
        values: dict[str, Any] = {letter: units.value(letter, given) for letter, given in letters.items()}
        values |= {"name": name, "source": source, "work": work or {}, "measured": measured}
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def letters(self) -> dict[str, Fraction]:
        """The machine's values by letter, as ``Cost.at`` takes them."""
        return {"alpha": self.alpha, "beta": self.beta, "gamma": self.gamma}

    def seconds(self, work: Kind, entries: int | Fraction) -> Fraction:
        """Return the seconds that it takes to select from, merge or pack so many ``entries`` at once.

        Between two sizes of the table the time grows evenly; beyond them an entry takes as long as at the nearest size.
        Raises InputError where the machine has no table for that ``work``.
        """
        if work not in self.work:
            raise InputError(f"machine {self.name!r} does not say what {work} takes; sparring calibrate measures it")
        return seconds(self.work[work], entries)

    @classmethod
    def loggp(cls, **letters: units.Given) -> Machine:
        """Return the machine of LogGP's ``L``, ``o``, ``G`` and, if a gap matters, ``g``; see ``units.folded``.

        >>> Machine.loggp(L="5us", o="1us", G="4ns").alpha
        Fraction(1749, 250000000)
        """
        if unknown := [letter for letter in letters if letter not in (*units.LOGGP, "gamma")]:
            raise InputError(f"no letter {unknown[0]!r}; LogGP has {', '.join(units.LOGGP)}, and gamma is an addition")
        found = units.point(letters)
        return cls(found["alpha"], found["beta"], found.get("gamma", 0))

    @classmethod
    def preset(cls, name: str) -> Machine:
        """Return the machine called ``name``, one of ``PRESETS``; raise InputError where there is none."""
        if name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            raise InputError(f"no machine {name!r}; {hint}there are {', '.join(PRESETS)}; ./file.json works too.")
        its = PRESETS[name]
        return cls(its["alpha"], its["beta"], name=name, source=its["source"])

    @classmethod
    def load(cls, path: str | Path) -> Machine:
        """Return the machine that the JSON file at ``path`` holds; raise InputError, naming what is wrong."""
        file = Path(path)
        try:
            data = file.read_bytes() if file.stat().st_size <= LARGEST else None
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}") from error
        if data is None:
            raise InputError(f"{file} has more than {LARGEST} bytes; a machine's file is small")
        try:
            stored = typed(data, Stored)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise InputError(f"{file} holds no machine: {error}; right: {EXAMPLE}") from error
        if stored.schema != 1:
            raise InputError(f"{file} has schema {stored.schema}; this version reads schema 1")
        try:
            letters = units.point(
                {name: x for name in (*units.TIMES, *units.LOGGP) if (x := getattr(stored, name)) is not None}
            )
            if missing := [letter for letter in ("alpha", "beta") if letter not in letters]:
                raise InputError(f"there is no {missing[0]}; right: {EXAMPLE}")
            return cls(
                letters["alpha"], letters["beta"], letters["gamma"], name=stored.name or file.stem,
                source=stored.source, work=stored.work, measured=stored.measured,
            )  # fmt: skip
        except InputError as error:
            raise InputError(f"{file}: {error}") from error

    def dump(self) -> dict[str, Any]:
        """Return the contents of the machine's file, each value exact: a short decimal, else a fraction."""
        values = {letter: exact(x) for letter, x in self.letters.items()}
        told: dict[str, Any] = {"schema": 1, **values, "name": self.name, "source": self.source}
        rest = {"work": self.work, "measured": self.measured}
        return told | {what: msgspec.to_builtins(one) for what, one in rest.items() if one}

    def save(self, path: str | Path) -> None:
        """Write the machine's file; raise InputError where that cannot be."""
        try:
            Path(path).write_text(json.dumps(self.dump(), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from error


def exact(x: Fraction) -> float | str:
    """Return a value for a file.

    >>> exact(Fraction(1, 200000)), exact(Fraction(1, 3))
    (5e-06, '1/3')
    """
    return float(x) if Fraction(str(float(x))) == x else str(x)


EXAMPLE = '{"alpha": "5us", "beta": "25Gbit/s"}'


def machine(given: str) -> Machine:
    """Return the machine that ``given`` names, as a preset or as a file."""
    return Machine.load(given) if Path(given).suffix == ".json" or "/" in given else Machine.preset(given)


# -- work on entries


def check(work: Mapping[Kind, Table]) -> None:
    """Raise InputError unless every table has a size, and sizes ascend."""
    for what, table in work.items():
        if not table:
            raise InputError(f"work: {what} has no size; right: [[entries, seconds an entry], ...]")
        for (a, _), (b, _) in pairwise(table):
            if a >= b:
                raise InputError(f"work: {what} has {b} entries after {a}: sizes ascend")


def seconds(table: Table, entries: int | Fraction) -> Fraction:
    """Return the seconds of work on so many entries: linear between two sizes, else per entry as at the nearest.

    >>> table = [(10, 1.0), (20, 0.75)]
    >>> [float(seconds(table, entries)) for entries in (1, 10, 18, 20, 40)]
    [1.0, 10.0, 14.0, 15.0, 30.0]
    """
    sizes = [size for size, _ in table]
    whole = [size * Fraction(str(each)) for size, each in table]
    i = bisect_left(sizes, entries)
    if i in (0, len(sizes)):
        nearest = min(i, len(sizes) - 1)
        return entries * whole[nearest] / sizes[nearest]
    part = Fraction(entries - sizes[i - 1], sizes[i] - sizes[i - 1])
    return whole[i - 1] + part * (whole[i] - whole[i - 1])


def work(machine: Machine, page: Page, point: Any, p: int, n: int, k: int) -> Fraction:
    """Return the seconds of a rank's work on entries that the cost at ``point``, of 2 ranks or more, does not price."""
    messages = int(point.messages)
    if page.data == "lists":  # a rank packs its own list, and adds all lists in the end
        return machine.seconds("pack", k) + machine.seconds("merge", p * k)
    if page.data == "sparse":  # an added message is merged with the rank's own part; all are read
        merges, sent = merging(page, p), Fraction(point.pairs, 2 * messages)
        own = Fraction(merges * k, p) if page.cuts else point.added  # of a whole vector, its own is as long
        merged = machine.seconds("merge", Fraction(point.added + own, merges))
        return merges * merged + messages * machine.seconds("pack", sent)
    if page.once:  # selects from every chunk; packs what is added
        hops = p - 1
        return p * machine.seconds("select", Fraction(n, p)) + hops * machine.seconds("pack", point.added / hops)
    if page.data == "selected" and not page.cuts:  # from the vector, then from each sum
        merges, each = merging(page, p), machine.seconds("merge", 2 * k) + machine.seconds("select", 2 * k)
        return machine.seconds("select", n) + merges * each + messages * machine.seconds("pack", k)
    if page.data == "selected":  # selects from every chunk, once
        sent = Fraction(point.words, 2 * messages)
        return p * machine.seconds("select", Fraction(n, p)) + messages * machine.seconds("pack", sent)
    return Fraction(0)


def merging(page: Page, p: int) -> int:
    """Return the number of messages that a rank adds, one after the other."""
    return sum(number(page.messages(t, p)) for t in range(number(page.steps(p))) if truth(page.adds(t, p)))
