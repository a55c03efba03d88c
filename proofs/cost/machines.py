"""Machines that costs are evaluated on: what a message, a byte and an addition take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from sparring.errors import InputError, did_you_mean
from sparring.proofs.cost import profiles, units
from sparring.proofs.cost.profiles import Kind, Measured, Table, Work

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
    """What a message, a byte and an addition take, exactly: ``alpha``, ``beta`` and ``gamma`` seconds.

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
        profiles.check(work or {})
        letters = {"alpha": alpha, "beta": beta, "gamma": gamma}
        values: dict[str, Any] = {letter: units.value(letter, given) for letter, given in letters.items()}
        values |= {"name": name, "source": source, "work": work or {}, "measured": measured}
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def letters(self) -> dict[str, Fraction]:
        """Its values, as ``Cost.at`` takes them."""
        return {"alpha": self.alpha, "beta": self.beta, "gamma": self.gamma}

    def seconds(self, work: Kind, entries: int | Fraction) -> Fraction:
        """What selecting from, merging or packing so many ``entries`` takes at once.

        Between two sizes of the table it grows evenly; beyond them an entry takes what it takes at the nearest.
        Raises InputError where the machine has no table for that ``work``.
        """
        if work not in self.work:
            raise InputError(f"machine {self.name!r} does not say what {work} takes; sparring calibrate measures it")
        return profiles.seconds(self.work[work], entries)

    @classmethod
    def loggp(cls, **letters: units.Given) -> Machine:
        """The machine of LogGP's ``L``, ``o``, ``G`` and, if a gap matters, ``g``; see ``units.folded``.

        >>> Machine.loggp(L="5us", o="1us", G="4ns").alpha
        Fraction(1749, 250000000)
        """
        if unknown := [letter for letter in letters if letter not in (*units.LOGGP, "gamma")]:
            raise InputError(f"no letter {unknown[0]!r}; LogGP has {', '.join(units.LOGGP)}, and gamma is an addition")
        found = units.point(letters)
        return cls(found["alpha"], found["beta"], found.get("gamma", 0))

    @classmethod
    def preset(cls, name: str) -> Machine:
        """The machine called ``name``, one of ``PRESETS``; raises InputError where there is none."""
        if name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            raise InputError(f"no machine {name!r}; {hint}there are {', '.join(PRESETS)}; ./file.json works too.")
        its = PRESETS[name]
        return cls(its["alpha"], its["beta"], name=name, source=its["source"])

    @classmethod
    def load(cls, path: str | Path) -> Machine:
        """The machine that the JSON file at ``path`` holds; raises InputError, naming what is wrong."""
        file = Path(path)
        try:
            data = file.read_bytes() if file.stat().st_size <= LARGEST else None
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}") from error
        if data is None:
            raise InputError(f"{file} has more than {LARGEST} bytes; a machine's file is small")
        try:
            stored = msgspec.json.decode(data, type=Stored)
        except msgspec.DecodeError as error:
            raise InputError(f"{file} holds no machine: {error}; right: {EXAMPLE}") from error
        if stored.schema != 1:
            raise InputError(f"{file} has schema {stored.schema}; this version reads schema 1")
        try:
            letters = units.point({name: x for name in (*units.TIMES, *units.LOGGP)
                                   if (x := getattr(stored, name)) is not None})  # fmt: skip
            if missing := [letter for letter in ("alpha", "beta") if letter not in letters]:
                raise InputError(f"there is no {missing[0]}; right: {EXAMPLE}")
            return cls(
                letters["alpha"], letters["beta"], letters["gamma"], name=stored.name or file.stem,
                source=stored.source, work=stored.work, measured=stored.measured,
            )  # fmt: skip
        except InputError as error:
            raise InputError(f"{file}: {error}") from error

    def dump(self) -> dict[str, Any]:
        """What its file holds, every value exactly: as a decimal where that is short, else as a fraction."""
        values = {letter: exact(x) for letter, x in self.letters.items()}
        told: dict[str, Any] = {"schema": 1, **values, "name": self.name, "source": self.source}
        rest = {"work": self.work, "measured": self.measured}
        return told | {what: msgspec.to_builtins(one) for what, one in rest.items() if one}

    def save(self, path: str | Path) -> None:
        """Write its file; raises InputError where that cannot be."""
        try:
            Path(path).write_text(json.dumps(self.dump(), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from error


def exact(x: Fraction) -> float | str:
    """A value for a file.

    >>> exact(Fraction(1, 200000)), exact(Fraction(1, 3))
    (5e-06, '1/3')
    """
    return float(x) if Fraction(str(float(x))) == x else str(x)


EXAMPLE = '{"alpha": "5us", "beta": "25Gbit/s"}'


def machine(given: str) -> Machine:
    """A preset's name or a file, whichever ``given`` is."""
    return Machine.load(given) if Path(given).suffix == ".json" or "/" in given else Machine.preset(given)
