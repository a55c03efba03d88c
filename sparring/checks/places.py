"""Where an example can be run.  Every place tells the same: results, inputs afterwards, messages, conduct."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn, Protocol, runtime_checkable

import numpy as np

from sparring.checks import target as targets
from sparring.checks.examined import Examined
from sparring.checks.examples import Example
from sparring.checks.group import LOADING, Ended, Group, Hang
from sparring.checks.rank import called
from sparring.errors import InputError, RankFailed
from sparring.proofs.core.refinement import falsifies
from sparring.proofs.trace.events import Trace, from_outcome
from sparring.proofs.world import world
from sparring.proofs.world.depths import smallest
from sparring.proofs.world.findings import Kind, Outcome

RAISED = (Kind.RAISED, Kind.ABORTED, Kind.TRUNCATED)
"""Findings that real MPI would raise as an error, or end the job with."""
SLACK = 4
"""How many times as long as the slowest an example on real ranks may take."""
CALLS = 2  # of a target, or instances of a stateful one, on one communicator: state that leaks into the next shows


class Observed(NamedTuple):
    """One run of a target on an example.

    ``ys``: results by call and rank, empty where the run came to no end; ``inputs``: every
    rank's vector after the last call; ``flaws``: property -> what the run itself showed;
    ``refused``: why this place could not run the target; ``residuals``: as results, what a
    stateful target shows of what it keeps; ``unseen`` and ``roundings``: see
    :class:`~sparring.checks.examined.Examined`; ``refusing``: whether a rank raised an error;
    ``raised``: whether it was a Python exception, and nothing that ends processes;
    ``endless``: whether the time for it was over here, where hangs are seen without any;
    ``remarks``: by rank, sentences on what else went wrong; ``shared``: why ranks were not as far apart as processes.
    """

    ys: list[list[Any]]
    inputs: list[Any]
    trace: Trace | None
    flaws: Mapping[str, str]
    refused: str = ""
    residuals: Sequence[list[Any]] = ()
    unseen: Mapping[str, str] = {}
    roundings: int = 0
    refusing: bool = False
    raised: bool = False
    endless: bool = False
    remarks: Sequence[Sequence[str]] = ()
    shared: str = ""


class Place(Protocol):
    """Somewhere to run examples."""

    name: str

    @property
    def together(self) -> bool:
        """Whether examples that are expected are played together, so that one costs as much as many."""
        ...

    def load(self, target: Any) -> None:
        """Import it; raises InputError with the traceback of a module that does not load."""
        ...

    def beside(self, environment: Mapping[str, str]) -> Place:
        """The same place with this set for its ranks."""
        ...

    def expect(self, examples: Sequence[Example]) -> None:
        """These come next, so that several may be run at once."""
        ...

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
        """Run ``target`` once and record what it sends; or ``again``: other timing, several times, no record."""
        ...


@dataclass
class Simulated:
    """The simulated world: synchronous sends first; where they deadlock, buffered ones for the rest."""

    params: Mapping[str, Any] = field(default_factory=dict)
    patience: float = 60.0
    """Seconds for one run: ranks that wait for no message, or turn for ever, are seen by nothing else."""
    name: str = "simulated"
    together: bool = False

    def beside(self, environment: Mapping[str, str]) -> Place:
        if environment:
            raise InputError(f"{' '.join(environment)} is set for real ranks alone: on='mpi'")
        return self

    def load(self, target: Any) -> None:
        with limited(LOADING, f"{target} did not load within {LOADING:g} s"):
            nothing = world.run(targets.anywhere(target), 1, [np.empty(0)], call=lambda f, comm, x: None)
        for finding in nothing.findings:
            if finding.kind is Kind.RAISED:
                raise InputError(f"{target} does not load:\n{finding.traceback}")

    def expect(self, examples: Sequence[Example]) -> None:
        pass

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
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
        return buffered._replace(flaws={**buffered.flaws, "deadlock": why})

    def run(self, target: Any, example: Example, buffers: str | int, again: bool) -> Observed:
        calls, scheduler = (CALLS, "seeded") if again else (1, "round-robin")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # what numpy says of overflow is no matter of ours
            before = common()
            why = f"no end within {self.patience:g} s, and no message is waited for"
            try:
                with limited(self.patience, why):
                    outcome = world.run(
                        targets.anywhere(target), example.p, [x.copy() for x in example.xs], buffers=buffers,
                        scheduler=scheduler, seed=1, record=not again,
                        call=lambda f, comm, x: called(
                            f, comm, x, calls, {**self.params, **example.params}, rows=example.iterated,
                            scene=example.scene,
                        ),
                    )  # fmt: skip
            except Endless:  # it went off between two ranks
                return Observed([], [], None, {"deadlock": why}, endless=True)
        return told(outcome, example, traced=not again)._replace(shared=changed(before))


def common() -> dict[str, Any]:
    """What simulated ranks, which are one process, have in common and real ones have not, by its name."""
    torch = sys.modules.get("torch")
    generators = {"the generator of torch": torch.get_rng_state().tolist()} if torch else {}
    state: Any = np.random.get_state()  # noqa: NPY002  # the one that all have in common is meant
    return {
        "the environment": dict(os.environ),
        "the working directory": os.getcwd(),  # noqa: PTH109  # as it was written
        "the generator of random": random.getstate(),
        "the generator of numpy": (state[0], state[1].tobytes(), *state[2:]),
        **generators,
    }


def changed(before: Mapping[str, Any]) -> str:
    """What of it has changed, in words; the environment and the working directory are put back."""
    now = common()
    other = [name for name, value in now.items() if value != before.get(name, value)]
    if "the environment" in other:
        os.environ.clear()
        os.environ.update(before["the environment"])
    if "the working directory" in other:
        os.chdir(before["the working directory"])
    return f"simulated ranks share {' and '.join(other)}, which the target changes: --on mpi" if other else ""


class Endless(TimeoutError):
    """The time for code that runs in this process is over."""


@contextmanager
def limited(seconds: float, why: str) -> Iterator[None]:
    """Python code may take so long; then Endless is raised where it is.  No limit but in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001  # as signals call it
        at = f" ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})" if frame else ""
        raise Endless(f"{why}{at}")

    start, before = time.monotonic(), signal.signal(signal.SIGALRM, late)
    theirs, _ = signal.setitimer(signal.ITIMER_REAL, seconds)  # somebody else's alarm, pytest-timeout's for instance
    try:
        yield
    finally:
        left = theirs and max(0.001, theirs - (time.monotonic() - start))
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)


