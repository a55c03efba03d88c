"""Judging many examples on one group of real MPI processes.

>>> group = Group(2)   # starts nothing yet
>>> group.size
2
"""

from __future__ import annotations

import re
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from types import MappingProxyType, TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sparring.checks.ranks import target as targets
from sparring.checks.ranks.answers import Examined, ask_for, examined
from sparring.checks.ranks.exit_status import End
from sparring.checks.ranks.rank import failure_told
from sparring.checks.ranks.sockets import Message
from sparring.checks.ranks.workers import GRACE, STOPPED, Workers
from sparring.errors import InputError, RankFailed
from sparring.refinement.playing import RESIDUAL
from sparring.refinement.vectors import NoArray

LOADING = 60.0
"""Seconds that ranks get to import a target, all at a time on few cores."""
NOTHING: Mapping[str, str] = MappingProxyType({})
MOMENT = 0.1
"""Seconds to wait for late news of a process that has ended earlier."""
FIRST = re.compile(r"(?:Process name: \[\S+@\d+,|Proc: \[\[\d+,\d+\],)(\d+)\]")
"""How Open MPI's launcher, which ends all ranks when one fails, names the one that did."""


class Hang(RankFailed, TimeoutError):
    """The ranks ``ranks`` did not answer in time; ``stacks`` says where each was, ``rank`` is the first of them."""

    def __init__(self, ranks: Sequence[int], size: int, timeout: float, stacks: dict[int, str]) -> None:
        self.ranks, self.stacks = tuple(ranks), stacks
        self.rank, self.traceback = ranks[0], stacks[ranks[0]]
        why = f"{name_ranks(ranks)} of {size} did not answer within {timeout:g} s"
        Exception.__init__(self, "\n".join([why, *places(stacks)]))


def places(stacks: Mapping[int, str]) -> list[str]:
    r"""Say where ranks are, with ranks at the same place in one entry.

    >>> places({0: "  line 1", 1: "", 2: "  line 1"})
    ['ranks 0, 2 are here:\n  line 1']
    """
    there = {stack: [r for r in stacks if stacks[r] == stack] for stack in stacks.values() if stack}
    return [f"{name_ranks(some)} {'are' if len(some) > 1 else 'is'} here:\n{stack}" for stack, some in there.items()]


def name_ranks(ranks: Sequence[int]) -> str:
    """Name the ranks in words, for a sentence.

    >>> name_ranks([0, 2]), name_ranks([1])
    ('ranks 0, 2', 'rank 1')
    """
    return f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"


