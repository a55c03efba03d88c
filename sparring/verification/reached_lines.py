"""Measures which lines of an implementation its runs reach, and whether proved functions are called.

A proof that ``right(r, p)`` is the page's peer says something of messages only where runs ask that function.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType

from coverage import Coverage

from sparring import impl
from sparring.proofs.logic.verdicts import NOT_COVERED, tested
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import PEERS, conjectures
from sparring.refinement import running
from sparring.refinement.comparison import Flaw
from sparring.refinement.looks import Trial
from sparring.refinement.runtime_faults import unharmed
from sparring.report import Result
from sparring.spec.core.model import Page
from sparring.verification.fault_injection import confirmed
from sparring.world import module_cache
from sparring.world.targets import module_of

TRACED_BY_ANOTHER = "another tool traces this process: what runs reach was not watched"
ROOM = str(Path(impl.__file__).parent)
TRACED, IDLE, OFTEN = 5, 20, 5
"""Watched are trials of at most so many ranks, and of each look no more once so many have reached nothing new:
that takes three times as long.  What is new is asked after each so many."""


class Reached:
    """The lines below ``impl`` that ran while this was watching.

    ``watching``: whether it can, since one tool alone can trace a process; ``faulty``: in how many trials something
    was wrong.
    """

    def __init__(self, page: Page, target: str) -> None:
        self.page = page
        self.file = str(module_of(target).__file__)
        self.seen = Coverage(
            data_file=None, config_file=False, branch=True, include=[f"{ROOM}/*", self.file],
            concurrency=["greenlet"], messages=False,
        )  # fmt: skip
        self.watching = sys.gettrace() is None
        self.steps: frozenset[tuple[int, int]] | None = None
        self.unseen: list[str] = []  # what ``missed`` said of these steps from line to line
        self.spoken = spoken_of(page)
        self.open = [*self.missed(), *self.uncalled()]  # what is not reached yet
        self.sees = bool(self.missed())
        self.runs = self.faulty = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count the lines that run meanwhile; in the first run modules are loaded anew, so their own lines count."""
        if self.runs == 0:
            module_cache.forget()
        if self.watching:
            self.seen.start()
            running.WATCHERS[:] = [sys.gettrace()]
        try:
            yield
        finally:
            if self.watching:
                running.WATCHERS.clear()
                self.seen.stop()

    def flaws(self, trials: Iterable[Trial], *, long: bool = False) -> Iterator[Flaw]:
        """Yield the flaws of these trials.

        Trials are watched until many of them have reached nothing new; ``long`` ones are not watched.
        """
        idle = IDLE if long else 0
        for trial in trials:
            watched = trial.ranks <= TRACED and idle < IDLE and self.open
            with self.watched() if watched else nullcontext():
                found = [*trial.flaws(unharmed)]
            self.runs, self.faulty = self.runs + bool(watched), self.faulty + bool(found)
            if watched and self.runs % OFTEN == 0:
                before, self.open = self.open, [*self.missed(), *self.uncalled()]
                idle = idle + OFTEN if self.open == before else 0
            yield from found

    def missed(self) -> list[str]:
        """Return the lines of the implementation's module that no run reached, and those left in one way only."""
        steps = frozenset(self.seen.get_data().arcs(os.path.realpath(self.file)) or ())
        if steps != self.steps:  # else nothing new was reached; coverage would read the file again to say so
            self.steps = steps
            missing: list[int] = self.seen.analysis2(self.file)[3]
            ways = self.seen.branch_stats(self.file).items()
            other = [f"{line} the other way" for line, (of, took) in ways if took < of and line not in missing]
            self.unseen = [*map(str, missing), *other]
        return self.unseen

    def lines(self) -> Result:
        """Return the result of *lines*: which lines and branches no run has reached."""
        name, missed = Path(self.file).name, self.missed()
        if self.watching and not missed:
            result = Result(self.page.name, "lines", tested(self.runs), f"all lines and branches of {name}")
            return confirmed(result, "no run at all", self.sees)
        why = f"no run reached, in {name}, line {', '.join(missed)}" if self.watching else TRACED_BY_ANOTHER
        return Result(self.page.name, "lines", NOT_COVERED, why)

    def peers(self, proof: Result) -> Result:
        """Return the proof's result if runs have called all its functions; else *not covered*.

        A proof about functions that no run calls says nothing of what is sent.
        """
        uncalled = self.uncalled()
        if not proof.verdict.word.exit_code and (uncalled or not self.watching):
            why = f"no run called {', '.join(uncalled)}" if self.watching else TRACED_BY_ANOTHER
            return proof._replace(verdict=NOT_COVERED, detail=why)
        return proof

    def ran(self, code: CodeType) -> bool:
        """Return whether a function was called."""
        lines = self.seen.get_data().lines(os.path.realpath(code.co_filename)) or ()  # as coverage names it
        return any(line in lines for _, _, line in code.co_lines() if line and line > code.co_firstlineno)

    def uncalled(self) -> list[str]:
        """Return the functions below ``impl`` that *peers* is about and that no run has called."""
        return sorted({f"{Path(code.co_filename).stem}.{code.co_name}" for code in self.spoken if not self.ran(code)})


def spoken_of(page: Page) -> Sequence[CodeType]:
    """Return the functions below ``impl`` on which the theorem *peers* rests."""
    found: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOM) and frame.f_code.co_name[0] != "<":
            found[frame.f_code] = None

    about, before = subject(page), sys.getprofile()  # a module that is only now imported runs no function of a theorem
    sys.setprofile(note)
    try:
        for one in conjectures(about, PEERS):
            list(one.obligations)
    finally:
        sys.setprofile(before if callable(before) else None)
    return [*found]
