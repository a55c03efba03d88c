"""Runs an example in one of several places.  Each tells the same: results, inputs afterwards, messages, conduct."""

from __future__ import annotations

import io
import signal
import sysconfig
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np

from sparring.checks.ranks import target as targets
from sparring.checks.ranks import watcher
from sparring.checks.ranks.answers import Examined
from sparring.checks.ranks.group import LOADING, Ended, Hang
from sparring.checks.ranks.rank import called, own_traceback
from sparring.checks.ranks.scenes import SCENES
from sparring.errors import InputError, NotRecorded, RankFailed
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed, observe_outcome
from sparring.trace.events import Trace
from sparring.world import simulation
from sparring.world.buffer_depth import smallest
from sparring.world.core.findings import Kind, Outcome
from sparring.world.rank_state import SETTINGS, Apart

SLACK = 4
"""The factor for an example's time on real ranks: over the slowest so far, or over usual ones once one has hung."""
LONGEST = 60.0
"""The most seconds that a slow target is waited for, so that one that deadlocks is refuted, too."""
FIRST = 2
"""The factor by which a rank's first example may take longer than usual."""
FEW = 3
"""The most things that ranks share which are told by name."""
ANEW = 5
"""The most times that a run is replayed, while each run shows something new that ranks share."""
CALLS = 2  # of a target, or instances of a stateful one, on one communicator: state that leaks into the next shows


class Place(Protocol):
    """A place to run examples."""

    name: str

    @property
    def together(self) -> bool:
        """True if expected examples are played together, so that many cost as much as one."""
        ...

    def load(self, target: Any) -> None:
        """Import ``target``; raises InputError with the traceback of a module that does not load."""
        ...

    def beside(self, environment: Mapping[str, str]) -> Place:
        """Return the same place with ``environment`` set for its ranks."""
        ...

    def expect(self, examples: Sequence[Example]) -> None:
        """Announce the next examples, so that several may be run at once."""
        ...

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
        """Run ``target`` once and record what it sends; with ``again``, several times in other timing, unrecorded."""
        ...


@dataclass
class Simulated:
    """The simulated world: synchronous sends first; if they deadlock, buffered ones for the other properties.

    ``apart``: shared state that the target was seen to change, and of which each rank has its own copy since;
    ``known``: other shared state that it changed.  If a later run changes that again, the run reports it: only the
    first call of a library may fill something in.
    """

    params: Mapping[str, Any] = field(default_factory=dict)
    patience: float = LONGEST
    """Seconds for one run: a rank that waits for anything but a message, or loops forever, stops all ranks."""
    name: str = "simulated"
    apart: Apart = field(default_factory=Apart)
    known: set[str] = field(default_factory=set)
    together: bool = False

    def beside(self, environment: Mapping[str, str]) -> Place:
        if environment:
            raise InputError(f"{' '.join(environment)} is set for real ranks alone: on='mpi'")
        return self

    def load(self, target: Any) -> None:
        try:
            with limited(LOADING), unseen():
                nothing = simulation.run(targets.anywhere(target), 1, [np.empty(0)], call=lambda f, comm, x: None)
        except Endless as endless:
            raise InputError(f"{target} did not load within {LOADING:g} s:\n{own_traceback(endless)}") from None
        for finding in nothing.findings:
            if finding.kind is Kind.RAISED:
                raise InputError(f"{target} does not load:\n{finding.traceback}")

    def expect(self, examples: Sequence[Example]) -> None:
        pass

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
        with watcher.playing(example.place):
            return self.observed(target, example, again=again)

    def observed(self, target: Any, example: Example, *, again: bool) -> Observed:
        """Run the example as :meth:`observe` does, without telling the watcher."""
        if again:
            return self.run(target, example, "unbounded", again)
        first = self.run(target, example, "synchronous", again)
        if "deadlock" not in first.flaws:
            return first
        buffered = self.run(target, example, "unbounded", again)
        if "deadlock" in buffered.flaws:
            return first
        depth = smallest(lambda d: "deadlock" not in self.run(target, example, d, again).flaws, fullest(buffered.trace))
        why = f"with synchronous sends {first.flaws['deadlock']}; it ends where MPI buffers {depth} a channel"
        flaws = {**buffered.flaws, "deadlock": why}
        return buffered._replace(flaws=flaws, findings=first.findings, stuck=first.messages)

    def run(self, target: Any, example: Example, buffers: str | int, again: bool) -> Observed:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # numpy's warnings of overflow do not matter here
            try:
                with limited(self.patience), unseen() as printed:
                    outcome = self.played(target, example, buffers, again)
            except Endless as endless:
                why = f"no end within {self.patience:g} s, and no message is waited for: a rank is {innermost(endless)}"
                return Observed([], [], None, {}, f"{why}; --on mpi judges it")
        seen = observe_outcome(outcome, example.prop, example.p, traced=not again)
        return seen._replace(shared=sharing(outcome), printed=printed.getvalue())

    def played(self, target: Any, example: Example, buffers: str | int, again: bool) -> Outcome:
        """Play the example, again after each run that shows something new that ranks share, up to ``ANEW`` times."""
        calls, scheduler = (CALLS, "seeded") if again else (1, "round-robin")

        node = SCENES[example.scene].node if example.scene else 0

        def play() -> Outcome:
            return simulation.run(
                targets.anywhere(target), example.p, [x.copy() for x in example.xs], buffers=buffers,
                scheduler=scheduler, seed=1, record=not again, apart=self.apart, node=node,
                call=lambda f, comm, x: called(
                    f, comm, x, calls, {**self.params, **example.params}, rows=example.iterated, scene=example.scene
                ),
            )  # fmt: skip

        outcome = play()
        for _ in range(ANEW):
            if not (new := {*outcome.shared} - self.known):
                break
            self.apart.names += SETTINGS.keys() & new
            self.known |= new - SETTINGS.keys()
            outcome = play()
        return outcome


