"""Examples on the job that this process is itself a rank of, as in ``mpiexec -n P pytest``.

All ranks run the same tests and meet before and after each example.  If all come to the second
meeting, a failure is the same exception on every rank, and the run goes on.  If not, some rank is
stuck in a call that nothing can end but the end of the job: the rank that failed says why, or the
ranks that hang say where, and the job is aborted.
"""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparring.checks.ranks import target as targets
from sparring.checks.ranks.answers import Examined, ask_for, examined
from sparring.checks.ranks.group import LOADING, unloadable
from sparring.checks.ranks.rank import Comms, failure_told, loaded, own_traceback, play
from sparring.checks.ranks.sockets import Message
from sparring.errors import InputError, RankFailed
from sparring.job import abort, launched

if TYPE_CHECKING:
    import pytest

GRACE = 1.0
"""Seconds that the other ranks get to come to the meeting once one has failed, or once time is up."""
PATIENCE = 60.0
"""Seconds that a rank waits for the others between examples."""
NAP = 2e-4
"""Seconds between two checks whether all ranks have come: ranks may outnumber cores, so none may spin."""
LABEL = 256
"""Bytes that a rank sends at a meeting, so that all can check that they are at the same one."""
NOTHING = Message({})


class Job:
    """The MPI job of this process; every method is collective: all ranks call it, with the same arguments.

    ``terminal``: the file descriptor for last words; under pytest see :func:`terminal`.  Raises
    InputError where no launcher started this process, or one of another MPI library.
    """

    def __init__(self, terminal: int = 2) -> None:
        place = launched()
        if place is None:
            raise InputError("this process is no rank of an MPI job: start it with mpiexec -n P")
        from mpi4py import MPI

        self.world = MPI.COMM_WORLD
        self.rank, self.size = self.world.Get_rank(), self.world.Get_size()
        if (self.rank, self.size) != place:
            raise InputError(
                f"mpiexec started rank {place[0]} of {place[1]}, but MPI says rank {self.rank} of {self.size}: "
                'launcher and library do not belong together; install both with pip install "sparring[mpich]"'
            )
        self.terminal, self.meetings, self.loaded = terminal, 0, set[str]()
        self.control, self.comms = self.world.Dup(), Comms(self.world)

    def share(self, message: Message = NOTHING) -> Message:
        """Return rank 0's message on every rank; the messages of the others are ignored."""
        packed = joined(message) if self.rank == 0 else np.empty(0, np.uint8)
        self._meet("share", PATIENCE)
        size = np.array(packed.size)
        self.control.Bcast(size)
        if self.rank:
            packed = np.empty(int(size), np.uint8)
        self.control.Bcast(packed)
        return opened(packed)

    def gather(self, message: Message, patience: float = PATIENCE, otherwise: str = "") -> list[Message]:
        """Return the messages of all ranks, by rank, on every rank.

        ``otherwise``: what this rank prints before it aborts if the others do not come within ``patience`` seconds.
        """
        packed = joined(message)
        self._meet("gather", patience, otherwise)
        sizes = np.empty(self.size, np.int64)
        self.control.Allgather(np.array(packed.size), sizes)
        everything = np.empty(int(sizes.sum()), np.uint8)
        self.control.Allgatherv(packed, (everything, sizes))
        return [opened(part) for part in np.split(everything, np.cumsum(sizes)[:-1])]

    def load(self, target: str | Callable[..., Any]) -> None:
        """Import the target on all ranks, as :meth:`Group.load` does; a callable needs no import.

        Raises InputError on every rank with the traceback of a module that does not load; one that hangs ends the job.
        """
        if not isinstance(target, str) or target in self.loaded:
            return
        name = targets.absolute(target)
        self._meet("load", PATIENCE)
        with self._watched(LOADING, f"{name} did not load"):
            answer = loaded(name, targets.load)
        for r, told in enumerate(self.gather(answer, LOADING + 3 * GRACE, answer.header.get("traceback", ""))):
            if "traceback" in told.header:
                raise InputError(unloadable(name, RankFailed(r, told.header["traceback"])))
        self.loaded.add(target)

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
        **params: Any,
    ) -> Examined:
        """Play one example on the first ``len(xs)`` ranks; arguments and answer are those of :meth:`Group.examine`.

        Each rank may give a callable of its own.  Raises the same on every rank: RankFailed if a
        rank failed but all came to the end, InputError for what cannot be run.
        """
        ask_for(xs, self.size, calls)
        own = targets.absolute(target) if isinstance(target, str) else target
        self.load(target)
        self._meet("example", PATIENCE)
        answer = NOTHING
        if self.rank < len(xs):
            with self._watched(timeout):
                how: dict[str, Any] = {"calls": calls, "rows": rows, "scene": scene, "trace": trace, "params": params}
                answer = play(self.comms, len(xs), own, xs[self.rank], **how)
        failure = answer.header.get("traceback", "")
        answers = self.gather(answer, GRACE if failure else timeout + 3 * GRACE, failure)[: len(xs)]
        if caused := failure_told([*enumerate(answers)]):
            raise caused
        return examined(answers)

    def led(self, target: str | Callable[..., Any], work: Callable[[Led], Any]) -> Any:
        """Run ``work(ranks)`` on rank 0, and return on every rank what it returns: a value that JSON can hold.

        Rank 0 alone does the work, so that it may draw at random and look at the clock; the
        others take part in the examples that it asks ``ranks`` for.  Raises what ``work`` does;
        on the others RankFailed.
        """
        if self.rank:
            return self._follow(target)
        try:
            done = work(Led(self))
            self.share(Message({"done": done}))
        except BaseException as error:
            self.share(Message({"raised": own_traceback(error)}))
            raise
        return done

    def _follow(self, target: str | Callable[..., Any]) -> Any:
        while "done" not in (told := self.share()).header:
            if "raised" in told.header:
                raise RankFailed(0, told.header["raised"])
            with suppress(RankFailed, InputError):  # rank 0 gets the same error
                if "named" not in told.header:
                    self.load(told.header["load"])
                else:
                    self.examine(told.header.pop("named") or target, told.arrays, **told.header)
        return told.header["done"]

    def _meet(self, what: str, patience: float, otherwise: str = "") -> None:
        """Wait until all ranks are here; abort the job if they do not come, or come for something else."""
        self.meetings += 1
        here = f"{what} {self.meetings}, {current_test()}".encode()[:LABEL]
        mine, all_of_us = np.zeros(LABEL, np.uint8), np.zeros((self.size, LABEL), np.uint8)
        mine[: len(here)] = np.frombuffer(here, np.uint8)
        request, deadline = self.control.Iallgather(mine, all_of_us), time.monotonic() + patience
        while not request.Test():
            if time.monotonic() > deadline:
                self._abort(otherwise or f"the others did not come within {patience:g} s")
            time.sleep(NAP)
        if (all_of_us != mine).any():
            places = [f"rank {r}: {bytes(label).rstrip(bytes(1)).decode()}" for r, label in enumerate(all_of_us)]
            self._abort("\n".join(["the ranks have lost each other; probably a test failed on one alone", *places]))

    @contextmanager
    def _watched(self, timeout: float, what: str = "no answer") -> Iterator[None]:
        """Give the block ``timeout`` seconds; if it takes longer, print where this rank is, and end the job."""
        timer = threading.Timer(timeout, self._hang, [f"{what} within {timeout:g} s; it is here:"])
        timer.daemon = True
        # Nothing but this ends C code that lets no other thread run.
        faulthandler.dump_traceback_later(timeout + 1.5 * GRACE, exit=True, file=self.terminal)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            faulthandler.cancel_dump_traceback_later()

    def _hang(self, why: str) -> None:
        """Print where this rank hangs, give others that hang time to print theirs, then abort the job."""
        self._say(why)
        faulthandler.dump_traceback(file=self.terminal)
        time.sleep(GRACE)
        self._abort("ends the job")

    def _abort(self, why: str) -> NoReturn:
        self._say(why)
        abort(self.world, self.terminal)
        os._exit(1)

    def _say(self, text: str) -> None:
        os.write(self.terminal, f"\nrank {self.rank} of {self.size}, {current_test()}: {text}\n".encode())


