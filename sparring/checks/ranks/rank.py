"""Plays one rank's part in an example, in a group of ours or in a job that the user started."""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.checks.ranks import scenes
from sparring.checks.ranks import target as targets
from sparring.checks.ranks.answers import pack_answer
from sparring.checks.ranks.sockets import Message
from sparring.errors import NotRecorded, RankFailed, Unrecorded
from sparring.refinement.memory import Made, remarks
from sparring.refinement.playing import RESIDUAL, Played, iterated, noted
from sparring.refinement.vectors import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from sparring.trace.log import Log

KEPT = 50
"""Communicators of one size that stay open: an MPI library has some 2000, and the target may take as many as we."""
HERE = tuple(str(Path(__file__).parents[2] / room) for room in ("checks", "adapters"))
LIBRARIES = (
    *(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(__file__).parents[2]) + os.sep,
)
"""The folders in which every module belongs to a library."""


class Comms:
    """A source of communicators: for each example a new one of the first ranks of ``world``.

    What an example leaves behind, for instance a message that nobody received, must not reach a
    later one.  But MPI libraries tell messages apart by the number of their communicator, and a
    number is given again as soon as it is free.  So each communicator is freed only when ``KEPT``
    more of its size have come.
    """

    def __init__(self, world: Intracomm) -> None:
        self.world = world
        self.parents: dict[int, Intracomm] = {}
        self.kept: defaultdict[int, deque[AbstractContextManager[Any]]] = defaultdict(deque)

    def new(self, ranks: int, *, trace: bool) -> tuple[Intracomm, Log | None]:
        """Create a communicator of the first ``ranks`` ranks, which all call this; ``trace``: log its operations."""
        if ranks not in self.parents:
            self.parents[ranks] = self.world.Create_group(self.world.Get_group().Incl(range(ranks)), ranks)
        opened: AbstractContextManager[tuple[Intracomm, Log | None]] = duplicate(self.parents[ranks])
        if trace:
            from sparring.trace.recorder import recording

            opened = recording(self.parents[ranks])
        kept = self.kept[ranks]
        kept.append(opened)
        if len(kept) > KEPT:
            kept.popleft().__exit__(None, None, None)
        return opened.__enter__()


@contextmanager
def duplicate(comm: Intracomm) -> Iterator[tuple[Intracomm, None]]:
    """Provide a duplicate of the communicator, without a log."""
    own = comm.Dup()
    yield own, None
    own.Free()


def loaded(target: str, load: Callable[[str], Any]) -> Message:
    """Load a target; answer with the files of modules that it imports, without libraries, or with its traceback."""
    before = set(sys.modules)
    try:
        load(target)
    except BaseException as error:  # noqa: BLE001  # whatever it is, the driver must hear of it
        return Message({"traceback": own_traceback(error)})
    brought = [module for name, module in list(sys.modules.items()) if name not in before]
    files = [str(getattr(module, "__file__", None) or "") for module in brought]
    return Message({"files": [file for file in files if file and not file.startswith(LIBRARIES)]})


def play(
    comms: Any, ranks: int, target: Any, x: Vector, *, calls: int, rows: bool, trace: bool, params: Mapping[str, Any],
    load: Callable[[str], Any] = targets.load, scene: str = "", shown: Sequence[str] = RESIDUAL,
) -> Message:  # fmt: skip
    """Play this rank's part in an example; return its answer, or the traceback if the target raises.

    ``comms``: a :class:`Comms`, or a source of communicators of another kind; ``load`` finds a target by its name.
    """
    try:
        function = load(target) if isinstance(target, str) else target
        comm, log = comms.new(ranks, trace=trace)
        with warnings.catch_warnings(), seal(log):
            warnings.simplefilter("ignore", RuntimeWarning)  # what numpy says of overflow is no matter of ours
            played = called(function, comm, x, calls, params, rows=rows, scene=scene, shown=shown)
        return pack_answer(played, log.events[:] if log else None)
    except BaseException as error:  # noqa: BLE001  # whatever it is, the others must hear of it
        told = {"traceback": own_traceback(error)}
        return Message(told | {"unrecorded": str(error)} if isinstance(error, Unrecorded) else told)


def seal(log: Log | None) -> AbstractContextManager[None]:
    """Leave a target that is recorded no way to its peers that the log cannot see."""
    if log is None:
        return nullcontext()
    from sparring.trace.recorder import sealed

    return sealed(log)


def failure_told(answers: Sequence[tuple[int, Message]]) -> RankFailed | None:
    """Return the first failure of those ranks, one that recording has caused before others; None where none failed."""
    failed = [(r, told.header) for r, told in answers if "traceback" in told.header]
    for r, told in failed:
        if "unrecorded" in told:
            return NotRecorded(r, told["traceback"], told["unrecorded"])
    return RankFailed(failed[0][0], failed[0][1]["traceback"]) if failed else None


def called(
    function: Any, comm: Any, x: Vector, calls: int, params: Mapping[str, Any], *, rows: bool = False, scene: str = "",
    shown: Sequence[str] = RESIDUAL,
) -> Played:  # fmt: skip
    """Make ``calls`` calls on one communicator, each on a fresh copy of ``x``; or play a scene once.

    A class is instantiated once, as ``function(comm, n)``, and its instance is called with the vector alone.
    With ``rows``, the rows of ``x`` are played one by one, and all of that ``calls`` times;
    after each call the attributes ``shown`` are noted.
    """
    if scene and isinstance(x, np.ndarray):
        return scenes.play(scene, function, comm, x, params, shown)
    made: list[Made] = []
    if rows and isinstance(x, np.ndarray):
        rounds = [iterated(function, comm, x, shown, made, **params) for _ in range(calls)]
        ys, kept = (list(chain.from_iterable(part)) for part in list(zip(*rounds))[:2])
        return Played(ys, kept, rounds[-1].given, [*islice(remarks(made), 1)])
    call = function(comm, x.size, **params) if isinstance(function, type) else partial(function, comm, **params)
    ys, given = [], x
    for _ in range(calls):
        given = x.copy()
        y = call(given)
        ys.append(noted(made, given, y, given.copy()))  # as the call has left it: what it did itself is told elsewhere
    return Played(ys, [], given, [*islice(remarks(made), 1)])


def own_traceback(error: BaseException) -> str:
    """Format the traceback without its leading frames that belong to sparring."""
    at = error.__traceback__
    while at and at.tb_frame.f_code.co_filename.startswith(HERE):
        at = at.tb_next
    return "".join(traceback.format_exception(error.with_traceback(at)))