def sharing(outcome: Outcome) -> str:
    """Say what state the ranks shared and changed in a run, naming at most ``FEW`` things; "" if none."""
    few, more = outcome.shared[:FEW], len(outcome.shared[FEW:])
    shared = " and ".join([*few, *[f"{more} more"] * bool(more)])
    return f"simulated ranks share {shared}, which the target changes: --on mpi" if shared else ""


@contextmanager
def unseen() -> Iterator[io.StringIO]:
    """Redirect what Python code writes to the screen to the text buffer that the block gets."""
    with redirect_stdout(io.StringIO()) as written, redirect_stderr(written):
        yield written


class Endless(BaseException):
    """The time for code that runs in this process is over.  No ``except Exception`` of that code catches it."""


def innermost(error: BaseException) -> str:
    """Say where the error was raised: in the innermost frame that is not Python's, installed or sparring's, if any."""
    frames = traceback.extract_tb(error.__traceback__)
    beside = (sysconfig.get_path("stdlib"), str(Path(__file__).parents[1]))
    frame = next((one for one in reversed(frames) if not one.filename.startswith(beside)), frames[-1])
    return f"at {frame.filename}:{frame.lineno} in {frame.name}"


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Endless in the block's Python code after ``seconds``.  Outside of the main thread there is no limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> NoReturn:
        raise Endless

    start, before = time.monotonic(), signal.signal(signal.SIGALRM, late)
    theirs, _ = signal.setitimer(signal.ITIMER_REAL, seconds)  # somebody else's alarm, pytest-timeout's for instance
    try:
        yield
    finally:
        left = theirs and max(0.001, theirs - (time.monotonic() - start))
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)


def fullest(trace: Trace | None) -> int:
    """Return the most messages from any one rank to any other."""
    return max(Counter((sent.rank, sent.peer) for sent in (trace.sends() if trace else ())).values(), default=0)


def as_observed(seen: Examined) -> Observed:
    """Return what real ranks answered as what was observed."""
    more: dict[str, Any] = {"unseen": seen.unseen, "roundings": seen.roundings, "remarks": seen.remarks}
    return Observed(seen.ys, seen.inputs, seen.trace, {}, kept=seen.kept, **more)