class Group:
    """Up to ``size`` ranks under real MPI; one launch serves every number of ranks from 1 to ``size``.

    The processes start with the ``with`` block or the first example, within ``timeout`` seconds,
    and again after a failure.  They end with the block, and also if the driver dies.  Not for use
    by several threads at a time.  ``environment``: variables that are set for the processes.
    """

    def __init__(self, size: int, *, timeout: float = 60.0, environment: Mapping[str, str] = NOTHING) -> None:
        if size < 1:
            raise InputError(f"a group of {size} ranks: it must have at least 1")
        self.size, self.timeout, self.environment = size, timeout, environment
        self.workers: Workers | None = None
        self.last = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def start(self) -> Workers:
        """Return the running processes; raises as :class:`~sparring.checks.ranks.workers.Workers` does."""
        if self.workers is None:
            self.workers = Workers(self.size, self.timeout, self.environment)
        return self.workers

    def stop(self) -> None:
        """End all processes."""
        if self.workers is not None:
            self.workers.close()
            self.workers = None

    def ready(self, target: str) -> Workers:
        """Return the running processes; restart them if one has ended since the last example of another target.

        After an example of the same target they are not restarted: the target may have ended the process, and the
        next example says so.  They are also restarted if a file that they have loaded has been written since.
        """
        workers = self.start()
        workers.hear(0)
        gone = self.last != target and (workers.process.poll() is not None or workers.halted(workers.ends))
        if gone or workers.outdated():
            self.stop()
        self.last = target
        return self.start()

    def run(
        self, target: str, xs: Sequence[NDArray[Any]], *, timeout: float = 10.0, **params: Any
    ) -> list[NDArray[Any]]:
        """Return what ``target(comm, x, **params)`` returns on every rank, where rank ``r`` has ``xs[r]``.

        Raises as :meth:`examine` does, and RankFailed for a rank that returns no array of numbers.
        """
        (ys,) = self.examine(target, xs, timeout=timeout, **params).ys
        for r, y in enumerate(ys):
            if isinstance(y, NoArray):
                raise RankFailed(r, f"{target} returned {y.what}: a target returns an array of numbers")
        return ys

    def load(self, target: str | Callable[..., Any]) -> None:
        """Import the target on all ranks, unless they have it: the time of an example excludes that of the import.

        The ranks are restarted if modules that lie beside another target could be mistaken for this target's.
        Raises InputError with the traceback of a module that does not load, or with where its import is after
        ``LOADING`` seconds.
        """
        name = targets.absolute(targets.importable_name(target))
        workers = self.ready(name)
        if name in workers.loaded:
            return
        place = Path(name.rpartition(":")[0])
        if place.suffix == ".py" and any(place.parent not in Path(file).parents for file in workers.imported):
            self.stop()
            workers = self.start()
        try:
            answers = ask(workers, {"load": name, "timeout": LOADING}, [np.empty(0)] * self.size)
            brought = answered(workers, answers, self.size, LOADING)
        except RankFailed as failure:
            self.stop()
            raise InputError(unloadable(name, failure)) from None
        except BaseException:
            self.stop()
            raise
        workers.keep(name, {file for one in brought for file in one.header["files"]})

    def examine(
        self,
        target: str | Callable[..., Any],
        xs: Sequence[NDArray[Any]],
        *,
        calls: int = 1,
        rows: bool = False,
        scene: str = "",
        trace: bool = False,
        timeout: float = 10.0,
        shown: Sequence[str] = RESIDUAL,
        **params: Any,
    ) -> Examined:
        """Play one example: rank ``r`` calls ``target`` on ``xs[r]``, ``calls`` times on one new communicator.

        ``target``: ``module:name`` or ``file.py:name``, or an object that can be imported by such a name; a function
        ``f(comm, x, **params)``, or a class ``T(comm, n, **params)`` whose instance is called.
        ``rows``: the rows of each ``xs[r]`` are vectors, which a new instance gets one after the other; after each its
        attributes ``shown`` are noted.
        ``scene``: the name of what ranks do with the rows instead, see :mod:`sparring.checks.ranks.scenes`.
        ``params``: values that JSON can hold.  ``trace``: record what is sent.  Raises RankFailed with a
        rank's own traceback, Hang after ``timeout`` seconds, InputError for what cannot be run.
        """
        ask_for(xs, self.size, calls)
        self.load(target)
        header = {
            "target": targets.absolute(targets.importable_name(target)), "ranks": len(xs), "calls": calls, "rows": rows,
            "scene": scene, "shown": [*shown], "trace": trace, "timeout": timeout, "params": params,
        }  # fmt: skip
        workers = self.start()
        try:
            answers = ask(workers, header, xs)
            return examined(answered(workers, answers, len(xs), timeout))
        except BaseException:
            self.stop()
            raise


def unloadable(target: str, failure: RankFailed) -> str:
    """Say why ranks could not load the target: sparring's own sentence alone, else the module's traceback."""
    last = failure.traceback.strip().rpartition("\n")[2]
    _, ours, sentence = last.partition(f"{InputError.__module__}.{InputError.__name__}: ")
    return sentence if ours else f"{target} does not load. {failure}"


class Ended(RankFailed):
    """A rank's process ended without an answer: it raised nothing."""


class Stopped(Ended):
    """A rank's process is suspended, and nobody lets it go on."""

    def __init__(self, rank: int, traceback: str) -> None:
        self.rank, self.traceback = rank, traceback
        Exception.__init__(self, f"rank {rank} {traceback}")


