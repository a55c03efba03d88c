"""Switches what each rank has for its own beside modules: settings, generators, the environment."""

from __future__ import annotations

import os
import pickle
import random
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState

ENVIRONMENT: dict[Any, Any] = vars(os.environ)["_data"]  # dict(os.environ) decodes all of it, which takes 15 us


class Setting(NamedTuple):
    """A state of a process: how it is read, and set.

    ``module``: where it is, if it takes long to read.  ``first``: what a rank has at first; None: as it is.
    """

    get: Callable[[], Any]
    put: Callable[[Any], None]
    module: str = ""
    first: Callable[[int], Any] | None = None


def environment(wanted: dict[Any, Any]) -> None:
    """Set the environment, also for what is not Python."""
    if wanted != ENVIRONMENT:
        os.environ.clear()
        os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in wanted.items()})


def directory() -> str:
    """Return the working directory; empty where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109  # as it was written
    except FileNotFoundError:
        return ""


def numpys(generator: Any = np.random) -> bytes:
    """Return the state of numpy's global generator, of a kind that can be compared."""
    return pickle.dumps(generator.get_state(legacy=False))


def set_numpys(state: bytes) -> None:
    """Set the state of numpy's global generator."""
    np.random.set_state(pickle.loads(state))  # noqa: NPY002, S301  # the one that all have in common; we wrote it


def torchs() -> Any:
    """Return the state of torch's generator; nothing where torch is not loaded."""
    torch = sys.modules.get("torch")
    return torch.get_rng_state().tolist() if torch else None


def set_torchs(state: Any) -> None:
    """Set the state of torch's generator."""
    torch = sys.modules.get("torch")
    if torch and state is not None:
        torch.set_rng_state(torch.tensor(state, dtype=torch.uint8))


SETTINGS = {
    "the environment": Setting(ENVIRONMENT.copy, environment),
    "the working directory": Setting(directory, lambda path: os.chdir(path) if path else None),
    "the generator of random": Setting(
        random.getstate, random.setstate, "random", lambda rank: random.Random(rank).getstate()
    ),
    "the generator of numpy": Setting(numpys, set_numpys, "numpy.random", lambda rank: numpys(RandomState(rank))),
    "the generator of torch": Setting(torchs, set_torchs, "torch"),
}
"""What can be another for each rank."""


class Apart:
    """The states that each rank has for its own beside modules, of ``SETTINGS`` those of ``names``.

    It is put in its place whenever another rank runs.  Generators go on from run to run, as those of processes do;
    all else begins as this process has it, which has it again in the end.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = [*names]
        self.kept: dict[tuple[str, int], Any] = {}
        self.now: int | None = None

    def __enter__(self) -> None:
        self.now, self.before = None, {name: SETTINGS[name].get() for name in self.names}
        self.kept = {key: state for key, state in self.kept.items() if "generator" in key[0]}

    def __exit__(self, *error: object) -> None:
        self._leave()
        for name, state in self.before.items():
            SETTINGS[name].put(state)

    def enter(self, rank: int) -> None:
        """Let rank ``rank`` run from now on."""
        if self.names and rank != self.now:
            self._leave()
            for name in self.names:
                SETTINGS[name].put(self._own(name, rank))
            self.now = rank

    def _own(self, name: str, rank: int) -> Any:
        if (name, rank) in self.kept:
            return self.kept[name, rank]
        first = SETTINGS[name].first
        return first(rank) if first else self.before[name]

    def _leave(self) -> None:
        if self.now is not None:
            self.kept |= {(name, self.now): SETTINGS[name].get() for name in self.names}
