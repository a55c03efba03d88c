"""A rank, what it has under way, and what it sees of its world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from greenlet import GreenletExit, greenlet

from sparring.errors import InputError
from sparring.world.core.constants import MPIException
from sparring.world.core.findings import Finding, Kind

if TYPE_CHECKING:
    from sparring.world.core.scheduler import Scheduler as World


class NoTarget(InputError):
    """The error that there is nothing of that name to run: the caller's mistake, not the target's."""


class Operation:
    """A send, a receive, a part in a collective: ``rank`` called ``call`` at ``where``.

    ``number``: among all of its rank.  ``done``: MPI could report its completion.  ``awaited``: the
    rank sleeps until then.  ``cancelled``: it is done without having happened.  ``result``: the
    object that was received.
    """

    __slots__ = ("awaited", "call", "cancelled", "done", "number", "rank", "result", "where")

    def __init__(self, rank: Rank, call: str, where: str) -> None:
        self.rank, self.call, self.where = rank, call, where
        self.done = self.awaited = self.cancelled = False
        self.result: Any = None
        self.number = next(rank.numbers)

    def peers(self) -> Sequence[int]:
        """Return the ranks of which one must act before this can be done."""
        raise NotImplementedError

    def waits_for(self, peer: int) -> str:
        """Say in words what it waits for: the call and the rank ``peer``."""
        raise NotImplementedError

    def finish(self) -> None:
        """Tell the rank of the completion, so that it may use its buffer again."""

    def fail(self, kind: Kind, text: str) -> None:
        """End the run with this finding."""
        self.rank.world.fail(Finding(kind, self.rank.number, self.call, self.where, text))


def finished(call: str, operation: Operation, status: Any = None, *others: Operation) -> Any:
    """Sleep until all are done, let the rank learn of it, and return the result of ``operation``."""
    world = operation.rank.world
    world.sleep(operation.rank, call, [*others, operation])
    for done in (*others, operation):
        world.network.finish(done)
    if status is not None:
        status._set(operation)
    return operation.result


class Wait(NamedTuple):
    """What a sleeping rank waits for, and in which call."""

    call: str
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class Question:
    """A call whose answer MPI leaves open.

    ``answers()``: what it may return now that something follows from, each with a word for it and the
    operations that it is about.  ``otherwise``: what it returns where there is nothing to tell; None
    if it then sleeps on.
    """

    call: str
    where: str
    answers: Callable[[], Iterable[tuple[Any, str, Sequence[Operation]]]]
    otherwise: Any = None


class Rank:
    """One process: its number, its greenlet, and what MPI keeps for it.

    ``wait``: what it sleeps for, None while it can run; ``needs``: how many of these operations
    must still be done before it can go on; ``objections``: calls that it made after the end.
    ``question``: what it asks, ``answer``: what it was told; ``asked``: the questions so far;
    ``heard``: the events of the world when it last was told in vain; ``attached``: its memory for
    buffered sends.
    """

    world_comm: Any
    self_comm: Any = None

    def __init__(self, world: World, number: int, attached: Any) -> None:
        self.world, self.number, self.attached = world, number, attached
        self.greenlet = greenlet(self._live, world.hub)
        self.result: Any = None
        self.wait: Wait | None = None
        self.needs = self.objections = 0
        self.numbers = count()
        self.question: Question | None = None
        self.answer: Any = None
        self.asked, self.heard = 0, -1
        self.keyvals: dict[int, Any] = {}

    @property
    def machine(self) -> int:
        """Return the number of the machine that it is on."""
        return self.number // self.world.node

    def _live(self, main: Callable[[Rank], Any]) -> None:
        try:
            self.result = main(self)
        except GreenletExit:
            pass
        except NoTarget:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the target raises is a finding
            self.world.raised(self, error)
        self.world.events += 1


worlds: list[World] = []
"""Those that run, the innermost last."""


def running() -> Rank:
    """Return the rank that runs now.  Raises MPIException outside of every world."""
    if not worlds or worlds[-1].now is None:
        raise MPIException("no simulated world is running: start one with sparring.world.run")
    return worlds[-1].now