def ask(workers: Workers, header: dict[str, Any], xs: Sequence[NDArray[Any]]) -> dict[int, Message | None]:
    """Return the ranks' answers: None from a rank that died, no entry for one that is late or stopped.

    While other ranks are waited for, a rank that dies or is stopped after its answer counts too: it may owe the others
    a message.
    """
    workers.asked, pids = time.monotonic(), [workers.pid_of[r] for r in range(len(xs))]
    while workers.stopped(pids) + STOPPED > time.monotonic() > workers.stopped(pids):
        workers.hear(STOPPED)  # a stopped rank may go on; if not, it receives no message
    if workers.halted(pids):
        return {}
    for r, x in enumerate(xs):
        line = workers.lines[r]
        line.socket.settimeout(header["timeout"])
        with suppress(OSError):  # the rank has died; the end of its line will say so
            line.send(Message(header, [x]))
    answers: dict[int, Message | None] = {}
    deadline = time.monotonic() + header["timeout"] + GRACE
    while waiting := {workers.lines[r]: r for r in range(len(xs)) if r not in answers}:
        until = min(deadline, workers.stopped(pids) + STOPPED)
        lines = [*waiting, *workers.guards.values()]
        ready, _, _ = select.select(lines, [], [], max(0.0, until - time.monotonic()))
        if not ready:
            break
        workers.hear(0)
        for line in waiting.keys() & ready:
            try:
                answers[waiting[line]] = line.receive()
            except (EOFError, OSError):
                answers[waiting[line]] = None
        if workers.halted(pids):
            deadline = min(deadline, time.monotonic() + MOMENT)
        elif any(failed(answer) for answer in answers.values()):
            deadline = min(deadline, time.monotonic() + GRACE)
    return answers


def failed(answer: Message | None) -> bool:
    """Return whether the rank raised an exception or died."""
    return answer is None or "traceback" in answer.header


def answered(workers: Workers, answers: dict[int, Message | None], ranks: int, timeout: float) -> list[Message]:
    """Return all answers; raises RankFailed, Ended, Stopped or Hang if a rank failed or did not answer.

    A rank that died is named before one that raised, which may only have noticed that its peer was gone.
    """
    told = {r: answer for r, answer in sorted(answers.items()) if answer is not None}
    dead, silent = [r for r in answers if r not in told], [r for r in range(ranks) if r not in answers]
    workers.wait_for_ends(dead)
    ends = {r: end for r in range(ranks) if (end := workers.end(r)) and (r not in told or silent)}
    died = [r for r, end in ends.items() if not end.stopped]
    if not died and (failure := failure_told([*told.items()])):
        raise failure
    if died or [r for r in dead if r not in ends]:
        raise ended(workers, [*{*dead, *died}], silent)
    if ends:
        r = min(ends, key=lambda r: ends[r].at)
        raise Stopped(r, "\n".join([ends[r].words, *places(workers.stacks(silent))]))
    if silent:
        raise Hang(silent, ranks, timeout, {r: workers.stack(r) for r in silent})
    return list(told.values())


def ended(workers: Workers, dead: Sequence[int], silent: Sequence[int]) -> Ended:
    """Return an error that names the first of the ``dead``, how it ended, and where the ``silent`` are."""
    with suppress(TimeoutExpired):
        workers.process.wait(GRACE)  # if the launcher ends with its ranks, it says why
    r = first(workers, dead)
    end, stacks = workers.end(r), workers.stacks(r for r in silent if r not in dead)
    early = ", before this example began" if end and end.at < workers.asked else ""
    causes = [f"it {end.words}"] if end else []
    if (workers.process.poll() or 0) < 0:
        causes.append(f"its launcher {End(-workers.process.returncode, 0.0).words}")
    how = early + f": {' and '.join(causes)}" * bool(causes)
    said = [part for part in (workers.log(r), workers.log()) if part]
    return Ended(r, "\n".join([f"the process ended without an answer{how}", *said, *places(stacks)]))


def first(workers: Workers, dead: Sequence[int]) -> int:
    """Return which of the ``dead`` took the others down: one that called MPI_Abort, else the first to end."""
    aborted = [r for r in dead if "mpi_abort" in workers.log(r).lower()]
    named = [int(r) for r in FIRST.findall(workers.log())]
    known = sorted((end.at, r) for r in dead if (end := workers.end(r)))
    return next((r for r in [*aborted, *(r for _, r in known), *named] if r in dead), dead[0])
