"""Every error that sparring raises on purpose.

The lowest floor of the house: ``spec``, ``impl`` and ``proofs`` raise these, so this module
imports nothing of sparring's.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SparringError(Exception):
    """The root: ``except SparringError`` catches whatever sparring raises on purpose."""


class InputError(SparringError, ValueError):
    """The input is not what was asked for; the message says what is wrong, where, and what would be right."""


class Unrecorded(InputError):
    """A call that no log can follow, while what a target sends is recorded."""


class UnknownPage(InputError):
    """There is no algorithm, module or file of that name."""


class Refuted(SparringError, AssertionError):
    """Something claimed is false; the message is the witness."""


class OtherBits(Refuted):
    """A file that has the same bytes on every machine has others on this one; the message says which, and why maybe."""


class ScheduleFault(Refuted):
    """A page's formulas contradict each other in a run of ``p`` ranks, at step ``t`` (None: before the first).

    Attributes: ``p`` ranks, ``t`` step or None, ``why`` the fault without its place.
    """

    def __init__(self, p: int, t: int | None, why: str) -> None:
        self.p, self.t, self.why = p, t, why
        at = f"p={p}" if t is None else f"p={p} step {t}"
        super().__init__(f"{at}: {why}")

    def __reduce__(self) -> tuple[type[ScheduleFault], tuple[int, int | None, str]]:
        return type(self), (self.p, self.t, self.why)  # to travel between processes


class Undecided(SparringError):
    """A solver answered neither yes nor no; an ``unknown`` never passes for a proof."""


class RankFailed(SparringError):
    """A rank raised or died; ``rank`` says which, ``traceback`` is its own."""

    def __init__(self, rank: int, traceback: str) -> None:
        self.rank, self.traceback = rank, traceback
        super().__init__(f"rank {rank} failed:\n{traceback.rstrip()}")

    def __reduce__(self) -> tuple[type[RankFailed], tuple[int, str]]:
        return type(self), (self.rank, self.traceback)


class NotRecorded(RankFailed):
    """A rank made a call that no log can follow; ``why`` names it.  Nothing is wrong with the rank."""

    def __init__(self, rank: int, traceback: str, why: str) -> None:
        self.why = why
        super().__init__(rank, traceback)

    def __reduce__(self) -> tuple[type[NotRecorded], tuple[int, str, str]]:  # type: ignore[override]  # has one more
        return type(self), (self.rank, self.traceback, self.why)


class MissingExtra(SparringError, ImportError):
    """An optional part is not installed; the message is the command that installs it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "did you mean 'ring'? " for an unknown ``name``, with the nearest of ``known``; empty if none is near."""
    near = difflib.get_close_matches(name, [*known], n=1)
    return f"did you mean {near[0]!r}? " if near else ""