def fullest(trace: Trace | None) -> int:
    """The most messages from any one rank to any other."""
    return max(Counter((sent.rank, sent.peer) for sent in (trace.sends() if trace else ())).values(), default=0)


def told(outcome: Outcome, example: Example, *, traced: bool) -> Observed:
    """An outcome of the world in the words of check."""
    if refused := next((f.text for f in outcome.findings if f.kind is Kind.UNSUPPORTED), ""):
        return Observed([], [], None, {}, refused)
    trace = from_outcome(outcome, example.p) if traced else None
    flaws: dict[str, str] = {}
    for finding in outcome.findings:
        endless = finding.kind is Kind.RAISED and finding.call == Endless.__name__
        if endless:
            flaws["deadlock"] = f"rank {finding.rank}: {finding.traceback.strip().rpartition('Endless: ')[2]}"
        else:
            flaws.setdefault(falsifies(finding, example.prop), finding.text)
    refusing = any(finding.kind in RAISED for finding in outcome.findings)
    kinds = {finding.kind for finding in outcome.findings}
    raised = Kind.RAISED in kinds and Kind.ABORTED not in kinds
    if None in outcome.results:
        endless = any(finding.call == Endless.__name__ for finding in outcome.findings)
        return Observed([], [], trace, flaws, refusing=refusing, raised=raised and not endless, endless=endless)
    ys, residuals, given, remarks = zip(*outcome.results)
    more: dict[str, Any] = {"residuals": by_call(residuals), "refusing": refusing, "remarks": remarks}
    return Observed(by_call(ys), list(given), trace, flaws, **more)


def by_call(found: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """What is told by rank, and by call of each, by call first."""
    return [list(one) for one in zip(*found)]


class Ranks(Protocol):
    """Real ranks: a group that this process started, or the job that it is part of."""

    def examine(
        self, target: Any, xs: Sequence[Any], *, calls: int, rows: bool, trace: bool, timeout: float, **params: Any
    ) -> Examined:
        """Run ``target`` on real ranks; raises RankFailed or Hang."""
        ...


@runtime_checkable
class Batching(Protocol):
    """Real ranks that play several examples in one launch."""

    def expect(self, examples: Sequence[Sequence[Any]]) -> None:
        """Whose vectors come next."""
        ...


@dataclass
class Real:
    """Real ranks.  ``costly``: after a rank has failed they must be started again.

    ``timeout``: seconds for one example.  With ``patient`` that is for quick ones: others get ``SLACK`` times what the
    slowest has needed so far, and the first that comes to no end is played once more with ``SLACK`` times as long,
    since a first call may import or compile, and other programs may keep the cores busy.  ``others``: ranks for which
    something else is set.
    """

    ranks: Ranks
    params: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 10.0
    name: str = "mpi"
    costly: bool = True
    patient: bool = False
    others: Sequence[Ranks] = ()
    slowest: float = 0.0

    def beside(self, environment: Mapping[str, str]) -> Place:
        if environment and not self.others:
            raise InputError(f"{' '.join(environment)} is set for ranks that are started for this: on='mpi'")
        return replace(self, ranks=self.others[0]) if environment else self

    def load(self, target: Any) -> None:
        if isinstance(self.ranks, Group):
            self.ranks.load(target)

    @property
    def together(self) -> bool:
        return isinstance(self.ranks, Batching)

    def expect(self, examples: Sequence[Example]) -> None:
        if isinstance(self.ranks, Batching):
            self.ranks.expect([example.xs for example in examples])

    def observe(self, target: Any, example: Example, *, again: bool = False) -> Observed:
        how: dict[str, Any] = {"scene": example.scene} if example.scene else {}
        how |= {**self.params, **example.params, "calls": CALLS if again else 1, "trace": not again}
        play = partial(self.ranks.examine, target, example.xs, rows=example.iterated, **how)
        try:
            seen = self.ended(play)
        except Hang as hang:
            return Observed([], [], None, {"deadlock": str(hang)})
        except RankFailed as failure:
            raised = not isinstance(failure, Ended)
            return Observed([], [], None, {example.prop: str(failure)}, refusing=True, raised=raised)
        more: dict[str, Any] = {"residuals": seen.residuals, "unseen": seen.unseen, "roundings": seen.roundings}
        more["remarks"] = seen.remarks
        return Observed(seen.ys, seen.inputs, seen.trace, {}, **more)

    def ended(self, play: Callable[..., Examined]) -> Examined:
        """An example that came to its end in time."""
        limit, start = max(self.timeout, SLACK * self.slowest if self.patient else 0), time.monotonic()
        try:
            seen = play(timeout=limit)
        except Hang:
            if not self.patient:
                raise
            self.patient, start = False, time.monotonic()
            seen = play(timeout=SLACK * limit)
            self.patient = True
        self.slowest = max(self.slowest, time.monotonic() - start)
        return seen