class Led:
    """The job as rank 0 uses it while it leads: like a group, whose examples all ranks run."""

    def __init__(self, job: Job) -> None:
        self.job, self.size = job, job.size

    def load(self, target: str | Callable[..., Any]) -> None:
        """Import the target on all ranks, as :meth:`Job.load` does."""
        if isinstance(target, str) and target not in self.job.loaded:
            targets.absolute(target)
            self.job.share(Message({"load": target}))
            self.job.load(target)

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
        **params: Any,
    ) -> Examined:
        """Play one example on all ranks, as :meth:`Job.examine` does.

        If ``target`` is no name, the other ranks use the target that they gave to :meth:`Job.led`.
        """
        ask_for(xs, self.size, calls)
        asked = {"calls": calls, "rows": rows, "scene": scene, "trace": trace, "timeout": timeout, **params}
        named = target if isinstance(target, str) else None
        self.job.share(Message({**asked, "named": named}, xs))
        return self.job.examine(target, xs, **asked)


def joined(message: Message) -> NDArray[np.uint8]:
    """Return the message's bytes."""
    return np.frombuffer(b"".join(message.packed()), np.uint8)


def opened(packed: NDArray[np.uint8]) -> Message:
    """Read the message from its bytes."""
    rest = packed.data

    def fill(buffer: memoryview) -> None:
        nonlocal rest
        buffer[:] = rest[: buffer.nbytes]
        rest = rest[buffer.nbytes :]

    return Message.read(fill)


def current_test() -> str:
    """Return the name of the test that pytest runs now."""
    return os.environ.get("PYTEST_CURRENT_TEST", "outside of tests")


def terminal(config: pytest.Config) -> int:
    """Return a file descriptor for output that is seen even if pytest never ends: it captures the usual one."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        return os.dup(2)
    with capture.global_and_fixture_disabled():
        return os.dup(2)