class Ranks(Protocol):
    """Real ranks: a group that this process started, or the job that it is part of."""

    def load(self, target: Any) -> None:
        """Import the target on all ranks, unless they have it; raises InputError if it does not load."""
        ...

    def examine(
        self, target: Any, xs: Sequence[Any], *, calls: int, rows: bool, trace: bool, timeout: float, **params: Any
    ) -> Examined:
        """Run ``target`` on real ranks; raises RankFailed or Hang."""
        ...


@runtime_checkable
class Batching(Protocol):
    """Real ranks that play several examples in one launch."""

    def expect(self, examples: Sequence[Sequence[Any]]) -> None:
        """Announce the vectors of the next examples."""
        ...


@dataclass
class Real:
    """Real ranks.  ``costly``: after a rank has failed they must be started again.

    ``timeout``: seconds for one example.  If it is not ``fixed``, the time that the target needs counts, see
    :meth:`limit`.  ``others``: ranks with another environment.  ``unrecorded``: the call of the target that no log can
    follow; once there was one, nothing is recorded.
    """

    ranks: Ranks
    params: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 10.0
    name: str = "mpi"
    costly: bool = True
    fixed: bool = True
    others: Sequence[Ranks] = ()
    slowest: float = 0.0
    warm: int = 0
    hung: bool = False
    unrecorded: str = ""

    def beside(self, environment: Mapping[str, str]) -> Place:
        if environment and not self.others:
            raise InputError(f"{' '.join(environment)} is set for ranks that are started for this: on='mpi'")
        return replace(self, ranks=self.others[0], warm=0) if environment else self

    def load(self, target: Any) -> None:
        self.ranks.load(target)

    @property
    def together(self) -> bool:
        return isinstance(self.ranks, Batching)

    def expect(self, examples: Sequence[Example]) -> None:
        if isinstance(self.ranks, Batching):
            self.ranks.expect([example.xs for example in examples])

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
        how: dict[str, Any] = {"scene": example.scene} if example.scene else {}
        traced = not (again or example.scene or self.unrecorded)  # a scene's messages are not judged
        how |= {**self.params, **example.params, "calls": CALLS if again else 1, "trace": traced}
        self.load(target)  # before its time begins: ranks that failed are started again
        try:
            seen = self.ended(partial(self.ranks.examine, target, example.xs, rows=example.iterated, **how), example.p)
        except NotRecorded as failure:
            self.unrecorded = failure.why
            return self.observe(target, example, again=again)
        except Hang as hang:
            return Observed([], [], None, {"deadlock": str(hang)})
        except RankFailed as failure:
            raised = not isinstance(failure, Ended)
            return Observed([], [], None, {example.prop: str(failure)}, refusing=True, raised=raised)
        return as_observed(seen)._replace(unrecorded=self.unrecorded)

    def ended(self, play: Callable[..., Examined], p: int) -> Examined:
        """Play an example on ``p`` ranks, and note the time it took if all came to the end."""
        start = time.monotonic()
        try:
            seen = play(timeout=self.limit(p))
        except RankFailed as failure:
            self.warm, self.hung = 0, self.hung or isinstance(failure, Hang)
            raise
        self.slowest, self.warm = max(self.slowest, time.monotonic() - start), max(self.warm, p)
        return seen

    def limit(self, p: int) -> float:
        """Return the seconds for an example of ``p`` ranks.

        It is the longer of ``timeout`` and ``SLACK`` times what the slowest example so far has needed.  A rank's first
        example since its start may take longer, since the rank may import or compile.  ``timeout`` is many times what
        usual examples need, since other programs may keep the cores busy: to play an example again instead would take
        no less time, and hide a deadlock that occurs only with some timings.  Once one example has hung, the question
        is answered, and later ones are not waited for as long.
        """
        if self.fixed:
            return self.timeout
        usual = self.timeout / SLACK if self.hung else self.timeout * (FIRST if self.costly and p > self.warm else 1)
        return max(usual, min(SLACK * self.slowest, LONGEST))
